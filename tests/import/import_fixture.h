/* Functions that the tests of import/ share: a folder of their own, series of DICOM slices, NIfTI
 * files written byte by byte, and looking for a text in a message. Failures are reported through
 * cmocka. */
#ifndef HT_IMPORT_FIXTURE_H
#define HT_IMPORT_FIXTURE_H

#include "tests/import/dicom_fixture.h"
#include "import/import.h"
#include <stddef.h>

enum { PATH_BYTES = 600 };

/* A new folder; its name stays valid until scratch_remove, which removes all that is in it. */
const char *scratch_make(void);
void scratch_remove(void);
/* Set-up and tear-down of that folder around each test of cmocka. */
int scratch_set_up(void **state);
int scratch_tear_down(void **state);
/* "FOLDER/NAME"; the text is overwritten after eight more calls. */
const char *in_scratch(const char *name);
void scratch_folder(const char *name); /* makes a folder in it */
void write_bytes(const char *name, const void *bytes, size_t count);
void cut_file(const char *name, long bytes); /* keeps the first bytes */
long file_bytes(const char *name);

/* The value stored at pixel i of slice k of the series that the tests write: 12 bits. */
uint16_t pixel_of(int k, int i);

/* Writes the image with pixels of slice k as file `name` in the scratch folder. */
void write_image(const char *name, dicom_image image, int k);
/* Slices 0 to count-1 of the default series as slice-0.dcm ... */
void write_series(int count);

/* A NIfTI-1 header and what follows; `type` is its datatype, `bits` a voxel's. */
typedef struct {
  int dim[8], type, bits;
  float pixdim[8], offset, slope, intercept;
  int units, qform, sform, big_endian;
  float quaternion[3], shift[3];
  float rows[3][4];
  const char *magic;
} nifti_file;

/* int16, 5 x 4 x 3 voxels of 0.5 x 0.75 x 1.25 mm, turned and shifted, sform and no qform. */
nifti_file nifti_default(void);
/* Writes it (compressed where the name ends in gz). The voxels are written as they are. */
void nifti_write(const char *name, const nifti_file *file, const void *voxels, size_t bytes);

/* The scan of the tests of image files: int16 voxels 17 i - 300 on the grid of nifti_default. */
enum { SCAN_VOXELS = 60 };
void scan_fill(int16_t voxels[SCAN_VOXELS]);
void scan_write(const char *name, const nifti_file *file); /* its voxels after that header */
ht_volume scan_import(const char *name);                   /* has to succeed */
void assert_scan_grid(const ht_grid *grid);
void assert_scan_voxels(const ht_volume *volume, double slope, double intercept);
void assert_scan_read(const char *name); /* imports it: the grid and the voxels of scan_fill */
void assert_all_close(const double *got, const double *expected, int count, double tolerance);

/* Asserts that the last failure has that code and that its message contains the text. */
void assert_refused(ht_status got, ht_status expected, const char *text);
/* Imports the file or folder `name` in the scratch folder ("" itself), which has to be refused in
 * that way, leaving nothing in the volume. */
void assert_import_refused(const char *name, ht_status expected, const char *text);

#endif

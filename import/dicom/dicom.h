/* DICOM files: their headers, one ht_slice per image (or per frame of a multi-frame file), and the
 * pixel values of a slice. Private to import/. */
#ifndef HT_DICOM_H
#define HT_DICOM_H

#include "import/dicom/scan_identity.h"
#include "import/slices/slice.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HT_FILE_OTHER = 0, /* not DICOM, or a DICOMDIR */
  HT_FILE_DICOM,     /* `slice` is filled; its `status` may report damage */
} ht_file_kind;

/* Returns 1 where the file begins like a DICOM file. Cheap: reads 132 bytes. */
int ht_dicom_begins(const char *path);

/* Reads the header of the file at `path`, and checks that its pixel values are there, without
 * reading them. Fills *identity, if that is not NULL, as ht_dicom_identity does. *slice becomes an
 * array of *count: 0 for a file that is not DICOM, else 1, or one per frame. Faults of the file are
 * in their status and problem. Fails only on HT_ERR_DEVICE (DCMTK's data dictionary is missing),
 * HT_ERR_MEMORY. The caller frees each with ht_slice_free, and the array with free. */
ht_status ht_dicom_header(const char *path, ht_file_kind *kind, ht_slice **slice, int *count,
                          ht_identity *identity);
void ht_slice_free(ht_slice *slice); /* what it owns */

/* File whose pixels were read last, kept open for its next frame. Opaque. */
typedef struct ht_dicom_file ht_dicom_file;

/* Decodes the pixels of a slice into values[rows][columns], after slope and intercept. *file is
 * NULL at first and is passed again for the next slice; at the end the caller closes it. Pixels
 * with the header's Pixel Padding Value are NAN. HT_ERR_FORMAT where they are damaged or differ
 * from the header. */
ht_status ht_dicom_pixels(ht_dicom_file **file, const ht_slice *slice, float *values);
void ht_dicom_close(ht_dicom_file *file); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif

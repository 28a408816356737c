/* Writes single DICOM files through DCMTK, whole or with a chosen defect, for the tests. */
#ifndef HT_DICOM_FIXTURE_H
#define HT_DICOM_FIXTURE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Leaves something out of a file, or puts it in. */
enum {
  WITHOUT_POSITION = 1,
  WITHOUT_SPACING = 2,
  WITHOUT_PIXELS = 4,
  WITHOUT_IMAGE = 8, /* a report: neither rows nor pixels */
  WITHOUT_SERIES = 16,
  WITHOUT_PREAMBLE = 32,
  WITH_LOOKUP_TABLE = 64,
  WITH_BYTES_AS_WORDS = 128, /* 8-bit pixels with the value representation OW */
};

typedef struct {
  const char *series, *image; /* UIDs; image NULL: one of its own from the instance number */
  const char *description, *charset, *modality, *type;
  const char *patient_id, *patient_name;  /* NULL: left out */
  const char *study, *frame_of_reference; /* UIDs; NULL: "1.2.3", left out */
  int series_number, instance;
  int columns, rows, frames, samples;
  double position[3], axes[6];
  double row_distance, column_distance; /* PixelSpacing: [0] between rows (j), [1] columns (i) */
  const char *slope, *intercept;        /* NULL: left out */
  const char *photometric;
  int allocated, stored, high, is_signed;
  const char *syntax; /* "explicit", "implicit", "big", "deflated", "rle", "jpeg", "jpegls", "j2k",
                         "j2k2" (part 2; both with pixels that are none) */
  const char *trigger_ms, *echo_ms; /* NULL: left out */
  const char *const *tags;          /* further elements, by DCMTK's paths: "AngioFlag", "Y",
                              "ASequence[0].AnElement", ...,          NULL; NULL: none */
  int flags;
  int extra;              /* further words after the pixels, of 16 bits */
  const uint16_t *pixels; /* [frames][rows][columns][samples], and those words. Borrowed */
} dicom_image;

/* A CT slice number k of 6 x 5 pixels of 0.5 x 0.7 mm, 1.5 mm apart, slope 2, intercept -1024,
 * 12 of 16 bits stored, explicit little-endian; no pixels yet. */
dicom_image dicom_image_default(int k);

/* 1 where it was written. */
int dicom_image_write(const char *path, const dicom_image *image);

/* Copies the file `from` as an image that is no mosaic, at z of a series of axial slices; its
 * pixels stay compressed as they are. 1 where it was written. */
int dicom_copy_as_slice(const char *from, const char *to, const char *series, int instance,
                        double z_mm);

#ifdef __cplusplus
}
#endif
#endif

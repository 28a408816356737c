/* One DICOM file through DCMTK: what its header tells, and its pixel values. Private to import/;
 * the one place where DCMTK is used (dicom_dcmtk.cpp).
 */
#ifndef HT_DICOM_H
#define HT_DICOM_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One image of a series as its header tells it. Texts are UTF-8 without control characters. */
typedef struct {
  char *path;          /* owned */
  char series_uid[72]; /* "" where the file is so damaged that it does not tell */
  char image_uid[72];  /* SOP Instance UID */
  char description[72];
  char modality[8];
  int series_number, instance;
  int has_image; /* 0: a report, a presentation state, a structure set: no pixels, no rows */
  int rows, columns;
  double spacing_mm[2];  /* along a row (index i), down a column (index j) */
  double position_mm[3]; /* centre of the first pixel, LPS */
  double axes[2][3];     /* unit vectors along a row (i) and down a column (j), LPS */
  int rescaled;          /* 1: slope and intercept are given; 0: they are 1 and 0 */
  double slope, intercept;
  int aside; /* 1: by its nature no part of a scan: colour, no place in the patient, a localizer */
  double along_mm;      /* position along the slices' normal; set by slice_stack.c */
  char compression[64]; /* the transfer syntax where we have no decoder for it; else "" */
  ht_status status;     /* why this image alone cannot be a slice of a volume: the code ... */
  char problem[192];    /* ... and the reason; HT_OK and "" where it can */
} ht_slice;

typedef enum {
  HT_FILE_OTHER = 0, /* not DICOM, or a DICOMDIR */
  HT_FILE_DICOM,     /* `slice` is filled; its `status` may still tell of damage */
} ht_file_kind;

/* 1 where the file begins like a DICOM file. Cheap: reads 132 bytes. */
int ht_dicom_begins(const char *path);

/* Reads the header of the file at `path`, and checks that its pixel values are there, without
 * reading them. What is wrong with the file is told in slice->status and problem. Fails only on
 * HT_ERR_DEVICE (DCMTK's data dictionary is missing), HT_ERR_MEMORY. Free with ht_slice_free. */
ht_status ht_dicom_header(const char *path, ht_file_kind *kind, ht_slice *slice);
void ht_slice_free(ht_slice *slice);

/* Decodes the pixels of a slice into values[rows][columns], after slope and intercept.
 * HT_ERR_FORMAT where they are damaged or not what the header said. */
ht_status ht_dicom_pixels(const ht_slice *slice, float *values);

#ifdef __cplusplus
}
#endif
#endif

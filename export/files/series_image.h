/* A series (beat_series.h) as dense images on the grid of the vessel's mask: shared by the .vti
 * files and the NIfTI of the beat. Private to export/. */
#ifndef HT_SERIES_IMAGE_H
#define HT_SERIES_IMAGE_H

#include "export/files/flow_image.h"
#include "export/beat/beat_series.h"

typedef struct {
  ht_flow_image place;          /* the domain, the grid, and the offset between them */
  const ht_beat_series *series; /* borrowed */
  int64_t *before;              /* [rows] the vessel's voxels before each row of the image. Owned */
  int unreadable;               /* 1: a number could not be read; the filled values have 0 there */
} ht_series_image;

/* Prepares the images of a series; `flow` is any flow of the domain. Errors as ht_flow_image_make;
 * HT_ERR_FORMAT: the series has another number of voxels; HT_ERR_MEMORY. The caller frees. */
ht_status ht_series_image_make(const ht_domain *domain, const ht_flow *flow, const ht_grid *grid,
                               const ht_beat_series *series, ht_series_image *image);
void ht_series_image_free(ht_series_image *image);

/* Numbers of a plane at voxels [first, first + count), x fastest, each `apart` floats from the one
 * before; 0 outside the vessel. */
void ht_series_image_plane(ht_series_image *image, int sample, int plane, int64_t first,
                           int64_t count, int apart, float *out);

/* Checks that all numbers could be read. If not, removes the file, which has zeros instead.
 * HT_ERR_FORMAT. */
ht_status ht_series_image_check(const ht_series_image *image, const char *path);

#endif

/* Scan around a vessel's mask: its voxels of blood and of tissue, the local brightness of both, and
 * the noise. Private to segment/quality/. */
#ifndef HT_SURROUNDINGS_H
#define HT_SURROUNDINGS_H

#include "segment/voxels/component.h"

/* Bits of a voxel of the scan. */
enum {
  HT_NEAR_INSIDE = 1, /* its centre lies in the mask */
  HT_NEAR_BLOOD = 2,  /* deep in it */
  HT_NEAR_TISSUE = 4, /* 1.5 to 3.5 voxels outside */
  HT_NEAR_REACH = 8,  /* in the mask, or up to 4 voxels outside */
};

/* Means of blood and tissue over cells, blurred: sum / count, [nz][ny][nx] of the cells. */
typedef struct {
  int dim[3], side[3]; /* number of cells; voxels of a cell */
  float *count[2], *sum[2];
} ht_cells;

typedef struct {
  const ht_volume *scan; /* borrowed */
  ht_box box;            /* box of the scan's voxels around the mask */
  int dim[3];            /* size of the box */
  double voxel_mm;
  uint8_t *kind; /* [dim[2]][dim[1]][dim[0]] bits; owned */
  ht_cells cells;
  double level[2]; /* medians of blood and tissue */
  double noise;
  int is_bright; /* 1: blood is brighter than tissue, so the cells hold */
} ht_surroundings;

/* Measures the surroundings. HT_ERR_VESSEL where the mask is empty or outside the scan;
 * HT_ERR_MEMORY. Free with ht_surroundings_free, also after a failure. */
ht_status ht_surroundings_make(const ht_volume *scan, const ht_mask *mask, ht_surroundings *around);
void ht_surroundings_free(ht_surroundings *around);

/* Finds the values of blood [0] and tissue [1] near a voxel of the scan (fractional index). */
void ht_surroundings_level(const ht_surroundings *around, const double index[3], double level[2]);

#endif

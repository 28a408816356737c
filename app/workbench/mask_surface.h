/* The wall of a mask as triangles, fast enough for every step of a correction: on voxels of half
 * the size or less where the mask is large. Only to look at. */
#ifndef HT_MASK_SURFACE_H
#define HT_MASK_SURFACE_H

#include "core/vessel/volume.h"

typedef struct {
  int64_t points, triangles;
  float *point_mm;    /* [points][3] LPS. Owned */
  uint32_t *triangle; /* [triangles][3]. Owned */
} ht_mask_surface;

/* Makes the surface. HT_ERR_MEMORY. The caller frees. */
ht_status ht_mask_surface_make(const ht_mask *mask, ht_mask_surface *surface);
void ht_mask_surface_free(ht_mask_surface *surface);

#endif

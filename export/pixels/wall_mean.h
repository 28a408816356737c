/* The mean of a number over the wall around each point, for the colours of a picture only. Numbers
 * and files keep the values as they are. */
#ifndef HT_WALL_MEAN_H
#define HT_WALL_MEAN_H

#include "export/wall/wall.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Radius of the means that colour the wall, lattice spacings: some two voxels of the scan, over
 * which its noise mottles the wall. */
#define HT_WALL_MEAN_SPACINGS 2.0

/* The points around each point, for any number of values on the same wall. Zeroed: none. */
typedef struct {
  int64_t points;
  int64_t *first; /* [points + 1] into `around`. Owned, as are all */
  int32_t *around;
  float *area_mm2; /* [points] a third of the triangles' at the point */
} ht_wall_mean;

/* Finds the points within radius_mm of each point that edges within that distance join with it: the
 * other side of a thin wall or of a neighbouring vessel does not count. HT_ERR_MEMORY. The caller
 * frees. */
ht_status ht_wall_mean_make(const ht_surface *surface, double radius_mm, ht_wall_mean *mean);
void ht_wall_mean_free(ht_wall_mean *mean);

/* Computes the means, [points], by area. A value that is not finite counts for no other point, and
 * stays. */
void ht_wall_mean_of(const ht_wall_mean *mean, const float *values, float *means);

#ifdef __cplusplus
}
#endif
#endif

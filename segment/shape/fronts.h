/* Fronts that move into the vessel from one place, like water from a source. Private to
 * segment/. */
#ifndef HT_FRONTS_H
#define HT_FRONTS_H

#include "segment/shape/geodesic.h"

/* Band b holds the voxels b to b + 1 voxels from the place, along paths inside the vessel. */
typedef struct {
  int count;
  double *radius;      /* [count] of the circle with the band's area, voxels. Owned */
  double (*centre)[3]; /* [count] centroid, voxel index; of all pieces. Owned */
  int *pieces;         /* [count] connected ones that hold a fifth of the band or more. Owned */
} ht_fronts;

/* Makes the fronts up to `reach` voxels from `tip`, fewer where the vessel ends before.
 * HT_ERR_MEMORY. Free with ht_fronts_free, also after a failure. */
ht_status ht_fronts_from(ht_geodesic *geodesic, int64_t tip, int reach, ht_fronts *fronts);
void ht_fronts_free(ht_fronts *fronts);

#endif

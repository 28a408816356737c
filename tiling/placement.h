/* Counts the tiles that each placement of a regular grid of boxes needs: all placements in one pass
 * over the voxels.
 *
 * A box is empty where the OR of its voxels is 0. The OR over a window of the box's size is
 * computed for every place of the window at once: along x by shifts of words of 64 voxels, then of
 * rows, then of slices. A placement then is a stride of these windows, and its tiles are the bits
 * set there. */
#ifndef HT_PLACEMENT_H
#define HT_PLACEMENT_H

#include "core/status.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_PLACEMENT_SIDE = 64 /* at most */ };

typedef struct {
  int side[3];   /* of a box, voxels: powers of 2 */
  int ends;      /* layers of windows: mask slices + side[2] - 1 */
  int64_t nodes; /* fluid voxels */
  int64_t
      *of_end;    /* [ends][side[1]][side[0]] non-empty boxes whose last slice is `end`, at the
                     origin (ox, oy); the layer belongs to the origin oz = (-1 - end) mod side[2] */
  int64_t *boxes; /* [side[2]][side[1]][side[0]] non-empty boxes at each origin */
} ht_placement;

/* Origins are shifts as in tiling.h: voxel x is in box (x + ox) / side. Linear in the voxels, on
 * all cores; memory: side[2] + 1 slices of bits a thread. HT_ERR_USAGE (a side is no power of 2
 * from 1 to 64), HT_ERR_MEMORY. The caller frees. */
ht_status ht_placement_count(const ht_mask *mask, const int side[3], ht_placement *placement);
void ht_placement_free(ht_placement *placement);

#ifdef __cplusplus
}
#endif
#endif

/* Where a grid holds no vessel, so that a view through it steps over what is empty. */
#ifndef HT_EMPTY_SPACE_H
#define HT_EMPTY_SPACE_H

#include "core/vessel/volume.h"

/* The grid in blocks of HT_EMPTY_BLOCK voxels a side. */
enum { HT_EMPTY_BLOCK = 4 };

typedef struct {
  int dim[3];    /* blocks */
  uint8_t *away; /* [dim[2]][dim[1]][dim[0]] blocks to the nearest with vessel, the farthest of the
                    three axes; 0: it has some; owned */
} ht_empty_space;

/* Of the mask's voxels that are not 0. HT_ERR_MEMORY. The caller frees. */
ht_status ht_empty_space_make(const ht_mask *mask, ht_empty_space *space);
void ht_empty_space_free(ht_empty_space *space);

/* How many voxels one may go on from this voxel index (fractional) in any direction, and linear
 * interpolation still finds no vessel; 0 where some may be near, and outside the grid. */
int ht_empty_space_ahead(const ht_empty_space *space, const double index[3]);

#endif

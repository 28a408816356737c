/* The empty space of a grid, which a view through it may step over. */
#ifndef HT_EMPTY_SPACE_H
#define HT_EMPTY_SPACE_H

#include "core/vessel/volume.h"

/* Side of a block of the grid, voxels. */
enum { HT_EMPTY_BLOCK = 4 };

typedef struct {
  int dim[3];    /* blocks */
  uint8_t *away; /* [dim[2]][dim[1]][dim[0]] blocks to the nearest one with vessel, the largest of
                    the three axes' distances; 0: it has vessel; owned */
} ht_empty_space;

/* Finds the empty space around the mask's voxels that are not 0. HT_ERR_MEMORY. The caller frees.
 */
ht_status ht_empty_space_make(const ht_mask *mask, ht_empty_space *space);
void ht_empty_space_free(ht_empty_space *space);

/* Number of voxels that a view may advance from this voxel index (fractional) in any direction
 * without linear interpolation finding vessel; 0 where vessel may be near, and outside the grid. */
int ht_empty_space_ahead(const ht_empty_space *space, const double index[3]);

#endif

/* Flood fill of masks. Private to segment/. */
#ifndef HT_FLOOD_H
#define HT_FLOOD_H

#include "core/vessel/volume.h"

/* Voxels still to be looked at; starts zeroed, free item with free(). */
typedef struct {
  int64_t *item;
  int64_t count, capacity;
} ht_stack;

/* Adds a voxel. HT_ERR_MEMORY. */
ht_status ht_stack_push(ht_stack *stack, int64_t voxel);

/* Gives `value` to all voxels of `mark` that are 6-connected to `seed` through voxels with
 * inside != 0 and mark == 0, the seed included. HT_ERR_MEMORY. */
ht_status ht_flood(const uint8_t *inside, const int dim[3], int64_t seed, uint8_t value,
                   uint8_t *mark);

#endif

/* Numbers for the few voxels of a large grid that an algorithm visits: only these take memory.
 * Private to segment/. */
#ifndef HT_PLACES_H
#define HT_PLACES_H

#include "core/status.h"
#include <stdint.h>

/* Blocks of 16^3 voxels, allocated when one of them is set. */
typedef struct {
  int blocks[3];
  int32_t **block;
} ht_places;

/* Makes the numbers of a grid of dim[] voxels; none has one (-1). HT_ERR_MEMORY. Free also after a
 * failure. */
ht_status ht_places_make(const int dim[3], ht_places *places);
void ht_places_free(ht_places *places);

/* Returns the number of a voxel in the grid; -1: it has none. */
int32_t ht_places_get(const ht_places *places, const int at[3]);

/* Gives a voxel a number. HT_ERR_MEMORY. */
ht_status ht_places_set(ht_places *places, const int at[3], int32_t number);

#endif

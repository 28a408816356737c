/* Binary heap of the voxels still to be looked at, by the least key. Private to segment/. */
#ifndef HT_HEAP_H
#define HT_HEAP_H

#include "core/status.h"
#include <stdint.h>

typedef struct {
  double key;
  int64_t voxel;
} ht_heap_item;

/* Starts zeroed; free item with free(). */
typedef struct {
  ht_heap_item *item;
  int64_t count, capacity;
} ht_heap;

/* Adds a voxel. HT_ERR_MEMORY. */
ht_status ht_heap_push(ht_heap *heap, double key, int64_t voxel);

/* Removes and returns the least; the heap may not be empty. Of equal keys the lower voxel comes
 * first, so that results do not depend on the order of insertion. */
ht_heap_item ht_heap_pop(ht_heap *heap);

#endif

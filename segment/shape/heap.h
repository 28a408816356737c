/* The voxel with the least key of those still to be looked at: a binary heap. Private to segment/.
 */
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

/* HT_ERR_MEMORY. */
ht_status ht_heap_push(ht_heap *heap, double key, int64_t voxel);

/* Takes out the least; the heap may not be empty. Of equal keys the lower voxel comes first, so
 * that results do not depend on the order in which they were put in. */
ht_heap_item ht_heap_pop(ht_heap *heap);

#endif

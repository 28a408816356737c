#include "segment/shape/heap.h"
#include <stdlib.h>

static int is_before(const ht_heap_item *a, const ht_heap_item *b) {
  return a->key < b->key || (a->key == b->key && a->voxel < b->voxel);
}

static void swap(ht_heap_item *a, ht_heap_item *b) {
  ht_heap_item kept = *a;
  *a = *b;
  *b = kept;
}

ht_status ht_heap_push(ht_heap *heap, double key, int64_t voxel) {
  if (heap->count == heap->capacity) {
    int64_t room = heap->capacity ? 2 * heap->capacity : 1024;
    ht_heap_item *more = realloc(heap->item, (size_t)room * sizeof *more);
    if (!more)
      return ht_fail(HT_ERR_MEMORY, "no memory for the front of the search for the vessel");
    heap->item = more;
    heap->capacity = room;
  }
  int64_t at = heap->count++;
  heap->item[at] = (ht_heap_item){key, voxel};
  for (; at > 0 && is_before(&heap->item[at], &heap->item[(at - 1) / 2]); at = (at - 1) / 2)
    swap(&heap->item[at], &heap->item[(at - 1) / 2]);
  return HT_OK;
}

ht_heap_item ht_heap_pop(ht_heap *heap) {
  ht_heap_item least = heap->item[0];
  heap->item[0] = heap->item[--heap->count];
  for (int64_t at = 0, child; (child = 2 * at + 1) < heap->count; at = child) {
    if (child + 1 < heap->count && is_before(&heap->item[child + 1], &heap->item[child])) child++;
    if (!is_before(&heap->item[child], &heap->item[at])) break;
    swap(&heap->item[child], &heap->item[at]);
  }
  return least;
}

#include "segment/shape/flood.h"
#include <stdlib.h>

ht_status ht_stack_push(ht_stack *stack, int64_t voxel) {
  if (stack->count == stack->capacity) {
    int64_t capacity = stack->capacity ? 2 * stack->capacity : 1024;
    int64_t *item = realloc(stack->item, (size_t)capacity * sizeof *item);
    if (!item)
      return ht_fail(HT_ERR_MEMORY, "not enough memory: %.1f MB to follow the vessel",
                     (double)capacity * sizeof *item / 1e6);
    stack->item = item;
    stack->capacity = capacity;
  }
  stack->item[stack->count++] = voxel;
  return HT_OK;
}

static ht_status spread(const uint8_t *inside, const int dim[3], int64_t voxel, uint8_t value,
                        uint8_t *mark, ht_stack *todo) {
  const int64_t stride[3] = {1, dim[0], (int64_t)dim[0] * dim[1]};
  int at[3];
  ht_voxel_place(dim, voxel, at);
  for (int a = 0; a < 3; a++) {
    for (int side = -1; side <= 1; side += 2) {
      if (at[a] + side < 0 || at[a] + side >= dim[a]) continue;
      int64_t next = voxel + side * stride[a];
      if (!inside[next] || mark[next]) continue;
      mark[next] = value;
      HT_TRY(ht_stack_push(todo, next));
    }
  }
  return HT_OK;
}

ht_status ht_flood(const uint8_t *inside, const int dim[3], int64_t seed, uint8_t value,
                   uint8_t *mark) {
  ht_stack todo = {0};
  mark[seed] = value;
  ht_status status = ht_stack_push(&todo, seed);
  while (status == HT_OK && todo.count > 0)
    status = spread(inside, dim, todo.item[--todo.count], value, mark, &todo);
  free(todo.item);
  return status;
}

#include "tests/check.h"
#include "tests/tiling/random_mask.h"

static uint64_t state = 88172645463325252u;

uint64_t ht_random_next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

int ht_random_below(int below) {
  return (int)(ht_random_next() % (uint64_t)below);
}

ht_mask ht_random_mask(int longest) {
  ht_mask mask;
  ht_grid grid = ht_grid_make(1 + ht_random_below(longest), 1 + ht_random_below(longest),
                              1 + ht_random_below(longest));
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
  int64_t voxels = ht_grid_voxels(&grid);
  int one_in = 1 + ht_random_below(20);
  for (int64_t v = 0; v < voxels; v++)
    mask.inside[v] = ht_random_below(one_in) == 0 ? (uint8_t)(1 + ht_random_below(2)) : 0;
  mask.inside[ht_random_next() % (uint64_t)voxels] = 1;
  return mask;
}

static int box_is_empty(const ht_mask *mask, const int first[3], const int side[3]) {
  const int *dim = mask->grid.dim;
  for (int z = first[2]; z < first[2] + side[2]; z++)
    for (int y = first[1]; y < first[1] + side[1]; y++)
      for (int x = first[0]; x < first[0] + side[0]; x++) {
        const int at[3] = {x, y, z};
        if (ht_voxel_in_grid(dim, at) && mask->inside[ht_voxel_index(dim, at)]) return 0;
      }
  return 1;
}

int64_t ht_count_boxes(const ht_mask *mask, const int origin[3], const int side[3]) {
  int64_t boxes = 0;
  const int *dim = mask->grid.dim;
  for (int z = -origin[2]; z < dim[2]; z += side[2])
    for (int y = -origin[1]; y < dim[1]; y += side[1])
      for (int x = -origin[0]; x < dim[0]; x += side[0])
        boxes += !box_is_empty(mask, (int[3]){x, y, z}, side);
  return boxes;
}

/* Small masks for the tests of segment/edit, and comparisons with what a function says of a voxel.
 */
#ifndef HT_TESTS_EDIT_MASK_H
#define HT_TESTS_EDIT_MASK_H

#include "tests/check.h"
#include "core/numbers/vector3.h"
#include "segment/edit/edit.h"

/* A case of 24 x 20 x 28 voxels of 0.5 mm, whose axes are not those of the body. */
static inline ht_grid grid_of(int nx, int ny, int nz, double spacing_mm) {
  ht_grid grid = ht_grid_make(nx, ny, nz);
  for (int a = 0; a < 3; a++) grid.spacing_mm[a] = spacing_mm;
  grid.origin_mm[0] = -3.1;
  grid.origin_mm[1] = 7.7;
  grid.origin_mm[2] = 100.3;
  return grid;
}

/* Gives each voxel of the mask 1 where `is` says so of its index. */
typedef int (*shape)(const double at[3]);
static inline ht_mask mask_of(const ht_grid *grid, shape is) {
  ht_mask mask;
  assert_int_equal(ht_mask_alloc(grid, &mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    int at[3];
    ht_voxel_place(grid->dim, v, at);
    const double index[3] = {at[0], at[1], at[2]};
    mask.inside[v] = (uint8_t)is(index);
  }
  return mask;
}

/* A tube along k around (10, 10). */
static inline int is_tube(const double at[3]) {
  return hypot(at[0] - 10, at[1] - 10) <= 4 && at[2] >= 3 && at[2] <= 24;
}

static inline ht_edited begin(const ht_grid *grid, shape is) {
  ht_mask base = mask_of(grid, is);
  ht_edited edited;
  assert_int_equal(ht_edited_begin(&base, NULL, &edited), HT_OK);
  ht_mask_free(&base);
  return edited;
}

static inline int inside_at(const ht_edited *edited, int x, int y, int z) {
  const int at[3] = {x - edited->first[0], y - edited->first[1], z - edited->first[2]};
  const int *dim = edited->mask.grid.dim;
  return ht_voxel_in_grid(dim, at) && edited->mask.inside[ht_voxel_index(dim, at)];
}

/* Fails unless the mask is exactly what `is` says, from index `low` to `high` along each axis. */
static inline void assert_is(const ht_edited *edited, shape is, int low, int high) {
  int64_t count = 0;
  for (int z = low; z <= high; z++)
    for (int y = low; y <= high; y++)
      for (int x = low; x <= high; x++) {
        const double at[3] = {x, y, z};
        const int wanted = is(at), got = inside_at(edited, x, y, z);
        if (got != wanted) fail_msg("voxel %d %d %d is %d, not %d", x, y, z, got, wanted);
        count += wanted;
      }
  assert_int_equal(edited->voxels, count);
}

/* Position of an index of the grid, LPS mm. */
static inline void place_at(const ht_grid *grid, double x, double y, double z, double place_mm[3]) {
  const double index[3] = {x, y, z};
  ht_grid_position(grid, index, place_mm);
}

static inline void apply(ht_edited *edited, const ht_edit_step *step) {
  ht_edit_delta delta;
  const ht_status status = ht_edit_apply(step, NULL, edited, &delta);
  if (status != HT_OK) fail_msg("%s", ht_error_message());
  ht_edit_delta_free(&delta);
}

#endif

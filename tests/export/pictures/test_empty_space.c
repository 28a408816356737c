/* Empty space: a view steps over no vessel, and does step over long stretches without any. */
#include "tests/check.h"
#include "export/pixels/empty_space.h"
#include <stdlib.h>

static uint32_t state = 7;

static int below(int most) {
  state = state * 1664525 + 1013904223;
  return (int)((state >> 8) % (uint32_t)most);
}

/* Tells whether interpolation within `ahead` voxels of the index meets vessel. */
static int meets(const ht_mask *mask, const double index[3], int ahead) {
  int low[3], high[3], at[3];
  for (int a = 0; a < 3; a++) {
    low[a] = (int)index[a] - ahead > 0 ? (int)index[a] - ahead : 0;
    high[a] = (int)index[a] + ahead + 1;
    if (high[a] >= mask->grid.dim[a]) high[a] = mask->grid.dim[a] - 1;
  }
  for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
    for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
      for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
        if (mask->inside[ht_voxel_index(mask->grid.dim, at)]) return 1;
  return 0;
}

static void no_vessel_is_stepped_over(void **unused) {
  (void)unused;
  int64_t stepped = 0;
  for (int round = 0; round < 40; round++) {
    ht_grid grid = ht_grid_make(20 + below(40), 1 + below(40), 17 + below(40));
    ht_mask mask;
    ht_empty_space space;
    assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
    for (int n = 0; n < round % 4; n++) mask.inside[below((int)ht_grid_voxels(&grid))] = 1;
    assert_int_equal(ht_empty_space_make(&mask, &space), HT_OK);
    for (int n = 0; n < 200; n++) {
      double index[3];
      for (int a = 0; a < 3; a++) index[a] = below(100 * grid.dim[a]) / 100.0;
      int ahead = ht_empty_space_ahead(&space, index);
      stepped += ahead > 0;
      if (ahead > 0) assert_false(meets(&mask, index, ahead));
    }
    ht_empty_space_free(&space);
    ht_mask_free(&mask);
  }
  assert_true(stepped > 1000);
}

static void nothing_is_known_outside(void **unused) {
  (void)unused;
  ht_grid grid = ht_grid_make(64, 64, 64);
  ht_mask mask;
  ht_empty_space space;
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
  mask.inside[0] = 1;
  assert_int_equal(ht_empty_space_make(&mask, &space), HT_OK);
  assert_int_equal(ht_empty_space_ahead(&space, (double[3]){-0.5, 40, 40}), 0);
  assert_int_equal(ht_empty_space_ahead(&space, (double[3]){40, 64.5, 40}), 0);
  assert_int_equal(ht_empty_space_ahead(&space, (double[3]){40, 40, 40}),
                   HT_EMPTY_BLOCK * (40 / HT_EMPTY_BLOCK - 1) - 1);
  assert_int_equal(ht_empty_space_ahead(&space, (double[3]){HT_EMPTY_BLOCK + 1, 3, 3}),
                   0); /* next to it */
  ht_empty_space_free(&space);
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_vessel_is_stepped_over),
      cmocka_unit_test(nothing_is_known_outside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

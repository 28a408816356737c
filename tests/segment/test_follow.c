/* A mask that follows a surface: near its wall only, without rows of one node. */
#include "tests/check.h"
#include "segment/surface/follow.h"
#include "core/numbers/units.h"
#include <stdlib.h>
#include <string.h>

enum { SIDE = 24, LENGTH = 12, AROUND = 120 };
static const double middle = 11, radius = 7.02; /* a node lies 0.02 inside, alone in its row */

static double from_axis(const int at[3]) {
  return hypot(at[0] - middle, at[1] - middle);
}

static ht_mask tube(double wide) {
  ht_grid grid = ht_grid_make(SIDE, SIDE, LENGTH);
  ht_mask mask;
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    mask.inside[v] = from_axis(at) < wide;
  }
  return mask;
}

static ht_triangles wall(void) {
  ht_triangles t = {0};
  t.corner = calloc((size_t)2 * AROUND, sizeof *t.corner);
  assert_non_null(t.corner);
  for (int n = 0; n < 2 * AROUND; n++) {
    for (int c = 0; c < 3; c++) {
      double angle = 2 * HT_PI * (n / 2 + (c + n % 2) / 2) / AROUND;
      t.corner[n][c][0] = (float)(middle + radius * cos(angle));
      t.corner[n][c][1] = (float)(middle + radius * sin(angle));
      t.corner[n][c][2] = (float)((c + n) % 2 ? -5 : LENGTH + 5);
    }
    t.count++;
  }
  return t;
}

static void test_tube(void **unused) {
  (void)unused;
  ht_mask mask = tube(6.4), truth = tube(radius);
  ht_triangles surface = wall();
  const int hole[3] = {11, 11, 6}, far_out[3] = {21, 11, 6};
  truth.inside[ht_voxel_index(truth.grid.dim, hole)] = 0; /* far from the wall: not followed */
  truth.inside[ht_voxel_index(truth.grid.dim, far_out)] = 1;
  assert_int_equal(ht_mask_follow(&mask, &truth, &surface, 1.5), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&mask.grid); v++) {
    int at[3];
    ht_voxel_place(mask.grid.dim, v, at);
    int is_ridge = fabs(from_axis(at) - 7) < 1e-9 && (at[0] == 11 || at[1] == 11);
    assert_int_equal(mask.inside[v], from_axis(at) < radius && !is_ridge);
  }
  ht_mask_free(&mask);
  ht_mask_free(&truth);
  ht_triangles_free(&surface);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tube)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The count of all placements at once, against boxes counted one by one. */
#include "tests/check.h"
#include "tiling/placement.h"
#include "tests/tiling/random_mask.h"
#include <omp.h>
#include <string.h>

static void compare(const ht_mask *mask, const int side[3]) {
  ht_placement placement;
  assert_int_equal(ht_placement_count(mask, side, &placement), HT_OK);
  assert_int_equal(placement.nodes, ht_mask_count(mask));
  for (int o = 0; o < side[0] * side[1] * side[2]; o++) {
    int origin[3] = {o % side[0], o / side[0] % side[1], o / side[0] / side[1]};
    assert_int_equal(placement.boxes[o], ht_count_boxes(mask, origin, side));
  }
  ht_placement_free(&placement);
}

static void test_tiles(void **unused) {
  (void)unused;
  for (int trial = 0; trial < 2000; trial++) {
    ht_mask mask = ht_random_mask(13);
    compare(&mask, (int[3]){4, 4, 4});
    ht_mask_free(&mask);
  }
}

static void test_any_box(void **unused) {
  (void)unused;
  for (int trial = 0; trial < 500; trial++) {
    int side[3];
    for (int a = 0; a < 3; a++) side[a] = 1 << ht_random_below(4);
    ht_mask mask = ht_random_mask(11);
    compare(&mask, side);
    ht_mask_free(&mask);
  }
}

/* Rows of several words, more slices than a thread takes at a time, windows over both edges. */
static void test_long(void **unused) {
  (void)unused;
  static const int dims[][3] = {{200, 5, 6}, {64, 9, 3}, {61, 3, 9}, {65, 2, 2}, {5, 4, 150}};
  for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
    ht_mask mask;
    ht_grid grid = ht_grid_make(dims[i][0], dims[i][1], dims[i][2]);
    assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
    for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) mask.inside[v] = ht_random_below(60) == 0;
    compare(&mask, (int[3]){4, 4, 4});
    compare(&mask, (int[3]){64, 1, 2});
    compare(&mask, (int[3]){1, 2, 64});
    ht_mask_free(&mask);
  }
}

static void test_threads(void **unused) {
  (void)unused;
  static const int side[3] = {4, 4, 4};
  ht_grid grid = ht_grid_make(37, 21, 170);
  ht_placement one, four;
  ht_mask mask;
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) mask.inside[v] = ht_random_below(90) == 0;
  int before = omp_get_max_threads();
  omp_set_num_threads(1);
  assert_int_equal(ht_placement_count(&mask, side, &one), HT_OK);
  omp_set_num_threads(4);
  assert_int_equal(ht_placement_count(&mask, side, &four), HT_OK);
  omp_set_num_threads(before);
  assert_int_equal(one.nodes, four.nodes);
  assert_memory_equal(one.boxes, four.boxes, 64 * sizeof *one.boxes);
  assert_memory_equal(one.of_end, four.of_end, (size_t)one.ends * 16 * sizeof *one.of_end);
  ht_placement_free(&one);
  ht_placement_free(&four);
  ht_mask_free(&mask);
}

static void test_refused(void **unused) {
  (void)unused;
  ht_mask mask = ht_random_mask(5);
  ht_placement placement;
  assert_int_equal(ht_placement_count(&mask, (int[3]){4, 3, 4}, &placement), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), "4 x 3 x 4"));
  assert_null(placement.boxes);
  assert_int_equal(ht_placement_count(&mask, (int[3]){128, 4, 4}, &placement), HT_ERR_USAGE);
  assert_int_equal(ht_placement_count(&mask, (int[3]){4, 4, 0}, &placement), HT_ERR_USAGE);
  ht_placement_free(&placement);
  ht_placement_free(NULL);
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiles), cmocka_unit_test(test_any_box),
                                     cmocka_unit_test(test_long), cmocka_unit_test(test_threads),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

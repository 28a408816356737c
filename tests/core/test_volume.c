/* core/volume: index to patient position and back, the checks of a grid, allocation. */
#include "tests/check.h"
#include "core/numbers/vector3.h"
#include "core/vessel/volume.h"
#include <float.h>
#include <string.h>

/* Returns a few roundings of numbers of the size `scale`. */
static double rounding(double scale) {
  return 16 * DBL_EPSILON * scale;
}

/* Rotations about z, then y, then x; the third axis mirrored where left-handed. */
static ht_grid oblique_grid(int left_handed) {
  const double a = 0.3, b = -0.7, c = 1.1;
  const double direction[3][3] = {{cos(b) * cos(a), -cos(b) * sin(a), sin(b)},
                                  {cos(c) * sin(a) + sin(c) * sin(b) * cos(a),
                                   cos(c) * cos(a) - sin(c) * sin(b) * sin(a), -sin(c) * cos(b)},
                                  {sin(c) * sin(a) - cos(c) * sin(b) * cos(a),
                                   sin(c) * cos(a) + cos(c) * sin(b) * sin(a), cos(c) * cos(b)}};
  ht_grid grid = ht_grid_make(7, 11, 5);
  memcpy(grid.direction, direction, sizeof direction);
  const double spacing[3] = {0.46875, 0.5, 1.25}, origin[3] = {-101.3, 22.75, 1043.5};
  memcpy(grid.spacing_mm, spacing, sizeof spacing);
  memcpy(grid.origin_mm, origin, sizeof origin);
  if (left_handed)
    for (int r = 0; r < 3; r++) grid.direction[r][2] = -grid.direction[r][2];
  return grid;
}

HT_TEST(a_plain_grid_counts_from_the_origin) {
  ht_grid grid = ht_grid_make(4, 5, 6);
  assert_int_equal(ht_grid_voxels(&grid), 120);
  assert_int_equal(ht_grid_check(&grid), HT_OK);
  const double index[3] = {1, 2.5, -3};
  double position[3];
  ht_grid_position(&grid, index, position);
  for (int r = 0; r < 3; r++) assert_near(position[r], index[r], 0);
}

/* x fastest: voxel 5 + 7 * (2 + 3 * 4) of 7 x 3 x 5. */
HT_TEST(a_linear_index_is_a_place) {
  const int dim[3] = {7, 3, 5}, outside[3] = {5, 3, 4};
  int at[3];
  ht_voxel_place(dim, 103, at);
  assert_true(at[0] == 5 && at[1] == 2 && at[2] == 4);
  assert_int_equal(ht_voxel_index(dim, at), 103);
  assert_true(ht_voxel_in_grid(dim, at) && !ht_voxel_in_grid(dim, outside));
  ht_grid grid = ht_grid_make(7, 3, 5);
  double position[3];
  ht_grid_voxel_position(&grid, 103, position);
  for (int r = 0; r < 3; r++) assert_near(position[r], at[r], 0);
}

/* An axial slice turned by 90 degrees: i runs to the back, j to the patient's right. By hand:
 * p = (10, 20, 30) + i 2 (0, 1, 0) + j 3 (-1, 0, 0) + k 4 (0, 0, 1). */
HT_TEST(a_column_is_the_direction_of_an_index_axis) {
  ht_grid grid = {{9, 9, 9}, {2, 3, 4}, {10, 20, 30}, {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}};
  const double index[3] = {1, 2, 3}, expected[3] = {4, 22, 42};
  double position[3], back[3];
  ht_grid_position(&grid, index, position);
  ht_grid_index(&grid, position, back);
  for (int r = 0; r < 3; r++) {
    assert_near(position[r], expected[r], 0);
    assert_near(back[r], index[r], 0);
  }
}

static void check_round_trip(const ht_grid *grid) {
  assert_int_equal(ht_grid_check(grid), HT_OK);
  const double indices[][3] = {{0, 0, 0}, {6, 10, 4}, {0.5, 3.25, -2.75}, {-40, 512, 1000.5}};
  for (size_t n = 0; n < sizeof indices / sizeof indices[0]; n++) {
    double position[3], back[3];
    ht_grid_position(grid, indices[n], position);
    ht_grid_index(grid, position, back);
    /* Positions reach 2000 mm; an index is one divided by the smallest spacing, 0.47. */
    for (int a = 0; a < 3; a++) assert_near(back[a], indices[n][a], rounding(2000 / 0.46875));
  }
}

HT_TEST(oblique_positions_round_trip) {
  ht_grid grid = oblique_grid(0);
  check_round_trip(&grid);
}

HT_TEST(left_handed_positions_round_trip) {
  ht_grid grid = oblique_grid(1);
  check_round_trip(&grid);
}

HT_TEST(the_origin_is_the_centre_of_the_first_voxel) {
  ht_grid grid = oblique_grid(1);
  const double index[3] = {0, 0, 0};
  double position[3];
  ht_grid_position(&grid, index, position);
  for (int r = 0; r < 3; r++) assert_near(position[r], grid.origin_mm[r], 0);
}

HT_TEST(vectors_turn_without_scaling_and_in_place) {
  for (int left_handed = 0; left_handed < 2; left_handed++) {
    ht_grid grid = oblique_grid(left_handed);
    const double vector[3] = {0.3, -1.7, 2.2};
    double turned[3] = {0.3, -1.7, 2.2}, length = 0, expected = 0;
    ht_grid_to_lps(&grid, turned, turned);
    for (int r = 0; r < 3; r++) length += turned[r] * turned[r], expected += vector[r] * vector[r];
    assert_near(length, expected, rounding(10));
    ht_grid_from_lps(&grid, turned, turned);
    for (int r = 0; r < 3; r++) assert_near(turned[r], vector[r], rounding(3));
  }
}

static void refused(const ht_grid *grid, const char *reason) {
  assert_int_equal(ht_grid_check(grid), HT_ERR_FORMAT);
  if (!strstr(ht_error_message(), reason))
    fail_msg("the message \"%s\" does not say \"%s\"", ht_error_message(), reason);
}

HT_TEST(isotropic_is_the_same_spacing_to_a_ten_thousandth) {
  ht_grid grid = ht_grid_make(4, 5, 6);
  assert_true(ht_grid_is_isotropic(&grid));
  grid.spacing_mm[2] = 1.00005;
  assert_true(ht_grid_is_isotropic(&grid));
  grid.spacing_mm[2] = 1.0002;
  assert_false(ht_grid_is_isotropic(&grid));
  grid.spacing_mm[2] = 0.9998;
  assert_false(ht_grid_is_isotropic(&grid));
}

HT_TEST(a_grid_without_voxels_is_refused) {
  for (int a = 0; a < 3; a++) {
    ht_grid grid = ht_grid_make(3, 3, 3);
    grid.dim[a] = 0;
    refused(&grid, "0 voxels");
    grid.dim[a] = -4;
    refused(&grid, "-4 voxels");
  }
}

HT_TEST(a_grid_too_large_to_be_true_is_refused) {
  ht_grid grid = ht_grid_make(INT32_MAX, INT32_MAX, INT32_MAX);
  refused(&grid, "2^40");
}

HT_TEST(spacing_and_origin_have_to_be_sane) {
  const double wrong[] = {0, -1, NAN, INFINITY};
  for (int n = 0; n < 4; n++) {
    ht_grid grid = ht_grid_make(3, 3, 3);
    grid.spacing_mm[n % 3] = wrong[n];
    refused(&grid, "spacing");
  }
  ht_grid grid = ht_grid_make(3, 3, 3);
  grid.origin_mm[1] = NAN;
  refused(&grid, "origin");
}

HT_TEST(axes_have_to_be_orthonormal) {
  ht_grid sheared = oblique_grid(0), scaled = oblique_grid(0), lost = oblique_grid(0);
  sheared.direction[0][0] += 0.01;
  refused(&sheared, "orthonormal");
  for (int r = 0; r < 3; r++) scaled.direction[r][1] *= 1.01;
  refused(&scaled, "orthonormal");
  lost.direction[2][2] = NAN;
  refused(&lost, "orthonormal");
}

/* Headers hold directions in float or in a few decimals. */
HT_TEST(rounded_axes_pass) {
  ht_grid grid = oblique_grid(0);
  for (int r = 0; r < 3; r++)
    for (int a = 0; a < 3; a++) grid.direction[r][a] = round(grid.direction[r][a] * 1e4) / 1e4;
  assert_int_equal(ht_grid_check(&grid), HT_OK);
}

/* Compares by member: between them a structure may hold anything. */
static void assert_same_grid(const ht_grid *a, const ht_grid *b) {
  assert_memory_equal(a->dim, b->dim, sizeof a->dim);
  assert_memory_equal(a->spacing_mm, b->spacing_mm, sizeof a->spacing_mm);
  assert_memory_equal(a->origin_mm, b->origin_mm, sizeof a->origin_mm);
  assert_memory_equal(a->direction, b->direction, sizeof a->direction);
}

HT_TEST(images_start_empty_and_can_be_freed_twice) {
  ht_grid grid = oblique_grid(0);
  ht_volume volume;
  assert_int_equal(ht_volume_alloc(&grid, &volume), HT_OK);
  assert_same_grid(&volume.grid, &grid);
  for (int64_t i = 0; i < ht_grid_voxels(&grid); i++) assert_true(volume.values[i] == 0);
  ht_volume_free(&volume);
  assert_null(volume.values);
  ht_volume_free(&volume);
  ht_volume_free(NULL);
}

HT_TEST(a_mask_counts_what_is_not_zero) {
  ht_grid grid = ht_grid_make(3, 4, 5);
  ht_mask mask;
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
  assert_int_equal(ht_mask_count(&mask), 0);
  mask.inside[0] = 1;
  mask.inside[59] = 2;
  assert_int_equal(ht_mask_count(&mask), 2);
  ht_mask_free(&mask);
  assert_null(mask.inside);
  ht_mask_free(&mask);
  ht_mask_free(NULL);
}

static int64_t nearest_of_all(const ht_mask *mask, const double position_mm[3], double *least) {
  int64_t best = -1;
  *least = INFINITY;
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    double at[3];
    ht_grid_voxel_position(&mask->grid, v, at);
    const double away = ht_distance(at, position_mm);
    if (mask->inside[v] && away < *least) *least = away, best = v;
  }
  return best;
}

/* In masks with from none to a fourth of the voxels, from positions inside and outside the grid,
 * and from between voxels, where several are equally near. */
static void check_nearest(const ht_grid *grid, int rounds) {
  ht_mask mask;
  uint32_t random = 1;
  assert_int_equal(ht_mask_alloc(grid, &mask), HT_OK);
  for (int round = 0; round < rounds; round++) {
    const uint32_t share = (uint32_t)(round % 8) << 27;
    double index[3], at[3], least, away = 0;
    for (int64_t v = 0; v < ht_grid_voxels(grid); v++)
      mask.inside[v] = (random = 1664525 * random + 1013904223) < share / 4;
    for (int a = 0; a < 3; a++) {
      random = 1664525 * random + 1013904223;
      index[a] = floor((random >> 8) * 0x1p-24 * 6 * grid->dim[a]) / 2 - grid->dim[a];
    }
    ht_grid_position(grid, index, at);
    assert_int_equal(ht_mask_nearest(&mask, at, &away), nearest_of_all(&mask, at, &least));
    assert_true(away == least);
  }
  ht_mask_free(&mask);
}

HT_TEST(the_nearest_voxel_is_the_first_of_the_nearest) {
  const ht_grid plain = ht_grid_make(7, 4, 9), oblique = oblique_grid(1);
  ht_grid turned = ht_grid_make(1, 3, 1500); /* off the right angle, as far as is accepted */
  turned.direction[1][2] = 4.9e-4;
  turned.direction[2][1] = 4.9e-4;
  assert_int_equal(ht_grid_check(&turned), HT_OK);
  check_nearest(&plain, 400);
  check_nearest(&oblique, 400);
  check_nearest(&turned, 100);
}

/* From positions inside and outside the grid: all voxels within reach, and few others. */
static void check_around(const ht_grid *grid, int rounds) {
  uint32_t random = 1;
  for (int round = 0; round < rounds; round++) {
    const double reach = 0.5 * (round % 9) * grid->spacing_mm[round % 3];
    double index[3], at[3], there[3];
    int low[3], high[3], place[3];
    int64_t near = 0, walked = 0, in_box = 1;
    for (int a = 0; a < 3; a++) {
      random = 1664525 * random + 1013904223;
      index[a] = (random >> 8) * 0x1p-24 * 2 * grid->dim[a] - 0.5 * grid->dim[a];
    }
    ht_grid_position(grid, index, at);
    ht_grid_around(grid, at, reach, low, high);
    for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
      ht_grid_voxel_position(grid, v, there);
      near += ht_distance(there, at) <= reach;
    }
    for (int a = 0; a < 3; a++) {
      assert_true(low[a] >= 0 && high[a] < grid->dim[a]);
      assert_true(high[a] - low[a] <= 2 * 1.1 * reach / grid->spacing_mm[a] + 4);
      in_box *= high[a] >= low[a] ? high[a] - low[a] + 1 : 0;
    }
    for (int more = ht_box_begin(low, high, place); more; more = ht_box_next(low, high, place)) {
      ht_grid_voxel_position(grid, ht_voxel_index(grid->dim, place), there);
      near -= ht_distance(there, at) <= reach;
      walked++;
    }
    assert_true(near == 0 && walked == in_box);
  }
}

HT_TEST(what_is_within_reach_is_in_a_box) {
  const ht_grid plain = ht_grid_make(7, 4, 9), oblique = oblique_grid(1);
  ht_grid turned = ht_grid_make(1, 3, 1500);
  turned.direction[1][2] = 4.9e-4;
  turned.direction[2][1] = 4.9e-4;
  check_around(&plain, 400);
  check_around(&oblique, 400);
  check_around(&turned, 200);
}

HT_TEST(too_large_an_image_is_a_message) {
#if defined(__SANITIZE_ADDRESS__)
  skip(); /* the sanitizer's own allocator stops the program here */
#endif
  void *memory = &memory;
  assert_int_equal(ht_alloc(&memory, SIZE_MAX / 2, 4, "the image"), HT_ERR_MEMORY);
  assert_null(memory);
  assert_non_null(strstr(ht_error_message(), "the image"));
  ht_grid grid = ht_grid_make(1 << 20, 1 << 20, 1 << 20);
  ht_volume volume;
  assert_int_equal(ht_volume_alloc(&grid, &volume), HT_ERR_MEMORY);
  assert_null(volume.values);
  ht_volume_free(&volume);
  ht_mask mask;
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_ERR_MEMORY);
  assert_null(mask.inside);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plain_grid_counts_from_the_origin),
      cmocka_unit_test(a_linear_index_is_a_place),
      cmocka_unit_test(a_column_is_the_direction_of_an_index_axis),
      cmocka_unit_test(oblique_positions_round_trip),
      cmocka_unit_test(left_handed_positions_round_trip),
      cmocka_unit_test(the_origin_is_the_centre_of_the_first_voxel),
      cmocka_unit_test(vectors_turn_without_scaling_and_in_place),
      cmocka_unit_test(isotropic_is_the_same_spacing_to_a_ten_thousandth),
      cmocka_unit_test(a_grid_without_voxels_is_refused),
      cmocka_unit_test(a_grid_too_large_to_be_true_is_refused),
      cmocka_unit_test(spacing_and_origin_have_to_be_sane),
      cmocka_unit_test(axes_have_to_be_orthonormal),
      cmocka_unit_test(rounded_axes_pass),
      cmocka_unit_test(images_start_empty_and_can_be_freed_twice),
      cmocka_unit_test(a_mask_counts_what_is_not_zero),
      cmocka_unit_test(the_nearest_voxel_is_the_first_of_the_nearest),
      cmocka_unit_test(what_is_within_reach_is_in_a_box),
      cmocka_unit_test(too_large_an_image_is_a_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

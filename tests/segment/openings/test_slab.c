/* The flow through sections of a straight tube, summed over voxels: at every place, along axes and
 * diagonals of the lattice, and of planes that cut the tube obliquely. */
#include "tests/check.h"
#include "segment/openings/slab.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"

enum { SIDE = 44 };
static const double mm = 0.5, radius = 6; /* voxels: 12 across */

/* Distance of a voxel from the tube's axis, in radii. */
static double off_axis(const double along[3], int64_t voxel) {
  double from[3] = {(double)(voxel % SIDE), (double)(voxel / SIDE % SIDE),
                    (double)(voxel / (SIDE * SIDE))};
  for (int a = 0; a < 3; a++) from[a] -= SIDE / 2.0 + 0.1 * a;
  double forth = ht_dot(from, along);
  return sqrt(fmax(0, ht_dot(from, from) - forth * forth)) / radius;
}

/* Poiseuille's flow, of 1 on the axis, through the plane `at` voxels along it from the middle; as a
 * share of what it is. */
static double flow_share(const ht_mask *mask, const double along[3], const double normal[3],
                         double at, double shift) {
  double across[2][3], centre_mm[3], away, sum = 0;
  ht_section section;
  ht_slab slab;
  ht_span_across(normal, across);
  for (int r = 0; r < 3; r++) centre_mm[r] = mm * (SIDE / 2.0 + 0.1 * r + at * along[r]);
  ht_sheet sheet = ht_sheet_across(&mask->grid, centre_mm, across, mm / 2);
  assert_int_equal(ht_section_find(mask, &sheet, 4, &section, &away), HT_OK);
  assert_true(section.count > 0);
  assert_int_equal(ht_slab_find(mask, &sheet, &section, along, shift * mm, &slab), HT_OK);
  for (int64_t n = 0; n < slab.count; n++) {
    double off = off_axis(along, slab.voxel[n]);
    assert_true(mask->inside[slab.voxel[n]]);
    sum += slab.weight_mm2[n] * (1 - off * off) * ht_dot(along, normal);
  }
  ht_slab_free(&slab);
  ht_section_free(&section);
  return sum / (HT_PI * radius * radius * mm * mm / 2);
}

static void check_tube(double x, double y, double z) {
  const double lean[3] = {0.3, -0.2, 0.25}; /* of the oblique plane's normal */
  double along[3] = {x, y, z}, normal[3];
  ht_grid grid = ht_grid_make(SIDE, SIDE, SIDE);
  ht_mask mask;
  ht_normalise(along);
  for (int r = 0; r < 3; r++) grid.spacing_mm[r] = mm, normal[r] = along[r] + lean[r];
  ht_normalise(normal);
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) mask.inside[v] = off_axis(along, v) < 1;
  for (double at = 0; at < 2; at += 0.13) {
    assert_float_equal(flow_share(&mask, along, along, at, 0), 1, 0.003);
    assert_float_equal(flow_share(&mask, along, along, at, -1.7), 1, 0.003);
    assert_float_equal(flow_share(&mask, along, normal, at, 0), 1, 0.003);
  }
  ht_mask_free(&mask);
}

HT_TEST(test_flow_of_a_tube) {
  check_tube(0, 0, 1);
  check_tube(1, 1, 0);
  check_tube(1, 1, 1);
  check_tube(0.35, 0.22, 0.91);
  check_tube(0.05, 1, 0.02);
}

/* Another vessel next to the section is not a part of it. */
HT_TEST(test_a_vessel_beside) {
  const double along[3] = {0, 0, 1};
  ht_grid grid = ht_grid_make(SIDE, SIDE, SIDE);
  ht_mask mask;
  for (int r = 0; r < 3; r++) grid.spacing_mm[r] = mm;
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++)
    mask.inside[v] = off_axis(along, v) < 1 || off_axis(along, v) > 1.5;
  assert_float_equal(flow_share(&mask, along, along, 0.4, 0), 1, 0.003);
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_flow_of_a_tube),
                                     cmocka_unit_test(test_a_vessel_beside)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

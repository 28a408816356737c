/* The fastest place of a vessel: its area, and the flow that branches leave for it. */
#include "tests/check.h"
#include "segment/openings/throat.h"
#include "core/numbers/units.h"

enum { SIDE = 60, LENGTH = 120 };
static const double mm = 0.5, middle = 29.5;

typedef struct {
  double throat, throat_z; /* radius and place of the narrowing, voxels */
  double tilt;             /* of the pipe, voxels along x for each along z */
  double branch;           /* radius of the side branch along x at z = 30; 0: none */
} vessel;

static int is_inside(const vessel *of, double x, double y, double z) {
  double away = z - of->throat_z, r = 12 - (12 - of->throat) * exp(-away * away / 60);
  double across = (x - middle - of->tilt * (z - LENGTH / 2.0)) / sqrt(1 + of->tilt * of->tilt);
  if (across * across + (y - middle) * (y - middle) < r * r) return 1;
  return x > middle && hypot(y - middle, z - 30) < of->branch;
}

static void make(const vessel *of, ht_mask *mask) {
  ht_grid grid = {.dim = {SIDE, SIDE, LENGTH},
                  .spacing_mm = {mm, mm, mm},
                  .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  assert_int_equal(ht_mask_alloc(&grid, mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++)
    mask->inside[v] = (uint8_t)is_inside(of, (double)(v % SIDE), (double)(v / SIDE % SIDE),
                                         (double)(v / (SIDE * SIDE)));
}

/* An inlet at z = 0, an outlet at the other end, one at the branch. */
static ht_throat throat_of(const vessel *of, double branch_share) {
  double shift = of->tilt * LENGTH / 2;
  ht_openings openings = {
      .count = 3,
      .item = {{.role = HT_ROLE_INLET,
                .flow_ml_s = 20,
                .centre_mm = {(middle - shift) * mm, middle * mm, 0},
                .radius_mm = 12 * mm},
               {.role = HT_ROLE_OUTLET,
                .centre_mm = {(middle + shift) * mm, middle * mm, (LENGTH - 1) * mm},
                .radius_mm = 12 * mm},
               {.role = of->branch > 0 ? HT_ROLE_OUTLET : HT_ROLE_WALL,
                .centre_mm = {(SIDE - 1) * mm, middle * mm, 30 * mm},
                .radius_mm = of->branch * mm}}};
  const double out_ml_s[] = {0, 20 * (1 - branch_share), 20 * branch_share};
  ht_mask mask;
  ht_throat throat;
  make(of, &mask);
  assert_int_equal(ht_throat_find(&mask, &openings, out_ml_s, &throat), HT_OK);
  ht_mask_free(&mask);
  return throat;
}

static void assert_about(double got, double expected, double share) {
  if (!(fabs(got / expected - 1) <= share)) fail_msg("%.5g, expected %.5g", got, expected);
}

static double disc_mm2(double radius) {
  return HT_PI * radius * radius * mm * mm;
}

HT_TEST(test_a_narrowing) {
  for (double radius = 4; radius <= 8; radius += 2) {
    const vessel of = {.throat = radius, .throat_z = 70};
    ht_throat throat = throat_of(&of, 0);
    assert_about(throat.area_mm2, disc_mm2(radius), 0.05);
    assert_about(throat.speed_m_s, 20 / disc_mm2(radius), 0.05);
    assert_near(throat.centre_mm[2], 70 * mm, 2);
    assert_about(throat.flow_ml_s, 20, 1e-9);
    assert_about(throat.to_outlet_mm[1], (LENGTH - 1 - 70) * mm, 0.08);
    assert_true(throat.to_outlet_mm[0] == 0 && throat.to_outlet_mm[2] == 0);
  }
}

/* The section lies across the vessel, not across an axis of the grid. */
HT_TEST(test_an_oblique_narrowing) {
  const vessel of = {.throat = 6, .throat_z = 60, .tilt = 0.3};
  assert_about(throat_of(&of, 0).speed_m_s, 20 / disc_mm2(6), 0.06);
}

/* Flow that leaves before the throat does not go through it; flow that leaves after it does. */
HT_TEST(test_branches_are_subtracted) {
  const vessel before = {.throat = 6, .throat_z = 70, .branch = 6};
  assert_about(throat_of(&before, 0.4).flow_ml_s, 12, 1e-6);
  assert_about(throat_of(&before, 0.4).speed_m_s, 12 / disc_mm2(6), 0.05);
  assert_true(throat_of(&before, 0.4).to_outlet_mm[2] == 0); /* it leaves before the throat */
  const vessel thin = {.throat = 12, .throat_z = 70, .branch = 4};
  assert_about(throat_of(&thin, 0.4).speed_m_s, 8 / disc_mm2(4), 0.06);
}

/* A straight pipe is fastest at its openings; it has no throat. */
HT_TEST(test_a_straight_pipe) {
  const vessel of = {.throat = 12};
  assert_about(throat_of(&of, 0).speed_m_s, 20 / disc_mm2(12), 0.03);
}

static void test_without_an_inlet(void **state) {
  ht_openings openings = {.count = 0};
  ht_mask mask;
  ht_throat throat;
  (void)state;
  const vessel of = {.throat = 12};
  make(&of, &mask);
  assert_int_equal(ht_throat_find(&mask, &openings, NULL, &throat), HT_OK);
  assert_true(throat.speed_m_s == 0);
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_narrowing),
      cmocka_unit_test(test_an_oblique_narrowing),
      cmocka_unit_test(test_branches_are_subtracted),
      cmocka_unit_test(test_a_straight_pipe),
      cmocka_unit_test(test_without_an_inlet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

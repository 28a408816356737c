/* run/lattice/run_extensions: the lengths of the outlets' extensions: more where the jet of a
 * narrowing may reach them. */
#include "tests/check.h"
#include "run/lattice/run_extensions.h"
#include "core/numbers/units.h"

enum { SIDE = 30, LENGTH = 120 };
static const double middle = 14.5, radius = 12, throat_radius = 5;
static int collision = -1; /* auto */
static ht_case settings;
static ht_run_vessel vessel;

static void make_pipe(double throat_z, double throat) {
  ht_grid grid = {.dim = {SIDE, SIDE, LENGTH},
                  .spacing_mm = {1, 1, 1},
                  .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  assert_int_equal(ht_mask_alloc(&grid, &vessel.mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    double x = (double)(v % SIDE), y = (double)(v / SIDE % SIDE), z = (double)(v / (SIDE * SIDE));
    double away = z - throat_z, r = radius - (radius - throat) * exp(-away * away / 60);
    vessel.mask.inside[v] = (uint8_t)(hypot(x - middle, y - middle) < r);
  }
}

/* Returns the diameters of the outlet's extension. */
static double extended(double throat_z, double throat, double flow_ml_s, double asked) {
  double diameters[HT_OPENINGS_MAX];
  ht_case_defaults(&settings);
  settings.extensions.outlet_diameters = asked;
  settings.collision = collision;
  vessel.placed.openings = (ht_openings){.count = 2,
                                         .item = {{.role = HT_ROLE_INLET,
                                                   .flow_ml_s = flow_ml_s,
                                                   .centre_mm = {middle, middle, 0},
                                                   .radius_mm = radius},
                                                  {.role = HT_ROLE_OUTLET,
                                                   .name = "outlet",
                                                   .centre_mm = {middle, middle, LENGTH - 1},
                                                   .radius_mm = radius}}};
  make_pipe(throat_z, throat);
  assert_int_equal(ht_run_extensions(&settings, &vessel, 0, diameters), HT_OK);
  ht_mask_free(&vessel.mask);
  assert_true(diameters[0] == settings.extensions.inlet_diameters);
  return diameters[1];
}

/* The jet of a throat of 10 mm reaches 100 mm: 51 more than there are before the outlet. */
HT_TEST(test_a_jet) {
  double more = 1 + (10 * 2 * throat_radius - (LENGTH - 1 - 70)) / (2 * radius);
  assert_near(extended(70, throat_radius, 80, -1), more, 0.35);
  assert_true(extended(70, throat_radius, 80, 1) == 1); /* as prescribed */
  assert_true(extended(30, 3, 80, -1) == 1);            /* 60 mm, and 89 to the outlet */
}

HT_TEST(test_no_jet) {
  assert_true(extended(70, radius, 80, -1) == 1);       /* no narrowing */
  assert_true(extended(70, 9, 80, -1) == 1);            /* one of 44 % */
  assert_true(extended(70, throat_radius, 5, -1) == 1); /* too slow for sponges */
  collision = HT_MRT;
  assert_true(extended(70, throat_radius, 80, -1) == 1); /* the same */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_jet), cmocka_unit_test(test_no_jet)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

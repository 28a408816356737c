/* phantom/phantom_kinds: the options of each kind, and the measures of the vessels that they ask
 * for.
 */
#include "tests/check.h"
#include "tests/phantom/phantom_check.h"
#include "phantom/phantom_shapes.h"
#include "core/numbers/units.h"
#include <stdlib.h>
#include <string.h>

HT_TEST(options_of_other_kinds_are_refused) {
  ht_phantom_options good, bad;
  ht_phantom_defaults(HT_PHANTOM_PIPE, &good);
  bad = good, bad.severity_percent = 50;
  assert_refused(&bad, "severity");
  bad = good, bad.eccentricity_percent = 0;
  assert_refused(&bad, "eccentricity");
  bad = good, bad.is_child = 1;
  assert_refused(&bad, "child");
  bad = good, bad.reynolds = 100;
  assert_refused(&bad, "Reynolds");
  bad = good, bad.flow_ml_s = -1;
  assert_refused(&bad, "flow");
  ht_phantom_defaults(HT_PHANTOM_STENOSIS, &good);
  bad = good, bad.severity_percent = 91;
  assert_refused(&bad, "severity");
  bad = good, bad.eccentricity_percent = 25.1; /* 75 per cent leave half of the diameter */
  assert_refused(&bad, "eccentricity");
  bad = good, bad.reynolds = 100, bad.flow_ml_s = 1;
  assert_refused(&bad, "both");
}

static ht_shape *shape_with(ht_phantom_kind kind, double severity_percent, int is_child) {
  ht_phantom_options options;
  ht_shape *shape;
  ht_phantom_defaults(kind, &options);
  options.severity_percent = severity_percent;
  options.is_child = is_child;
  if (ht_shape_make(&options, &shape) != HT_OK) fail_msg("%s", ht_error_message());
  return shape;
}

/* Way from the throat's centre to the wall in a direction. */
static double reach(const ht_shape *shape, const double direction[3]) {
  double low = 0, high = 20;
  for (int i = 0; i < 40; i++) {
    double middle = 0.5 * (low + high), p[3];
    for (int c = 0; c < 3; c++) p[c] = shape->narrowing.throat_centre_mm[c] + middle * direction[c];
    *(ht_shape_distance(shape, p, NULL) < 0 ? &low : &high) = middle;
  }
  return low;
}

/* The severity is of the area; across the arch and outwards from its middle the throat has the
 * radius that it leaves of 10 mm. */
HT_TEST(a_coarctation_has_its_severity) {
  const double across[3] = {21 / hypot(14, 21), -14 / hypot(14, 21), 0};
  const double radius_mm[] = {7.746, 6.708, 5.477, 4.472}, severity[] = {40, 55, 70, 80};
  for (int i = 0; i < 4; i++) {
    ht_shape *shape = shape_with(HT_PHANTOM_COARCTATION, severity[i], 0);
    double outward[3], size = 0;
    for (int c = 0; c < 3; c++)
      outward[c] = shape->narrowing.throat_centre_mm[c] - (c == 2 ? 2 : 0);
    for (int c = 0; c < 3; c++) size += outward[c] * outward[c];
    for (int c = 0; c < 3; c++) outward[c] /= sqrt(size);
    assert_near(shape->narrowing.throat_diameter_mm, 2 * radius_mm[i], 2e-3);
    assert_near(shape->narrowing.severity_area_percent, severity[i], 1e-9);
    assert_near(reach(shape, across) / radius_mm[i], 1, 0.01);
    assert_near(reach(shape, outward) / radius_mm[i], 1, 0.01);
    assert_near(shape->tube[0].point[shape->tube[0].points - 1][3], 10, 1e-9);
    assert_near(shape->tube[0].end[0].flow_ml_s, 80, 0);
    free(shape);
  }
}

HT_TEST(a_childs_aorta_is_a_small_adults) {
  ht_shape *adult = shape_with(HT_PHANTOM_COARCTATION, 60, 0);
  ht_shape *child = shape_with(HT_PHANTOM_COARCTATION, 60, 1);
  ht_shape *published = shape_with(HT_PHANTOM_COARCTATION, NAN, 1);
  for (int n = 0; n < 200; n++) {
    double p[3] = {-20 + 0.2 * n, 15 - 0.1 * n, -45 + 0.5 * n}, small[3];
    for (int c = 0; c < 3; c++) small[c] = 0.545 * p[c];
    assert_near(ht_shape_distance(child, small, NULL), 0.545 * ht_shape_distance(adult, p, NULL),
                1e-9);
  }
  assert_near(child->narrowing.reference_diameter_mm, 10.9, 1e-9);
  assert_near(published->narrowing.throat_diameter_mm, 4.5, 1e-9);
  assert_near(published->tube[0].end[0].flow_ml_s, 55, 0);
  free(adult);
  free(child);
  free(published);
}

/* Places before, in and after the throat, next to the step and in the cone. */
HT_TEST(the_nozzle_has_the_benchmarks_measures) {
  const double slope = 10 * HT_PI / 180, end = 40 + 4 / tan(slope);
  const double place[][4] = {/* r, z, distance */
                             {0, -80, -6},    {1, -20, -1}, {2.5, -20, 0.5}, {2.5, 0.3, -0.3},
                             {5.5, 10, -0.5}, {1, 0.0, -1}, {0, 40, -6}};
  for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
    const double p[3] = {0.6 * place[i][0], 0.8 * place[i][0], place[i][1]};
    assert_near(ht_phantom_distance(HT_PHANTOM_FDA_NOZZLE, p), place[i][2], 1e-9);
  }
  const double cone[3] = {4, 0, -0.5 * (40 + end)};
  assert_near(ht_phantom_distance(HT_PHANTOM_FDA_NOZZLE, cone), 0, 1e-9);
  ht_phantom_options options;
  ht_shape *shape;
  ht_phantom_defaults(HT_PHANTOM_FDA_NOZZLE, &options);
  options.reynolds = 5000;
  assert_int_equal(ht_shape_make(&options, &shape), HT_OK);
  assert_near(shape->tube[0].end[0].flow_ml_s, 52.0624, 1e-3); /* of the laboratories */
  assert_near(shape->narrowing.throat_velocity_m_s, 4.143, 1e-3);
  free(shape);
}

HT_TEST(a_stenosis_may_be_off_its_axis) {
  ht_phantom_options options;
  ht_shape *shape;
  const double along_x[3] = {1, 0, 0}, against_x[3] = {-1, 0, 0}, along_y[3] = {0, 1, 0};
  ht_phantom_defaults(HT_PHANTOM_STENOSIS, &options);
  options.severity_percent = 64, options.eccentricity_percent = 10;
  assert_int_equal(ht_shape_make(&options, &shape), HT_OK);
  assert_near(shape->narrowing.throat_centre_mm[0], 0.6, 1e-12);
  assert_near(reach(shape, along_x), 1.8, 0.02);
  assert_near(reach(shape, against_x), 1.8, 0.02);
  assert_near(reach(shape, along_y), 1.8, 0.02);
  const double upstream[3] = {0, 0, -50}, downstream[3] = {0, 0, 30};
  assert_near(ht_shape_distance(shape, upstream, NULL), -3, 1e-3);
  assert_near(ht_shape_distance(shape, downstream, NULL), -3, 1e-3);
  free(shape);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_of_other_kinds_are_refused),
      cmocka_unit_test(a_coarctation_has_its_severity),
      cmocka_unit_test(a_childs_aorta_is_a_small_adults),
      cmocka_unit_test(the_nozzle_has_the_benchmarks_measures),
      cmocka_unit_test(a_stenosis_may_be_off_its_axis),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

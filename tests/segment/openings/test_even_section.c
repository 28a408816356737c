/* Tests the section after an inlet, from the sections along a path. */
#include "tests/check.h"
#include "segment/openings/even_section.h"
#include "core/numbers/units.h"

enum { STATIONS = 200 };
static ht_station station[STATIONS];

/* Every half mm; `width`: of the section there. */
static ht_vessel_path path_of(int stations, double (*width)(double along_mm)) {
  for (int s = 0; s < stations; s++) {
    double mm = width(0.5 * s);
    station[s] = (ht_station){.along_mm = 0.5 * s, .area_mm2 = HT_PI * mm * mm / 4};
  }
  return (ht_vessel_path){.stations = stations, .station = station};
}

static double width_of(const ht_vessel_path *path) {
  return 2 * sqrt(ht_even_section_mm2(path) / HT_PI);
}

/* Width where the vessel leaves the scan askew: 9 mm at first, and a branch follows after 20 mm. */
static double askew(double along_mm) {
  return along_mm < 3 ? 9 - 5 * along_mm / 3 : along_mm < 20 ? 4 : 3;
}

static double thin_begin(double along_mm) {
  return along_mm < 2.5 ? 2.5 : 4;
}

HT_TEST(test_the_border_does_not_count) {
  ht_vessel_path path = path_of(STATIONS, askew);
  assert_near(width_of(&path), 4, 1e-6);
  path = path_of(STATIONS, thin_begin);
  assert_near(width_of(&path), 4, 1e-6);
  path = path_of(20, askew); /* 9.5 mm: the middle half */
  assert_near(width_of(&path), 4, 0.6);
  path.stations = 0;
  assert_true(width_of(&path) == 0);
}

/* A bend in which the vessel is taken for wider, for two diameters. */
static double bulged(double along_mm) {
  return along_mm > 5 && along_mm < 13 ? 5.5 : 4;
}

static double bulged_earlier(double along_mm) {
  return bulged(along_mm + 4);
}

/* Two inlets that lie a diameter apart before a bend have one width. */
HT_TEST(test_a_moved_inlet) {
  ht_vessel_path path = path_of(STATIONS, bulged);
  assert_near(width_of(&path), 4, 1e-6);
  path = path_of(STATIONS, bulged_earlier);
  assert_near(width_of(&path), 4, 1e-6);
}

/* Sections in the mouth of a branch do not count, and nothing else is left where all are such. */
HT_TEST(test_mixed_sections) {
  ht_vessel_path path = path_of(STATIONS, thin_begin);
  for (int s = 12; s < 18; s++) station[s].is_mixed = 1, station[s].area_mm2 *= 3;
  assert_near(width_of(&path), 4, 1e-6);
  for (int s = 0; s < STATIONS; s++) station[s].is_mixed = 1;
  assert_true(width_of(&path) > 3.9);
}

static double waved(double along_mm) {
  return 4 + sin(along_mm);
}

/* Whether a little more or less than half of the sections have a part of something else does not
 * matter. */
HT_TEST(test_half_mixed) {
  ht_vessel_path path = path_of(STATIONS, waved);
  for (int more = 0; more < 2; more++) {
    for (int s = 0; s < STATIONS; s++) station[s].is_mixed = waved(0.5 * s) > (more ? 3.9 : 4.1);
    assert_near(width_of(&path), 4, 0.1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_border_does_not_count),
      cmocka_unit_test(test_a_moved_inlet),
      cmocka_unit_test(test_mixed_sections),
      cmocka_unit_test(test_half_mixed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

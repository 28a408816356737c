#define _POSIX_C_SOURCE 200809L
#include "tests/check.h"

#include "run/process/console.h"
#include "run/openings/place_flows.h"
#include "run/openings/place_warn.h"
#include "run/case/override.h"
#include "run/openings/place_named.h"
#include "run/openings/placed.h"
#include "core/numbers/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ht_placed written, placed;

HT_TEST(test_round_trip) {
  char file[] = "/tmp/hemotile-test-XXXXXX";
  int descriptor = mkstemp(file);
  assert_true(descriptor >= 0);
  close(descriptor);
  written.openings.count = 2;
  strcpy(written.mask_sha256, "abc");
  written.ignored = 3;
  for (int i = 0; i < 2; i++) {
    ht_opening *one = &written.openings.item[i];
    snprintf(one->name, sizeof one->name, "opening-%d", i);
    one->role = i ? HT_ROLE_OUTLET : HT_ROLE_INLET;
    for (int a = 0; a < 3; a++) one->centre_mm[a] = 1.0 / (3 + a + i), one->normal[a] = a - 0.1;
    one->direction[2] = 1;
    one->area_mm2 = 0.1 + i;
    one->radius_mm = 0.7;
    one->at_border = i;
    one->flow_ml_s = i ? 0 : 2.2;
    one->pressure_pa = i ? 7 : 0;
  }
  written.asked_cut[0] = 1;
  written.asked_normal[0][1] = 0.3;
  assert_int_equal(ht_placed_write(file, &written), HT_OK);
  assert_int_equal(ht_placed_read(file, &placed), HT_OK);
  assert_memory_equal(&placed, &written, sizeof placed);
  written.openings.item[1].centre_mm[2] = 1e300; /* no voxel's number */
  assert_int_equal(ht_placed_write(file, &written), HT_OK);
  assert_int_equal(ht_placed_read(file, &placed), HT_ERR_FORMAT);
  FILE *stream = fopen(file, "w");
  fputs("{\"openings\": [{\"name\": \"x\"}]}\n", stream);
  fclose(stream);
  assert_int_equal(ht_placed_read(file, &placed), HT_ERR_FORMAT);
  assert_int_equal(placed.openings.count, 0);
  unlink(file);
}

/* Checks that an opening that the command line names gets the place that was found for it. */
HT_TEST(test_a_name_finds_its_place) {
  static ht_case settings;
  char folder[] = "/tmp/hemotile-test-XXXXXX", path[64];
  double off;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/openings.json", folder);
  ht_placed known = {.openings = {1,
                                  {{.name = "branch",
                                    .role = HT_ROLE_OUTLET,
                                    .radius_mm = 1,
                                    .normal = {0, 0, 1},
                                    .direction = {0, 0, 1},
                                    .area_mm2 = 3,
                                    .centre_mm = {1, 2, 3}}}}};
  ht_case_defaults(&settings);
  settings.openings = 2;
  strcpy(settings.opening[0].name, "branch");
  settings.opening[1] = (ht_case_opening){.name = "own", .line = 7};
  assert_int_equal(ht_place_named(&settings, folder), HT_ERR_USAGE);
  assert_int_equal(ht_placed_write(path, &known), HT_OK);
  assert_int_equal(ht_place_named(&settings, folder), HT_OK);
  assert_true(settings.opening[0].has_near && settings.opening[0].near_mm[2] == 3);
  assert_int_equal(settings.opening[0].role, HT_ROLE_OUTLET);
  assert_false(settings.opening[1].has_near); /* of a file: reported with its line */
  assert_int_equal(ht_place_of_entry(&settings.opening[0], &known.openings, &off), 0);
  assert_true(off == 0);
  strcpy(settings.opening[0].name, "renamed");
  assert_int_equal(ht_place_of_entry(&settings.opening[0], &known.openings, &off), 0);
  settings.opening[0].near_mm[2] = 10;
  assert_int_equal(ht_place_of_entry(&settings.opening[0], &known.openings, &off), -1);
  strcpy(settings.opening[0].name, "branch");
  assert_int_equal(ht_place_of_entry(&settings.opening[0], &known.openings, &off), 0);
  assert_true(off == 7);
  strcpy(settings.opening[0].name, "gone");
  settings.opening[0].has_near = 0;
  assert_int_equal(ht_place_named(&settings, folder), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), "no opening 'gone'; there are 'branch'"));
  unlink(path);
  rmdir(folder);
}

/* Checks that two openings can change names, also where the case lists neither, and that no name is
 * given twice. */
HT_TEST(test_two_change_names) {
  static ht_case settings;
  char folder[] = "/tmp/hemotile-test-XXXXXX", path[64];
  double off;
  ht_placed known = {.openings.count = 2};
  for (int i = 0; i < 2; i++)
    known.openings.item[i] = (ht_opening){.name = {(char)('a' + i)},
                                          .role = HT_ROLE_OUTLET,
                                          .radius_mm = 1,
                                          .normal = {0, 0, 1},
                                          .direction = {0, 0, 1},
                                          .area_mm2 = 3,
                                          .centre_mm = {10 * i, 0, 0}};
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/openings.json", folder);
  assert_int_equal(ht_placed_write(path, &known), HT_OK);
  ht_case_defaults(&settings);
  for (int both = 0; both < 2; both++) {
    settings.openings = 0;
    ht_case_override(&settings, "openings.a.name", "b", "here", HT_ERR_CASE);
    if (both) ht_case_override(&settings, "openings.b.name", "a", "here", HT_ERR_CASE);
    assert_int_equal(ht_place_named(&settings, folder), both ? HT_OK : HT_ERR_USAGE);
    if (!both) assert_non_null(strstr(ht_error_message(), "another opening is called 'b'"));
  }
  assert_int_equal(settings.openings, 2);
  assert_string_equal(settings.opening[0].name, "b");
  assert_int_equal(ht_case_override(&settings, "openings.b.pressure_pa", "7", "here", HT_ERR_CASE),
                   HT_OK);
  assert_true(settings.opening[1].pressure_pa == 7); /* which was called b */
  assert_true(settings.opening[0].near_mm[0] == 0 && settings.opening[1].near_mm[0] == 10);
  for (int i = 0; i < 2; i++)
    assert_int_equal(ht_place_of_entry(&settings.opening[i], &known.openings, &off), i);
  unlink(path);
  rmdir(folder);
}

/* The relation's own figures: an internal carotid of 5 mm has about 2.4 mL/s. */
HT_TEST(test_usual_flow) {
  double area_mm2 = HT_PI * 2.5 * 2.5;
  double flow = ht_usual_flow_ml_s(area_mm2);
  assert_true(flow > 2.3 && flow < 2.5);
  double wide = ht_usual_flow_ml_s(100); /* 1 cm2 */
  assert_true(wide > 48.2 && wide < 48.22);
}

/* A carotid of 5 mm: 4 mL/s, and the same in L/min and in mL/min. The usual flow of no vessel, and
 * what is measured in a middle cerebral artery and an aorta, is unusual. */
HT_TEST(test_unusual_flow) {
  double area_mm2 = HT_PI * 2.5 * 2.5;
  assert_false(ht_flow_is_unusual(4, area_mm2));
  assert_true(ht_flow_is_unusual(4 * 60e-3, area_mm2));
  assert_true(ht_flow_is_unusual(4 * 60, area_mm2));
  assert_false(ht_flow_is_unusual(2.3, HT_PI * 1.35 * 1.35));
  assert_false(ht_flow_is_unusual(80, HT_PI * 12.5 * 12.5));
  assert_true(ht_flow_is_unusual(4.8, HT_PI * 12.5 * 12.5)); /* 4.8 L/min */
  for (double radius_mm = 0.2; radius_mm < 5; radius_mm *= 1.1) {
    double area = HT_PI * radius_mm * radius_mm;
    assert_false(ht_flow_is_unusual(ht_usual_flow_ml_s(area), area));
  }
}

/* Counts the warnings of an inlet and an outlet of these radii. */
static int warnings_of(double inlet_mm, double outlet_mm) {
  static ht_openings openings;
  int before = ht_console_warnings();
  openings.count = 2;
  openings.item[0] = (ht_opening){.name = "in", .role = HT_ROLE_INLET, .radius_mm = inlet_mm};
  openings.item[1] = (ht_opening){.name = "out", .role = HT_ROLE_OUTLET, .radius_mm = outlet_mm};
  ht_place_warn_of_narrow_inlet(&openings);
  return ht_console_warnings() - before;
}

HT_TEST(test_wide_outlet) {
  assert_int_equal(warnings_of(2, 1), 0);
  assert_int_equal(warnings_of(2, 2.4), 0);
  assert_int_equal(warnings_of(1, 2), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),       cmocka_unit_test(test_a_name_finds_its_place),
      cmocka_unit_test(test_two_change_names), cmocka_unit_test(test_usual_flow),
      cmocka_unit_test(test_unusual_flow),     cmocka_unit_test(test_wide_outlet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

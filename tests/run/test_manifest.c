/* run/record/manifest: a grid is taken whole or not at all; what a run repeats is read back as it
 * was. */
#define _POSIX_C_SOURCE 200809L
#include "tests/check.h"

#include "run/record/manifest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ht_manifest manifest;

static int first_dim_of(const char *dim) {
  char file[] = "/tmp/hemotile-test-XXXXXX";
  int descriptor = mkstemp(file);
  assert_true(descriptor >= 0);
  FILE *stream = fdopen(descriptor, "w");
  assert_non_null(stream);
  fprintf(stream,
          "{\"mask_grid\": {\"dim\": [3, %s, 3], \"spacing_mm\": [1, 1, 1], "
          "\"origin_mm\": [0, 0, 0], \"direction\": [1, 0, 0, 0, 1, 0, 0, 0, 1]}}\n",
          dim);
  fclose(stream);
  assert_int_equal(ht_manifest_read(file, &manifest), HT_OK);
  unlink(file);
  return manifest.mask_grid.dim[0];
}

HT_TEST(test_grid) {
  static const char *const wrong[] = {"6e71", "-6e71", "3e9", "2.5", "0", "null", "x"};
  assert_int_equal(first_dim_of("4"), 3);
  assert_int_equal(manifest.mask_grid.dim[1], 4);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    if (first_dim_of(wrong[i]) != 0) fail_msg("dim %s was taken", wrong[i]);
}

static void write_to(char file[], const ht_manifest *written, const ht_case *settings) {
  strcpy(file, "/tmp/hemotile-test-XXXXXX");
  int descriptor = mkstemp(file);
  assert_true(descriptor >= 0);
  close(descriptor);
  assert_int_equal(ht_manifest_write(file, written, settings), HT_OK);
}

/* Sets a key of every type, each to another value than its default. */
static void set_some(ht_case *settings) {
  const double place[][3] = {{1.25, -2, 1. / 3}, {4, 5, 6e-7}};
  ht_case_defaults(settings);
  strcpy(settings->waveform, "carotid");
  settings->patient.kind = HT_PATIENT_AORTA;
  settings->patient.blood_pressure_mmhg[0] = 140;
  settings->patient.blood_pressure_mmhg[1] = 75;
  settings->segment.lower = 180.1;
  settings->segment.spacing_mm = 0.1;
  settings->segment.points = 2;
  memcpy(settings->segment.point_mm, place, sizeof place);
  settings->has_region_min = settings->has_region_max = 1;
  settings->segment.region_min_mm[0] = -10;
  settings->segment.region_max_mm[2] = 10;
  settings->solver.precision = HT_FP64;
  settings->solver.cycles = 4;
  settings->solver.steady_tolerance = 3e-6;
  settings->others_wall = 1;
  settings->openings = 2;
  settings->opening[0] = (ht_case_opening){.name = "in \"a\"",
                                           .role = HT_ROLE_INLET,
                                           .has_near = 1,
                                           .near_mm = {1, 2, 3.3},
                                           .flow_ml_s = 4.5};
  settings->opening[1] = (ht_case_opening){.name = "out",
                                           .role = HT_ROLE_OUTLET,
                                           .has_centre = 1,
                                           .centre_mm = {7, 8, 9},
                                           .has_normal = 1,
                                           .normal = {0, 0.6, 0.8},
                                           .pressure_pa = -12.5,
                                           .has_windkessel = 1,
                                           .windkessel = {0.1, 0.2, 0.3}};
}

HT_TEST(test_settings) {
  static ht_case before, after;
  char file[40], one[HT_HASH_TEXT], other[HT_HASH_TEXT], none[HT_HASH_TEXT];
  ht_case_defaults(&after);
  assert_int_equal(ht_case_hash(&after, HT_HASH_FLOW, none), HT_OK);
  set_some(&before);
  write_to(file, &(ht_manifest){.input_files = 1}, &before);
  assert_int_equal(ht_case_read_record(file, &after), HT_OK);
  unlink(file);
  for (ht_hash_of of = HT_HASH_FLOW; of <= HT_HASH_MASK; of++) {
    assert_int_equal(ht_case_hash(&before, of, one), HT_OK);
    assert_int_equal(ht_case_hash(&after, of, other), HT_OK);
    assert_string_equal(one, other);
  }
  assert_string_not_equal(one, none);
  assert_string_equal(after.opening[0].name, before.opening[0].name);
  assert_memory_equal(after.segment.point_mm, before.segment.point_mm, 6 * sizeof(double));
  assert_true(after.segment.has_region);
}

HT_TEST(test_record) {
  static ht_case settings;
  static ht_manifest before;
  char file[40], differs[512];
  before.reading =
      (ht_reading){.source = "scan", .phase = 3, .allow_gaps_mm = 2.5, .surface_unit = 2};
  strcpy(before.flow_sha256, "0123");
  assert_int_equal(ht_machine_now(HT_DEVICE_CPU, 1, &before.machine), HT_OK);
  ht_case_defaults(&settings);
  write_to(file, &before, &settings);
  assert_int_equal(ht_manifest_read(file, &manifest), HT_OK);
  unlink(file);
  assert_memory_equal(&manifest.reading, &before.reading, sizeof before.reading);
  assert_memory_equal(&manifest.machine, &before.machine, sizeof before.machine);
  assert_string_equal(manifest.flow_sha256, "0123");
  assert_false(ht_machine_differs(&manifest.machine, &before.machine, differs, sizeof differs));
  strcpy(manifest.machine.libc, "1.0");
  manifest.machine.cpu[0] = 0; /* an older record: not compared */
  assert_true(ht_machine_differs(&manifest.machine, &before.machine, differs, sizeof differs));
  assert_ptr_equal(strstr(differs, "C library 1.0 there, "), differs);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_grid), cmocka_unit_test(test_settings),
                                     cmocka_unit_test(test_record)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

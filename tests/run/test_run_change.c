#define _GNU_SOURCE
#include "tests/check.h"

#include "run/run_change.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static char folder[] = "/tmp/hemotile-test-XXXXXX", file[64], log_file[64];

static void put(const char *path, const char *text) {
  FILE *stream = fopen(path, "w");
  assert_non_null(stream);
  fputs(text, stream);
  fclose(stream);
}

static int enter(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(file, sizeof file, "%s/case.yaml", folder);
  snprintf(log_file, sizeof log_file, "%s/hemotile.log", folder);
  put(log_file, "a line\n");
  put(file, "scan: scan.nii.gz\nopenings:\n  - {name: in, role: inlet, near_mm: [1, 2, 3]}\n");
  return 0;
}

static int leave(void **state) {
  (void)state;
  unlink(file);
  unlink(log_file);
  return rmdir(folder);
}

static void read_back(char text[32768]) {
  FILE *stream = fopen(file, "r");
  assert_non_null(stream);
  text[fread(text, 1, 32767, stream)] = 0;
  fclose(stream);
}

/* Checks that a change writes what it says and nothing else, and that a refused one, of which a
 * part was allowed, writes nothing. */
HT_TEST(test_change) {
  static char before[32768], after[32768];
  const ht_setting flow[] = {{"openings.in.flow_ml_s", "2.5"}, {"lattice.nodes_across", "24"}};
  const ht_setting back[] = {{"openings.in.flow_ml_s", "auto"}, {"lattice.nodes_across", "auto"}};
  const ht_setting wrong[] = {{"lattice.nodes_across", "30"}, {"flow.cycles", "5.5"}};
  assert_int_equal(ht_run_change(folder, NULL, 0), HT_OK); /* as hemotile writes it */
  read_back(before);
  assert_int_equal(ht_run_change(folder, flow, 2), HT_OK);
  read_back(after);
  assert_non_null(strstr(after, "near_mm: [1, 2, 3], flow_ml_s: 2.5}"));
  assert_non_null(strstr(after, "nodes_across: 24"));
  assert_int_equal(ht_run_change(folder, back, 2), HT_OK);
  assert_int_equal(ht_run_change(folder, wrong, 2), HT_ERR_USAGE);
  assert_string_equal(ht_error_message(), "flow.cycles: cycles must be a whole number, not 5.5");
  read_back(after);
  assert_string_equal(after, before);
}

HT_TEST(test_busy_folder) {
  const ht_setting one = {"lattice.nodes_across", "24"};
  const int held = open(log_file, O_RDWR);
  assert_true(held >= 0 && flock(held, LOCK_EX) == 0);
  assert_int_equal(ht_run_change(folder, &one, 1), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), "another hemotile works in this folder"));
  close(held);
}

/* Checks what the page is told of the settings. */
HT_TEST(test_settings_json) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  const ht_setting one = {"flow.waveform", "carotid"};
  assert_int_equal(ht_run_change(folder, &one, 1), HT_OK);
  assert_int_equal(ht_run_settings_json(folder, stream), HT_OK);
  fclose(stream);
  assert_non_null(strstr(text, "\"name\": \"flow.steady_tolerance\""));
  assert_non_null(strstr(text, "\"value\": \"carotid\""));
  assert_non_null(strstr(text, "\"near_mm\": \"[1, 2, 3]\""));
  assert_null(strstr(text, "\"problem\""));
  assert_null(strstr(text, "scan.nii.gz")); /* no path */
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_change),
      cmocka_unit_test(test_busy_folder),
      cmocka_unit_test(test_settings_json),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}

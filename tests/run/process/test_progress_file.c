#define _GNU_SOURCE
#include "tests/check.h"

#include "run/process/console.h"
#include "run/process/progress_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/hemotile-test-XXXXXX", log_file[64], path[64];

static int enter(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(log_file, sizeof log_file, "%s/hemotile.log", folder);
  snprintf(path, sizeof path, "%s/progress.json", folder);
  return 0;
}

static int leave(void **state) {
  (void)state;
  unlink(log_file);
  return rmdir(folder); /* nothing else is left */
}

static void read_back(char text[8192]) {
  FILE *stream = fopen(path, "r");
  assert_non_null(stream);
  text[fread(text, 1, 8191, stream)] = 0;
  fclose(stream);
}

/* Checks what another process reads while a stage works, and that the file goes with the command.
 */
HT_TEST(test_console_writes_it) {
  char text[8192];
  FILE *stale = fopen(path, "w");
  fputs("of a killed command", stale);
  fclose(stale);
  ht_console_begin(1, "a test");
  assert_int_equal(ht_console_log(log_file), HT_OK);
  assert_int_equal(access(path, F_OK), -1);
  ht_console_stage("solve", 4, 5);
  const ht_progress *progress = ht_console_progress();
  ht_progress_number(progress, "limit", 100, 1e-7);
  ht_progress_number(progress, "change", 100, 1e-3);
  assert_int_equal(ht_progress_report(progress, "solve", 100, 1000, "a note"), HT_OK);
  read_back(text);
  assert_non_null(strstr(text, "\"stage\": \"solve\""));
  assert_non_null(strstr(text, "\"number\": 4"));
  assert_non_null(strstr(text, "\"total\": 1000"));
  assert_null(strstr(text, "a note"));
  ht_console_stage_end();
  ht_console_end();
  assert_int_equal(access(path, F_OK), -1);
}

/* Checks that a long curve keeps its ends and its even spacing within its room. */
HT_TEST(test_long_curve) {
  ht_progress_file *file = calloc(1, sizeof *file);
  assert_non_null(file);
  ht_progress_file_restart(file);
  for (int i = 0; i < 1000; i++) ht_progress_file_number("change", i, 1.0 / (i + 1), file);
  assert_true(file->points > HT_PROGRESS_POINTS / 2 && file->points <= HT_PROGRESS_POINTS);
  assert_true(file->point[0][0] == 0);
  for (int i = 1; i < file->points; i++) assert_true(file->point[i][0] == i * file->point[1][0]);
  const double last = file->point[file->points - 1][0];
  assert_true(last > 1000 - 2 * file->point[1][0]);
  ht_progress_file_number("change", 1001, file->change, file); /* of the same measurement */
  assert_int_equal(file->seen, 1000);
  ht_progress_file_restart(file);
  assert_int_equal(file->points, 0);
  free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_console_writes_it),
                                     cmocka_unit_test(test_long_curve)};
  return cmocka_run_group_tests(tests, enter, leave);
}

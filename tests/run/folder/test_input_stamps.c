/* A file that changes while it is read is found; a clock that differs from this machine's is no
 * change. */
#define _POSIX_C_SOURCE 200809L
#include "tests/check.h"

#include "core/disk/file.h"
#include "run/folder/input_stamps.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], scan[HT_PATH_MAX], cap[HT_PATH_MAX], other[HT_PATH_MAX];

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static int begin(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/stamps-XXXXXX");
  if (!mkdtemp(folder)) return 1;
  snprintf(scan, sizeof scan, "%s/scan.nii", folder);
  snprintf(cap, sizeof cap, "%s/cap.stl", folder);
  snprintf(other, sizeof other, "%s/other.nii", folder);
  write_text(scan, "scan");
  write_text(cap, "cap");
  write_text(other, "other");
  return 0;
}

static int end(void **state) {
  (void)state;
  unlink(scan);
  unlink(cap);
  unlink(other);
  return rmdir(folder);
}

/* Returns the result of the check of `read` after `change` was written to a file. */
static ht_status after_beside(const char *input, int beside, const char *more, const char *read,
                              const char *change) {
  ht_input_stamps stamps;
  ht_path_list files = {0};
  assert_int_equal(ht_input_stamps_take(input, beside, more, &stamps), HT_OK);
  if (change) write_text(change, "longer than before");
  assert_int_equal(ht_path_list_add(&files, read), HT_OK);
  ht_status status = ht_input_stamps_check(&stamps, &files);
  ht_path_list_free(&files);
  ht_input_stamps_free(&stamps);
  return status;
}

static ht_status after(const char *input, const char *more, const char *read, const char *change) {
  return after_beside(input, 0, more, read, change);
}

HT_TEST(unchanged_files_pass) {
  assert_int_equal(after(scan, "", scan, NULL), HT_OK);
  assert_int_equal(after(folder, "", scan, NULL), HT_OK);
  assert_int_equal(after(scan, cap, cap, NULL), HT_OK);
}

HT_TEST(a_changed_file_is_named) {
  assert_int_equal(after(scan, "", scan, scan), HT_ERR_FORMAT);
  assert_non_null(strstr(ht_error_message(), scan));
  write_text(cap, "cap");
  assert_int_equal(after(folder, "", cap, cap), HT_ERR_FORMAT);
  write_text(cap, "cap");
  assert_int_equal(after(folder, cap, cap, cap), HT_ERR_FORMAT);
  write_text(cap, "cap");
  assert_int_equal(after_beside(scan, 1, "", cap, cap), HT_ERR_FORMAT);
}

/* A file server's clock may be ahead, and a file may have been written just before. */
HT_TEST(clocks_do_not_count) {
  const struct timespec ahead[2] = {{4102444800, 0}, {4102444800, 0}}; /* the year 2100 */
  assert_int_equal(utimensat(AT_FDCWD, scan, ahead, 0), 0);
  assert_int_equal(after(scan, "", scan, NULL), HT_OK);
}

HT_TEST(files_that_were_not_read_may_change) {
  write_text(other, "other");
  assert_int_equal(after(folder, "", scan, other), HT_OK);
  assert_int_equal(after("/tmp/stamps-no-such-file", "", scan, scan), HT_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unchanged_files_pass), cmocka_unit_test(a_changed_file_is_named),
      cmocka_unit_test(clocks_do_not_count), cmocka_unit_test(files_that_were_not_read_may_change)};
  return cmocka_run_group_tests(tests, begin, end);
}

/* core/folder_walk: every entry once, by name; the first result ends it. */
#define _POSIX_C_SOURCE 200809L
#include "tests/check.h"
#include "core/disk/file.h"
#include "core/disk/folder_walk.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int make_folder(void **state) {
  static const char *const names[] = {"c", ".hidden", "a", "b"};
  char path[HT_PATH_MAX];
  (void)state;
  strcpy(folder, "/tmp/hemotile-walk-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    assert_int_equal(ht_path_join(path, folder, names[i]), HT_OK);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fclose(file);
  }
  assert_int_equal(ht_path_join(path, folder, "inner"), HT_OK);
  return mkdir(path, 0700);
}

static int remove_folder(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

static int append(void *user, const char *name) {
  strcat(strcat(user, name), " ");
  return 0;
}

static int stop_at_b(void *user, const char *name) {
  append(user, name);
  return strcmp(name, "b") == 0 ? 7 : 0;
}

static int remove_entry(void *user, const char *name) {
  char path[HT_PATH_MAX];
  assert_int_equal(ht_path_join(path, user, name), HT_OK);
  return remove(path);
}

static void every_entry_once_and_no_dots(void **state) {
  static const char *const names[] = {".hidden ", "a ", "b ", "c ", "inner "};
  char seen[64] = "";
  size_t length = 0;
  (void)state;
  assert_int_equal(ht_folder_walk(folder, append, seen), 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    assert_non_null(strstr(seen, names[i]));
    length += strlen(names[i]);
  }
  assert_int_equal(strlen(seen), length);
  assert_non_null(strstr(seen, "a b c ")); /* by name */
}

static void the_first_result_ends_it(void **state) {
  char seen[64] = "";
  (void)state;
  assert_int_equal(ht_folder_walk(folder, stop_at_b, seen), 7);
  assert_null(strstr(seen, "c "));
}

static void entries_may_be_removed(void **state) {
  char seen[64] = "";
  (void)state;
  assert_int_equal(ht_folder_walk(folder, remove_entry, folder), 0);
  assert_int_equal(ht_folder_walk(folder, append, seen), 0);
  assert_string_equal(seen, "");
}

static void a_folder_that_is_not_there(void **state) {
  char seen[64] = "";
  (void)state;
  assert_int_equal(ht_folder_walk("/nowhere/at/all", append, seen), -1);
  assert_int_equal(errno, ENOENT);
  assert_string_equal(seen, "");
}

#define WALK_TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
      WALK_TEST(every_entry_once_and_no_dots),
      WALK_TEST(the_first_result_ends_it),
      WALK_TEST(entries_may_be_removed),
      WALK_TEST(a_folder_that_is_not_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

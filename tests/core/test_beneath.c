/* core/beneath: files below a folder are opened, and no link on the way is followed. */
#define _GNU_SOURCE
#include "tests/check.h"
#include "core/disk/beneath.h"
#include "core/disk/file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int make_folder(void **state) {
  char command[512];
  (void)state;
  strcpy(folder, "/tmp/hemotile-beneath-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(command, sizeof command,
           "cd %s && mkdir a a/b && echo x > a/b/file && ln -s a link && ln -s b a/inner && "
           "ln -s /etc/passwd a/out && ln -s file a/b/same && mkfifo a/pipe",
           folder);
  return system(command);
}

static int remove_folder(void **state) {
  char command[128];
  (void)state;
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

/* Returns 0 where it opens, else errno. */
static int reason(const char *name, int is_folder) {
  const int file = ht_beneath_open(folder, name, is_folder);
  if (file < 0) return errno;
  close(file);
  return 0;
}

HT_TEST(files_and_folders_open) {
  assert_int_equal(reason("a/b/file", 0), 0);
  assert_int_equal(reason("a/b", 1), 0);
  assert_int_equal(reason("", 1), 0);
}

HT_TEST(links_are_named) {
  static const char *const names[] = {"a/out", "a/b/same", "link/b/file", "a/inner/file"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_int_equal(reason(names[i], 0), ELOOP);
  assert_int_equal(reason("link", 1), ELOOP);
}

HT_TEST(no_name_leads_out) {
  static const char *const names[] = {"..", "../etc", "a/../a/b/file", "/etc/passwd", "a//b", "."};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_int_equal(reason(names[i], 0), EINVAL);
}

HT_TEST(other_things_are_refused) {
  assert_int_equal(reason("a/pipe", 0), EINVAL);
  assert_int_equal(reason("a/b", 0), EINVAL);
  assert_int_equal(reason("a/b/file", 1), EINVAL);
  assert_int_equal(reason("nowhere", 0), ENOENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_and_folders_open), cmocka_unit_test(links_are_named),
      cmocka_unit_test(no_name_leads_out), cmocka_unit_test(other_things_are_refused)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

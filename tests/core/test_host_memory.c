/* core/host_memory: what is free, by files as /proc and /sys have them. */
#define _POSIX_C_SOURCE 200809L
#include "tests/check.h"
#include "core/disk/file.h"
#include "core/machine/host_memory.h"
#include "core/vessel/volume.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char root[64];

static int make_root(void **state) {
  (void)state;
  strcpy(root, "/tmp/hemotile-memory-XXXXXX");
  return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state) {
  char command[128];
  (void)state;
  ht_host_memory_limit(0);
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  return system(command);
}

static void put(const char *folder, const char *name, const char *text) {
  char command[512], path[512];
  snprintf(command, sizeof command, "mkdir -p '%s/%s'", root, folder);
  assert_int_equal(system(command), 0);
  snprintf(path, sizeof path, "%s/%s/%s", root, folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

/* Makes a machine with 8 GiB free, of which the program has 1 GiB. */
static void put_machine(const char *groups) {
  put("proc", "meminfo", "MemTotal: 16777216 kB\nMemFree: 1 kB\nMemAvailable:    8388608 kB\n");
  put("proc/self", "status", "Name:\themotile\nVmRSS:\t 1048576 kB\n");
  put("proc/self", "cgroup", groups);
}

static void assert_free(double gib) {
  double got = ht_host_memory_free_at(root) / 1073741824;
  if (!(got >= gib - 1e-6 && got <= gib + 1e-6)) fail_msg("%g GiB, expected %g", got, gib);
}

HT_TEST(what_is_not_known_bounds_nothing) {
  assert_true(ht_host_memory_free_at(root) == 0);
}

HT_TEST(the_machine_and_the_limit_bound_it) {
  put_machine("");
  assert_free(8);
  ht_host_memory_limit(5 * 1073741824.0); /* of all that the program takes */
  assert_free(4);
  ht_host_memory_limit(100 * 1073741824.0);
  assert_free(8);
}

HT_TEST(a_group_and_those_around_it_bound_it) {
  put_machine("12:cpu:/\n0::/user/job\n");
  put("sys/fs/cgroup/user/job", "memory.max", "max\n");
  put("sys/fs/cgroup/user/job", "memory.current", "1073741824\n");
  assert_free(8);
  put("sys/fs/cgroup/user", "memory.max", "6442450944\n"); /* 6 GiB, 3 used, 1 of them a cache */
  put("sys/fs/cgroup/user", "memory.current", "3221225472\n");
  put("sys/fs/cgroup/user", "memory.stat",
      "anon 2147483648\ninactive_anon 5\ninactive_file 1073741824\n");
  assert_free(4);
  put("sys/fs/cgroup/user", "memory.stat", /* in use or not, a cache can be dropped */
      "inactive_file 1073741824\nactive_anon 9\nactive_file 536870912\n");
  assert_free(4.5);
  put("sys/fs/cgroup/user/job", "memory.max", "2147483648\n");
  assert_free(1);
  put("sys/fs/cgroup/user/job", "memory.max", "1073741824\n"); /* full */
  assert_true(ht_host_memory_free_at(root) == 1);
}

/* A container sees its own group at the mount's root, under a name of the host's. */
HT_TEST(groups_of_the_first_version_bound_it) {
  put_machine("9:name=systemd:/\n4:memory:/docker/3f2a\n");
  put("sys/fs/cgroup/memory", "memory.limit_in_bytes", "3221225472\n");
  put("sys/fs/cgroup/memory", "memory.usage_in_bytes", "2147483648\n");
  put("sys/fs/cgroup/memory", "memory.stat", "inactive_file 7\ntotal_inactive_file 1073741824\n");
  assert_free(2);
  put("sys/fs/cgroup/memory", "memory.stat",
      "active_file 9\ntotal_inactive_file 1073741824\ntotal_active_file 536870912\n");
  assert_free(2.5);
  put("sys/fs/cgroup/memory", "memory.limit_in_bytes", "9223372036854771712\n"); /* none */
  assert_free(8);
}

/* Checks that the total does not depend on what is free: a choice that goes by it is the same on a
 * busy machine. */
static void what_there_is_in_all_does_not_follow_the_load(void **state) {
  const double gib = 1073741824;
  (void)state;
  assert_true(ht_host_memory_total_at(root) == 0);
  put_machine("0::/user\n");
  assert_true(ht_host_memory_total_at(root) == 16 * gib);
  put("sys/fs/cgroup/user", "memory.max", "6442450944\n");
  put("sys/fs/cgroup/user", "memory.current", "6442450944\n");
  assert_true(ht_host_memory_total_at(root) == 6 * gib);
  put("proc", "meminfo", "MemTotal: 16777216 kB\nMemAvailable: 1 kB\n");
  assert_true(ht_host_memory_total_at(root) == 6 * gib);
  ht_host_memory_limit(2 * gib);
  assert_true(ht_host_memory_total_at(root) == 2 * gib);
}

HT_TEST(what_needs_more_is_refused_before_it_is_taken) {
  ht_volume volume;
  ht_grid grid = ht_grid_make(300, 300, 300);
  ht_host_memory_limit(0.09e9);
  assert_int_equal(ht_host_memory_check(1e3, "a word", "-"), HT_OK);
  assert_int_equal(ht_host_memory_check(9e7, "the scan", "crop it"), HT_ERR_MEMORY);
  assert_non_null(strstr(ht_error_message(), "not enough memory: the scan needs 90.0 MB, and there "
                                             "are "));
  assert_non_null(
      strstr(ht_error_message(), "MB left of --max-memory (max_memory_gb: give more); crop it"));
  assert_int_equal(ht_volume_alloc(&grid, &volume), HT_ERR_MEMORY);
  assert_null(volume.values);
  assert_non_null(strstr(ht_error_message(), "the image needs 108 MB"));
  ht_host_memory_limit(0);
  assert_int_equal(ht_volume_alloc(&grid, &volume), HT_OK);
  ht_volume_free(&volume);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(what_is_not_known_bounds_nothing),
      TEST(the_machine_and_the_limit_bound_it),
      TEST(a_group_and_those_around_it_bound_it),
      TEST(groups_of_the_first_version_bound_it),
      TEST(what_there_is_in_all_does_not_follow_the_load),
      TEST(what_needs_more_is_refused_before_it_is_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

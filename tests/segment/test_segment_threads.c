/* The mask does not depend on the number of threads. ITK reads it once a process, so each number
 * has a process of its own. */
#define _POSIX_C_SOURCE 200809L
#include "segment/segment.h"
#include "tests/segment/tube_scan.h"
#include "tests/check.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t hash(uint64_t value, const void *bytes, size_t count) {
  const unsigned char *b = bytes;
  for (size_t n = 0; n < count; n++) value = (value ^ b[n]) * 1099511628211u;
  return value;
}

/* Member by member: what lies between them is anything. */
static uint64_t hash_grid(uint64_t value, const ht_grid *grid) {
  value = hash(value, grid->dim, sizeof grid->dim);
  value = hash(value, grid->spacing_mm, sizeof grid->spacing_mm);
  value = hash(value, grid->origin_mm, sizeof grid->origin_mm);
  return hash(value, grid->direction, sizeof grid->direction);
}

/* Hash of the masks by threshold, by vesselness and from a drawn mask; 0 where one failed. */
static uint64_t hash_of_masks(void) {
  tube_scan make = tube_scan_default();
  ht_volume scan;
  ht_mask drawn, mask;
  uint64_t value = 14695981039346656037u;
  tube_scan_volume(&make, &scan);
  tube_scan_mask(&make, &drawn);
  for (int n = 0; n < 3; n++) {
    ht_segment_options options;
    ht_segment_defaults(&options);
    options.method = n == 1 ? HT_SEGMENT_VESSELNESS : HT_SEGMENT_AUTO;
    ht_status status = n < 2 ? ht_segment_volume(&scan, &options, NULL, &mask, NULL)
                             : ht_segment_mask(&drawn, &options, NULL, &mask, NULL);
    if (status != HT_OK) return 0;
    value = hash_grid(value, &mask.grid);
    value = hash(value, mask.inside, (size_t)ht_grid_voxels(&mask.grid));
    ht_mask_free(&mask);
  }
  ht_mask_free(&drawn);
  ht_volume_free(&scan);
  return value;
}

static uint64_t hash_in_process(const char *threads) {
  int ends[2];
  uint64_t value = 0;
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    setenv("ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS", threads, 1);
    value = hash_of_masks();
    _exit(write(ends[1], &value, sizeof value) != sizeof value);
  }
  close(ends[1]);
  assert_int_equal(read(ends[0], &value, sizeof value), sizeof value);
  close(ends[0]);
  assert_int_equal(waitpid(child, NULL, 0), child);
  return value;
}

HT_TEST(same_with_any_number_of_threads) {
  uint64_t one = hash_in_process("1");
  assert_true(one != 0);
  assert_true(one == hash_in_process("2"));
  assert_true(one == hash_in_process("5"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_with_any_number_of_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

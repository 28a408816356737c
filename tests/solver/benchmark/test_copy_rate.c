/* solver/copy_rate: what a copy of this machine's memory reaches. */
#include "tests/check.h"
#include "core/machine/clock.h"
#include "solver/copy_rate/copy_rate.h"
#include "solver/lattice/device_memory.h"
#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20 };

/* The rate's unit: the best pass at that rate takes no longer than all passes together did. */
HT_TEST(the_rate_agrees_with_the_clock) {
  ht_copy *copy;
  double rate, bytes = 64.0 * MIB;
  assert_int_equal(ht_copy_create(HT_DEVICE_CPU, 1, 64 * MIB, &copy), HT_OK);
  double began = ht_clock_s();
  assert_int_equal(ht_copy_measure(copy, &rate), HT_OK);
  double seconds = ht_clock_s() - began;
  ht_copy_free(copy);
  print_message("one thread: %.3g bytes/s\n", rate);
  assert_true(rate > 0 && bytes / rate < seconds);
}

/* The parts of the threads cover any size: under a sanitizer a byte too many would show. */
HT_TEST(odd_sizes_and_more_threads_than_lines) {
  static const int64_t sizes[] = {128, 130, 1000, 12345, 64 * 7 * 2 + 2};
  double rate;
  for (int i = 0; i < 5; i++) {
    assert_int_equal(ht_copy_rate(HT_DEVICE_CPU, 5, sizes[i], &rate), HT_OK);
    assert_true(rate > 0);
  }
}

HT_TEST(too_small_a_copy_is_refused) {
  double rate;
  assert_int_equal(ht_copy_rate(HT_DEVICE_CPU, 1, 100, &rate), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), "128"));
}

HT_TEST(the_way_is_named) {
  ht_copy *copy;
  double rate;
  assert_int_equal(ht_copy_create(HT_DEVICE_CPU, 1, MIB, &copy), HT_OK);
  assert_non_null(strstr(ht_copy_way(copy), "stores"));
  for (int i = 0; i < 3; i++) {
    assert_int_equal(ht_copy_measure(copy, &rate), HT_OK);
    assert_true(rate > 0);
  }
  ht_copy_free(copy);
  ht_copy_free(NULL);
}

HT_TEST(too_large_a_copy_says_how_large) {
  ht_copy *copy;
  assert_int_equal(ht_copy_create(HT_DEVICE_CPU, 1, INT64_C(1) << 56, &copy), HT_ERR_MEMORY);
  assert_null(copy);
  assert_non_null(strstr(ht_error_message(), " GB"));
}

/* A GPU is described; without one the reason is given. */
HT_TEST(the_device_is_described) {
  ht_device_memory memory;
  double rate;
  assert_int_equal(ht_device_memory_describe(HT_DEVICE_CPU, &memory), HT_OK);
  assert_int_equal(memory.device, HT_DEVICE_CPU);
  assert_true(memory.name[0] && memory.available_bytes > MIB && memory.bytes_per_s == 0);
  assert_true(memory.total_bytes >= memory.available_bytes);
  ht_status status = ht_device_memory_describe(HT_DEVICE_CUDA, &memory);
  if (status != HT_OK) {
    assert_int_equal(status, HT_ERR_DEVICE);
    assert_non_null(strstr(ht_error_message(), "no GPU can be used"));
    assert_int_equal(ht_copy_rate(HT_DEVICE_CUDA, 0, MIB, &rate), HT_ERR_DEVICE);
    return;
  }
  assert_true(memory.name[0] && memory.driver[0] && memory.bytes_per_s > 1e10);
  assert_int_equal(ht_copy_rate(HT_DEVICE_CUDA, 0, 256 * MIB, &rate), HT_OK);
  assert_true(rate > 1e10 && rate < 1e14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_rate_agrees_with_the_clock),
      cmocka_unit_test(odd_sizes_and_more_threads_than_lines),
      cmocka_unit_test(too_small_a_copy_is_refused),
      cmocka_unit_test(the_way_is_named),
      cmocka_unit_test(too_large_a_copy_says_how_large),
      cmocka_unit_test(the_device_is_described),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

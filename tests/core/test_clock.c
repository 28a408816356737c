/* core/clock: durations. */
#define _POSIX_C_SOURCE 200809L
#include "tests/check.h"
#include "core/machine/clock.h"
#include <time.h>

HT_TEST(a_pause_is_measured) {
  const struct timespec pause = {0, 20000000L};
  double began = ht_clock_s(), last = began;
  for (int i = 0; i < 1000; i++) {
    double now = ht_clock_s();
    assert_true(now >= last);
    last = now;
  }
  nanosleep(&pause, NULL);
  double seconds = ht_clock_s() - last;
  assert_true(seconds >= 0.02 && seconds < 5); /* a busy machine pauses for longer */
}

/* The processor's time is a part of the time since the program began. */
HT_TEST(the_program_began_before) {
  struct timespec used;
  double now = ht_clock_s(), ago = now - ht_clock_program_s();
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  assert_true(ago >= 0 && ago < 60);
  assert_true(ago + 0.02 >= 1e-9 * (double)used.tv_nsec); /* the system counts in hundredths */
  assert_near(ht_clock_program_s(), (now - ago), 0.011);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_pause_is_measured),
                                     cmocka_unit_test(the_program_began_before)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

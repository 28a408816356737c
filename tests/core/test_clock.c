/* core/clock: durations. */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "clock.h"
#include <time.h>

static void a_pause_is_measured(void **state) {
  (void)state;
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_pause_is_measured)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#define _POSIX_C_SOURCE 200809L
#include "clock.h"
#include <time.h>

double ht_clock_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void ht_time_utc(char text[32]) {
  struct tm utc;
  time_t now = time(NULL);
  gmtime_r(&now, &utc);
  strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

#define _GNU_SOURCE /* CLOCK_BOOTTIME */
#include "core/machine/clock.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double ht_clock_s(void) {
  return read_clock(CLOCK_MONOTONIC);
}

/* Returns field 22 of /proc/self/stat (proc(5)): clock ticks since the machine began. Field 2, the
 * name, may hold blanks and ends with the last ')'. */
static double program_ticks(void) {
  char text[1024];
  double ticks = -1;
  FILE *file = fopen("/proc/self/stat", "r");
  if (!file) return ticks;
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  char *field = strrchr(text, ')');
  for (int n = 2; field && n < 22; n++) field = strchr(field + 1, ' ');
  if (field) (void)sscanf(field, "%lf", &ticks);
  return ticks;
}

/* Falls back to now where the start seems in the future or over a minute ago, as where a system
 * gives the ticks of another clock: a program reads its clock soon. */
double ht_clock_program_s(void) {
  const double longest = 60;
  double ticks = program_ticks(), a_second = (double)sysconf(_SC_CLK_TCK), now = ht_clock_s();
  double ago = read_clock(CLOCK_BOOTTIME) - ticks / a_second;
  return ticks >= 0 && ago >= 0 && ago < longest ? now - ago : now;
}

void ht_time_utc(char text[32]) {
  struct tm utc;
  time_t now = time(NULL);
  gmtime_r(&now, &utc);
  strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

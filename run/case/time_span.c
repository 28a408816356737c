#include "run/case/time_span.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  double seconds;
} units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
enum { UNITS = sizeof units / sizeof *units };

int ht_time_span_read(const char *text, double *seconds) {
  char *unit;
  if (!strspn(text, "0123456789.")) return 0;
  const double number = strtod(text, &unit);
  if (strspn(text, "0123456789.") != (size_t)(unit - text) || !(number > 0)) return 0;
  for (int u = 0; u < UNITS; u++) {
    if (strcmp(unit, units[u].name) != 0) continue;
    *seconds = round(1e3 * number * units[u].seconds) / 1e3; /* as it is written and read again */
    return 1;
  }
  return 0;
}

void ht_time_span_put(double seconds, char text[HT_TIME_SPAN_TEXT]) {
  int u = 0;
  if (seconds == HT_WITHIN_AUTO || seconds == HT_WITHIN_NO) {
    snprintf(text, HT_TIME_SPAN_TEXT, "%s", seconds == HT_WITHIN_AUTO ? "auto" : "no");
    return;
  }
  while (u < UNITS - 1 && fmod(seconds, units[u].seconds) != 0) u++;
  snprintf(text, HT_TIME_SPAN_TEXT, "%.15g%s", seconds / units[u].seconds, units[u].name);
}

#define _GNU_SOURCE
#include "core/status.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_MAX = 4096 };

static _Thread_local char message[MESSAGE_MAX];

const char *ht_error_message(void) {
  return message;
}

ht_status ht_fail(ht_status code, const char *format, ...) {
  char text[MESSAGE_MAX]; /* the arguments may point into `message` */
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  memcpy(message, text, sizeof message);
  return code;
}

ht_status ht_fail_in(ht_status code, const char *context) {
  return ht_fail(code, "%s: %s", context, message);
}

ht_status ht_check_reason(const char *what, const char *reason) {
  if (!strcasestr(reason, "memory") && !strcasestr(reason, "malloc")) return HT_OK;
  return ht_fail(HT_ERR_MEMORY, "%s: not enough memory (\"%s\")", what, reason);
}

int ht_range_holds(const ht_range *range, double value) {
  int reaches = range->above_least ? value > range->least : value >= range->least;
  return reaches && value <= range->most;
}

ht_status ht_check_range(const char *name, double value, const ht_range *range) {
  if (ht_range_holds(range, value)) return HT_OK;
  return ht_fail(HT_ERR_CASE, "%s is %g; allowed is %s%g%s%g", name, value,
                 range->above_least ? "above " : "", range->least,
                 range->above_least ? " up to " : " to ", range->most);
}

const char *ht_status_name(ht_status code) {
  switch (code) {
  case HT_OK:
    return "ok";
  case HT_ERR_USAGE:
    return "usage: command line";
  case HT_ERR_CASE:
    return "usage: case file";
  case HT_ERR_TIME:
    return "usage: time";
  case HT_ERR_NOT_FOUND:
    return "input: not found";
  case HT_ERR_FORMAT:
    return "input: not readable as a scan";
  case HT_ERR_SERIES:
    return "input: not one regular series";
  case HT_ERR_VESSEL:
    return "input: no vessel";
  case HT_ERR_OPENINGS:
    return "input: openings";
  case HT_ERR_MEMORY:
    return "machine: memory";
  case HT_ERR_WRITE:
    return "machine: cannot write";
  case HT_ERR_NETWORK:
    return "machine: network";
  case HT_ERR_DEVICE:
    return "machine: device";
  case HT_ERR_UNSTABLE:
    return "numerics: settings refused";
  case HT_ERR_DIVERGED:
    return "numerics: diverged";
  case HT_ERR_NOT_STEADY:
    return "numerics: not steady";
  case HT_ERR_VALIDATION:
    return "numerics: validation bar missed";
  case HT_ERR_BATCH:
    return "batch: some cases are not done";
  case HT_ERR_INTERNAL:
    return "internal: a bug in hemotile";
  case HT_ERR_INTERRUPTED:
    return "interrupted";
  }
  return "unknown";
}

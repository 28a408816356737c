#include "core/work/progress.h"

ht_status ht_progress_report(const ht_progress *progress, const char *stage, double done,
                             double total, const char *note) {
  if (!progress || !progress->report) return HT_OK;
  if (progress->report(progress->user, stage, done, total, note ? note : "") == 0) return HT_OK;
  return ht_fail(HT_ERR_INTERRUPTED, "%s: stopped as asked", stage);
}

void ht_progress_number(const ht_progress *progress, const char *name, double done, double value) {
  if (progress && progress->number) progress->number(progress->user, name, done, value);
}

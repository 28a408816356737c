#include "solver/run/step/solve_progress.h"
#include "core/machine/clock.h"
#include <stdio.h>

static const double report_s = 0.5;

int64_t ht_solve_progress_piece(const ht_solve_progress *progress, int64_t step) {
  double rate = progress->stepping_s > 0 ? (double)step / progress->stepping_s : 20;
  return (int64_t)(rate * report_s) + 1;
}

int ht_solve_progress_is_due(const ht_solve_progress *progress, double now_s) {
  return now_s - progress->reported_at >= report_s;
}

ht_status ht_solve_progress_report(int64_t step, double updates, const char *note,
                                   ht_solve_progress *progress) {
  char text[160];
  double rate = progress->stepping_s > 0 ? (double)step * updates / progress->stepping_s / 1e6 : 0;
  snprintf(text, sizeof text, "%s%.1f MFLUPS%s%s", progress->lattice, rate, note[0] ? ", " : "",
           note);
  ht_progress_number(progress->to, "mflups", (double)step, rate);
  progress->reported_at = ht_clock_s();
  return ht_progress_report(progress->to, "solve", (double)step, progress->total, text);
}

/* The progress of a run's steps: time spent, expected number, reports. Private to solver/. */
#ifndef HT_SOLVE_PROGRESS_H
#define HT_SOLVE_PROGRESS_H

#include "core/work/progress.h"
#include <stdint.h>

typedef struct {
  const ht_progress *to; /* borrowed */
  const char *lattice;   /* first words of each report, on the lattice that steps; "". Borrowed */
  double stepping_s;     /* spent in steps */
  double reported_at;    /* clock at the last report, s */
  double total;          /* expected number of steps; 0: unknown */
} ht_solve_progress;

/* Returns the number of steps up to about the next report, of which there are two a second so that
 * Ctrl-C is answered soon. */
int64_t ht_solve_progress_piece(const ht_solve_progress *progress, int64_t step);

/* Tells whether a report is due at this time of the clock. */
int ht_solve_progress_is_due(const ht_solve_progress *progress, double now_s);

/* Reports `step` steps of `updates` node updates each, with a note that may be "". Errors as
 * ht_progress_report. */
ht_status ht_solve_progress_report(int64_t step, double updates, const char *note,
                                   ht_solve_progress *progress);

#endif

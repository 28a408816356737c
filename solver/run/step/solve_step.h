/* Stepping a run, watching it and reading its lattice. Private to solver/. */
#ifndef HT_SOLVE_STEP_H
#define HT_SOLVE_STEP_H

#include "solver/run/step/solve_run.h"

enum { HT_CHECK_STEPS = 500 }; /* from one check of the flow to the next */

/* Steps up to `until`, in pieces short enough for progress reports, interrupts and the updates of
 * the outlets; `note` goes with the report. HT_ERR_DIVERGED, HT_ERR_INTERRUPTED, HT_ERR_DEVICE. */
ht_status ht_solve_advance(ht_solve_run *run, int64_t until, const char *note);

/* Measures the flow's change and speed. HT_ERR_DIVERGED where a value is not finite or the velocity
 * is too large. */
ht_status ht_solve_watch(ht_solve_run *run, ht_lattice_monitor *seen);

/* Reads the present state, which must be good, into the results' flow. */
ht_status ht_solve_read(ht_solve_run *run);

/* Reads the pressures at the openings and over the ports alone: [ports]. The flow stays. */
ht_status ht_solve_read_pressures(ht_solve_run *run, double *pressure_pa, double *port_pa);

/* Reads the state as ht_solve_read, at most every 30 s: the last good one, if the flow diverges. */
ht_status ht_solve_keep_good(ht_solve_run *run);

/* Records the number of steps done, their time and speed in the statistics. */
void ht_solve_record_speed(const ht_solve_run *run);

#endif

/* Stepping and watching a run. Private to solver/. */
#ifndef HT_SOLVE_STEP_H
#define HT_SOLVE_STEP_H

#include "solver/run/solve_run.h"

/* Steps up to `until`, in pieces short enough for progress reports, interrupts and the updates of
 * the outlets; `note` goes with the report. */
ht_status ht_solve_advance(ht_solve_run *run, int64_t until, const char *note);

/* Watches the flow. HT_ERR_DIVERGED where a value is not finite or the velocity is too large. */
ht_status ht_solve_watch(ht_solve_run *run, ht_lattice_monitor *seen);

/* Reads the present state, which must be good, into run->flow. */
ht_status ht_solve_read(ht_solve_run *run);

/* Reads the pressures at the openings and over the ports alone: [ports]. run->flow stays. */
ht_status ht_solve_read_pressures(ht_solve_run *run, double *pressure_pa, double *port_pa);

/* Reads the state as ht_solve_read, at most every 30 s. */
ht_status ht_solve_keep(ht_solve_run *run);

/* Multiplies the velocity of every velocity port so that `flow_lu` becomes `asked_lu`, both
 * [ports]; by at most 1.1. */
ht_status ht_solve_correct(ht_solve_run *run, const double *flow_lu, const double *asked_lu);

/* Shows the present state, read into run->flow, to the options' observer, if there is one. `moment`
 * has the time and the numbers of the sample. `flow_lu` [ports]: into the ports
 * (ht_lattice_port_flow); `pressure_pa` [ports]. */
ht_status ht_solve_show(const ht_solve_run *run, const ht_flow_sample *moment,
                        const double *flow_lu, const double *pressure_pa);

#endif

/* Means of a flow with a steady inflow that does not come to rest, over the second half of the
 * steps that there are. A flow that only needs more steps is told from one that never comes to
 * rest: its change a step falls over that time, or its mean drifts. Sampling only reads: a flow
 * that still comes to rest is as without it. Private to solver/. */
#ifndef HT_STEADY_MEANS_H
#define HT_STEADY_MEANS_H

#include "solver/run/step/solve_run.h"
#include "solver/samples/flow_average.h"

/* The samples so far. Zeroed: no means are taken. */
typedef struct {
  int64_t from, interval; /* steps: before the first sample, between two; interval 0: no means */
  int samples;            /* taken so far */
  ht_flow_average average;
  ht_turbulence turbulence;
  float *half;   /* [nodes][3] mean velocity of the first half of the samples; owned */
  double change; /* of the flow a step, when the samples begin */
  double drift;  /* relative difference of the two halves' mean velocities */
  double flow_lu[HT_OPENINGS_MAX]; /* sum over the samples */
} ht_steady_means;

/* Chooses the steps of the samples. */
void ht_steady_means_plan(const ht_solve_setup *setup, ht_steady_means *means);
void ht_steady_means_free(ht_steady_means *means);

/* Moves the samples to a stream or from it; a load makes room for them. HT_ERR_MEMORY, and the
 * stream's errors. */
ht_status ht_steady_means_move(const ht_flow *flow, ht_steady_means *means, ht_state *stream);

/* Returns the step of the next sample; beyond all steps where there is none. */
int64_t ht_steady_means_next(const ht_steady_means *means);

/* Takes a sample of the present state and shows it to the observer. Where there is no memory for
 * means the run goes on without. HT_ERR_DEVICE; as ht_flow_observer. */
ht_status ht_steady_means_add(ht_solve_run *run, ht_steady_means *means);

/* Tells whether the means are those of a flow that never comes to rest, at the end of a run that
 * still changes by `change` a step; finds their drift. */
int ht_steady_means_hold(int64_t nodes, double change, ht_steady_means *means);

/* Makes the means the results. HT_ERR_MEMORY. */
ht_status ht_steady_means_record(const ht_solve_setup *setup, const ht_port_volume *volume,
                                 ht_solve_results *results, ht_steady_means *means);

#endif

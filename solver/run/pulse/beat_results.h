/* The results of a pulse: means and extremes over the beats that count. Private to solver/. */
#ifndef HT_BEAT_RESULTS_H
#define HT_BEAT_RESULTS_H

#include "solver/run/pulse/beat_count.h"
#include "solver/run/pulse/beat_schedule.h"
#include "solver/run/pulse/moment_balance.h"
#include "solver/run/step/solve_results.h"
#include "solver/samples/flow_average.h"

/* The pressures at the openings over the samples: extremes of all beats that count, mean of the
 * last beat. */
typedef struct {
  double highest_pa[HT_OPENINGS_MAX], lowest_pa[HT_OPENINGS_MAX], mean_pa[HT_OPENINGS_MAX];
} ht_beat_pressures;

/* The means so far. Zeroed: not made. */
typedef struct {
  ht_beat_count count;
  ht_flow_average average;
  ht_turbulence turbulence;  /* about the phases' means; not always made */
  ht_moment_balance balance; /* of flow in and out */
  ht_beat_pressures pressure;
  float *before; /* [nodes][3] velocity at the peak of the period before; owned */
  float *first;  /* the same of the first beat that counts; owned; NULL: no beat is added */
} ht_beat_results;

/* Makes the arrays for a flow. HT_ERR_MEMORY. Free them also after a failure. */
ht_status ht_beat_results_make(const ht_flow *flow, int can_add, ht_beat_results *results);
void ht_beat_results_free(ht_beat_results *results);

/* Makes the sums for turbulence; where there is no memory for them, the results come without: the
 * run is far by now. */
void ht_beat_results_add_turbulence(const ht_beat_schedule *schedule, int64_t nodes,
                                    ht_beat_results *results);

/* Forgets the beats so far. */
void ht_beat_results_clear(ht_beat_results *results);

/* Finds the relative change of the velocity in the vessel since the peak before, when `to` has the
 * flow at the peak. The run may be steps ahead: the record has the step of the sample. */
void ht_beat_results_compare_peak(const ht_beat_schedule *schedule, ht_solve_results *to,
                                  ht_beat_results *results);

/* Adds the pressures at the openings, [ports], at a sample; `begins`: the first of a beat,
 * `is_first`: of all that count. */
void ht_beat_pressures_add(const double *pressure_pa, int ports, int samples, int begins,
                           int is_first, ht_beat_pressures *pressure);

/* Adds the flow that `to` has at a sample; `flow_lu` [ports]: into the ports. `is_first` as
 * before. */
void ht_beat_results_add(const ht_beat_schedule *schedule, int sample, int is_first,
                         const double *flow_lu, ht_solve_results *to, ht_beat_results *results);

/* Keeps the velocity at the peak of the first beat that counts. */
void ht_beat_results_keep_first(int64_t nodes, ht_beat_results *results);

/* Makes the means the run's results; `flow_lu` [ports]: the mean flow into the ports.
 * HT_ERR_MEMORY. */
ht_status ht_beat_results_record(const ht_solve_setup *setup, const ht_beat_schedule *schedule,
                                 const double *flow_lu, ht_solve_results *to,
                                 ht_beat_results *results);

/* Moves the samples so far to a stream or from it. HT_ERR_MEMORY, and the stream's errors. */
ht_status ht_beat_results_move(int64_t nodes, ht_beat_results *results, ht_state *stream);

#endif

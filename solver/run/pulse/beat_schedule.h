/* The periods of a pulse and the samples in them: their steps, and which of them count. Private to
 * solver/.
 *
 * Samples are numbered from the waveform's begin. A period begins `lead` samples after that, the
 * lead at the waveform's begin; the place of a sample is its number in the order of time. */
#ifndef HT_BEAT_SCHEDULE_H
#define HT_BEAT_SCHEDULE_H

#include "solver/plan/solve_setup.h"

typedef struct {
  int64_t first;       /* number of the first period on this lattice, from 0 */
  int64_t period;      /* number of the present one */
  int64_t cycle_steps; /* steps of a period */
  double dt_s;         /* of a step */
  int samples;         /* of a period */
  int cycles;          /* the period with this number, from 1, is the first that counts */
  int most_cycles;     /* periods are added up to this number; `cycles` or less: none is */
  int lead;            /* samples before the first period; 0: none */
  int in_lead;         /* 1: the lead is being run */
  int peak;            /* sample with the largest inflow */
} ht_beat_schedule;

/* Makes the schedule of a run whose first period is number `first`, without a lead. */
void ht_beat_schedule_make(const ht_solve_setup *setup, int64_t first, ht_beat_schedule *schedule);

/* Returns the number of periods done on this lattice. */
int64_t ht_beat_periods_done(const ht_beat_schedule *schedule);

/* Returns the step, from the waveform's begin, and the time of a sample. */
int64_t ht_beat_sample_step(const ht_beat_schedule *schedule, int sample);
double ht_beat_sample_s(const ht_beat_schedule *schedule, int sample);

/* Returns the run's step at a place of the present period, or of the lead. */
int64_t ht_beat_step(const ht_beat_schedule *schedule, int place);

/* Returns the sample at a place, and the place of the peak. */
int ht_beat_sample_at(const ht_beat_schedule *schedule, int place);
int ht_beat_place_of_peak(const ht_beat_schedule *schedule);

/* Returns the number of this period's `samples` complete at step `step`. */
int ht_beat_samples_done(const ht_beat_schedule *schedule, int samples, int64_t step);

/* Tells whether a quarter of the first period after rest ends between this place and the one
 * before. */
int ht_beat_ends_quarter(const ht_beat_schedule *schedule, int place);

/* Tells whether the lead is a whole beat. */
int ht_beat_has_whole_lead(const ht_beat_schedule *schedule);

/* Tells whether the samples of the present period count. */
int ht_beat_counts(const ht_beat_schedule *schedule);

/* Tells whether outlets are tuned to a cuff after this period. The first begins at rest, and the
 * last two keep their Windkessels, so that they show whether the flow is periodic. After a lead
 * they are tuned where it is a whole beat. */
int ht_beat_tunes(const ht_beat_schedule *schedule);

/* Tells whether this is the first period after a coarse start, which is a result only where it
 * repeats the peak before. After a lead of a whole beat it is a beat like others, where some can be
 * added. */
int ht_beat_is_trial(const ht_beat_schedule *schedule);

/* Tells whether periods are added where the last ones do not repeat each other. */
int ht_beat_can_add(const ht_beat_schedule *schedule);

/* Returns the number of periods that may still come after the present one. */
int64_t ht_beat_periods_left(const ht_beat_schedule *schedule);

/* Returns the largest number of periods; a trial is always followed by another one. */
int64_t ht_beat_most_periods(const ht_beat_schedule *schedule);

#endif

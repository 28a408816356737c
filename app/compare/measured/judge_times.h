/* Times of a scan in the beat of a computed flow. A beat of another duration is stretched: times
 * count as parts of their beat. */
#ifndef HT_JUDGE_TIMES_H
#define HT_JUDGE_TIMES_H

#include "app/compare/measured/judged.h"

/* Weighs the scan's times: each stands for the part of the beat that is nearest to it. Sets `times`
 * where the case has the samples of its beat. HT_ERR_MEMORY. */
ht_status ht_judge_times(ht_judged *judged);

/* Interpolates a curve over a beat, [count] values at times that rise, linearly at a time; the beat
 * repeats. */
double ht_judge_curve(const double *time_s, const double *value, int count, double period_s,
                      double at_s);

/* Finds the delay of the computed beat (judged->delay_s) with which the flows of the sections
 * correlate best with the measured ones, to a hundredth of the beat: at most half a beat before or
 * after the R wave. HT_ERR_MEMORY. */
ht_status ht_judge_delay(ht_judged *judged);

/* Returns the weight of sample `s` of the case's beat, whose times rise, in the linear
 * interpolation at time `t` of the scan. */
double ht_judge_sample_part(const ht_judged *judged, int t, const double *time_s, int samples,
                            int s);

#endif

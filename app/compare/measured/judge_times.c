#include "app/compare/measured/judge_times.h"
#include <math.h>
#include <stdlib.h>

ht_status ht_judge_times(ht_judged *judged) {
  const ht_measured_flow *scan = &judged->measured;
  const int n = scan->times;
  HT_TRY(ht_alloc((void **)&judged->weight, (size_t)n, sizeof(double), "the times"));
  for (int t = 0; t < n; t++) {
    const double before = t > 0 ? scan->time_s[t - 1] : scan->time_s[n - 1] - scan->period_s;
    const double after = t < n - 1 ? scan->time_s[t + 1] : scan->time_s[0] + scan->period_s;
    const int known = n > 1 && scan->period_s > scan->time_s[n - 1] - scan->time_s[0];
    judged->weight[t] = known ? (after - before) / (2 * scan->period_s) : 1.0 / n;
  }
  if (judged->results.series.samples > 1 && n > 1 && scan->period_s > 0) judged->times = n;
  return HT_OK;
}

/* Finds the interval of a beat that a time lies in. Returns the number of its first sample, and the
 * part of the interval before the time. */
static int interval(const double *time_s, int count, double period_s, double at_s, double *part) {
  int next = 1;
  at_s -= period_s * floor((at_s - time_s[0]) / period_s); /* from time_s[0] on */
  while (next < count && time_s[next] <= at_s) next++;
  const double to_s = next < count ? time_s[next] : time_s[0] + period_s;
  *part = (at_s - time_s[next - 1]) / (to_s - time_s[next - 1]);
  return next - 1;
}

double ht_judge_sample_part(const ht_judged *judged, int t, const double *time_s, int samples,
                            int s) {
  const double period_s = judged->results.stats.period_s;
  const double beat = (judged->measured.time_s[t] - judged->delay_s) / judged->measured.period_s;
  double part;
  const int before = interval(time_s, samples, period_s, beat * period_s, &part);
  return s == before ? 1 - part : s == (before + 1) % samples ? part : 0;
}

double ht_judge_curve(const double *time_s, const double *value, int count, double period_s,
                      double at_s) {
  double part;
  const int before = interval(time_s, count, period_s, at_s, &part);
  return (1 - part) * value[before] + part * value[(before + 1) % count];
}

/* ---- the delay ---- */

enum { DELAYS = 100 };

/* Correlates the flows of all sections, the computed ones `later_s` later than they are. */
static double correlate(const ht_judged *of, double later_s, double *value) {
  const ht_measured_flow *scan = &of->measured;
  const int all = of->sections * scan->times;
  int count = 0;
  for (int s = 0; s < of->sections; s++) {
    const ht_judged_section *one = &of->section[s];
    for (int t = 0; t < scan->times && one->computed_at_ml_s; t++) {
      value[count] = ht_judge_curve(scan->time_s, one->computed_at_ml_s, scan->times,
                                    scan->period_s, scan->time_s[t] - later_s);
      value[all + count++] = one->measured_at_ml_s[t];
    }
  }
  return count > 2 ? ht_agreement_of(value, value + all, count).correlation : NAN;
}

ht_status ht_judge_delay(ht_judged *judged) {
  const double period_s = judged->measured.period_s;
  double *value;
  judged->best_delay_s = judged->best_correlation = NAN;
  HT_TRY(ht_alloc((void **)&value,
                  2 * (size_t)(judged->sections + 1) * (size_t)judged->measured.times,
                  sizeof *value, "the flows"));
  for (int k = -DELAYS / 2 + 1; k <= DELAYS / 2 && period_s > 0; k++) {
    const double later_s = (double)k / DELAYS * period_s;
    const double found = correlate(judged, later_s, value);
    if (!isfinite(found) || found <= judged->best_correlation) continue;
    judged->best_correlation = found;
    judged->best_delay_s = remainder(judged->delay_s + later_s, period_s);
  }
  free(value);
  return HT_OK;
}

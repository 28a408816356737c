#include "app/compare/measured/judge_times.h"
#include <math.h>

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

double ht_judge_sample_part(const ht_judged *judged, int t, const double *time_s, int samples,
                            int s) {
  const double period_s = judged->results.stats.period_s;
  double at_s = judged->measured.time_s[t] / judged->measured.period_s * period_s;
  at_s -= period_s * floor((at_s - time_s[0]) / period_s); /* from time_s[0] on */
  int next = 1;
  while (next < samples && time_s[next] <= at_s) next++;
  const int before = next - 1;
  const double to_s = next < samples ? time_s[next] : time_s[0] + period_s;
  const double part = (at_s - time_s[before]) / (to_s - time_s[before]);
  return s == before ? 1 - part : s == next % samples ? part : 0;
}

#include "solver/inflow/waveform_beats.h"
#include <math.h>

enum { POINTS_MAX = 512, LEAST_SAMPLES = 4 /* of a beat */, LAGS_A_POINT = 8 };

/* Limits of the length of a beat: 200 and 30 a minute. Longer tables are in another unit. */
static const double shortest_s = 0.3, longest_s = 2, longest_table_s = 60;

/* Longest lag, as a share of the table: a longer one leaves too little to compare. */
static const double longest_lag = 0.625;

/* Least range in what is compared, as a share of the flow's range: less tells nothing. */
static const double least_seen = 0.5;

/* q of a lag at which the flow is another one: the first repeat lies beyond it. */
static const double unlike = 0.35;

/* A table up to `table_s` long holds several beats where q and s are as small. A beat that fills
 * more than `lag` of it is not compared as a whole. */
static const struct {
  double table_s, q, s, lag;
} limits[] = {{1.2, 0.03, 0.005, 0.53}, {1.6, 0.15, 0.03, 1}, {INFINITY, 0.2, 1, 1}};

typedef struct {
  int points;
  double span_s, range;
  double flow[POINTS_MAX]; /* at even times */
} curve;

typedef struct {
  double lag_s, q, s;
} likeness;

/* ---- The curve ---- */

/* Measures the curve; 0: there is nothing to compare. */
static int measure(int count, const double *time_s, const double *flow_ml_s, curve *of) {
  double shortest = INFINITY, low = INFINITY, high = -INFINITY;
  if (count < 2 * LEAST_SAMPLES) return 0;
  for (int i = 0; i < count; i++) {
    if (i > 0) shortest = fmin(shortest, time_s[i] - time_s[i - 1]);
    low = fmin(low, flow_ml_s[i]);
    high = fmax(high, flow_ml_s[i]);
  }
  of->span_s = time_s[count - 1] - time_s[0];
  of->range = high - low;
  if (!(shortest > 0 && of->range > 0 && of->span_s <= longest_table_s)) return 0;
  of->points = (int)fmin(POINTS_MAX, 1 + round(of->span_s / shortest));
  return isfinite(of->range);
}

static void sample(int count, const double *time_s, const double *flow_ml_s, curve *of) {
  int i = 0;
  for (int p = 0; p < of->points; p++) {
    const double at = time_s[0] + p * of->span_s / (of->points - 1);
    while (i + 2 < count && time_s[i + 1] < at) i++;
    const double share = (at - time_s[i]) / (time_s[i + 1] - time_s[i]);
    of->flow[p] = flow_ml_s[i] + fmin(1, share) * (flow_ml_s[i + 1] - flow_ml_s[i]);
  }
}

/* ---- One lag ---- */

/* Compares the curve with itself at a lag; 0: what it has at both times tells nothing. `lag` in
 * points. */
static int compare(const curve *of, double lag, likeness *found) {
  const int whole = (int)lag, last = of->points - 1;
  const double part = lag - whole;
  double sum = 0, squares = 0, off = 0, rough = 0, before = 0;
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  int count = 0;
  for (; count + lag <= last; count++) {
    const int to = count + whole, next = to < last ? to + 1 : last;
    const double pair[2] = {of->flow[count], of->flow[to] + part * (of->flow[next] - of->flow[to])};
    const double d = pair[1] - pair[0];
    for (int k = 0; k < 2; k++) {
      low[k] = fmin(low[k], pair[k]);
      high[k] = fmax(high[k], pair[k]);
      sum += pair[k];
      squares += pair[k] * pair[k];
    }
    off += d * d;
    if (count > 0) rough += (d - before) * (d - before);
    before = d;
  }
  if (count < LEAST_SAMPLES) return 0;
  const double variance = squares / (2 * count) - pow(sum / (2 * count), 2);
  const double seen = fmin(high[0] - low[0], high[1] - low[1]);
  if (!(variance > 0) || seen < least_seen * of->range) return 0;
  off /= count;
  rough /= 2.0 * (count - 1); /* <d^2>, where d is noise alone */
  *found = (likeness){lag * of->span_s / last, off / (2 * variance),
                      fmax(0, off - rough) / (2 * variance)};
  return 1;
}

/* ---- All lags ---- */

static int is_beat(const curve *of, const likeness *one) {
  int l = 0;
  while (of->span_s > limits[l].table_s) l++;
  return one->q <= limits[l].q && one->s <= limits[l].s && one->lag_s >= shortest_s &&
         one->lag_s <= fmin(longest_s, limits[l].lag * of->span_s);
}

/* The lags from the shortest on; the least q of those that may be a beat, below `most`: the first
 * that is near to it is the beat, and those of two or three beats come later. */
static likeness find_least(const curve *of, double rows_a_point, double near) {
  likeness least = {0, INFINITY, 0}, one;
  const int last = (int)(longest_lag * LAGS_A_POINT * (of->points - 1));
  const int first = (int)ceil(LAGS_A_POINT * LEAST_SAMPLES / rows_a_point);
  int is_unlike = 0, is_near = 0;
  for (int k = 1; k <= last; k++) {
    if (!compare(of, (double)k / LAGS_A_POINT, &one)) continue;
    is_unlike = is_unlike || one.q > unlike;
    if (is_near && one.q > near) return least;
    if (!is_unlike || k < first || !is_beat(of, &one) || one.q >= least.q) continue;
    least = one;
    is_near = one.q <= near;
  }
  return least;
}

double ht_waveform_beat_within(int count, const double *time_s, const double *flow_ml_s) {
  curve of;
  if (!measure(count, time_s, flow_ml_s, &of)) return 0;
  sample(count, time_s, flow_ml_s, &of);
  const double rows_a_point = (double)(count - 1) / (of.points - 1);
  const double least = find_least(&of, rows_a_point, 0).q;
  if (!isfinite(least)) return 0;
  return find_least(&of, rows_a_point, fmax(1.5 * least, least + 0.02)).lag_s;
}

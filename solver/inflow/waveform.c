#include "solver/inflow/waveform.h"
#include "core/numbers/units.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making one ---- */

void ht_waveform_constant(double flow_ml_s, ht_waveform *waveform) {
  memset(waveform, 0, sizeof *waveform);
  waveform->series.mean_ml_s = flow_ml_s;
}

static ht_status refuse(int *row, int at, const char *what) {
  if (row) *row = at;
  return ht_fail(HT_ERR_CASE, "%s", what);
}

static ht_status check_samples(int count, const double *time_s, const double *flow_ml_s, int *row) {
  if (row) *row = -1;
  if (count > HT_WAVEFORM_SAMPLES_MAX)
    return ht_fail(HT_ERR_CASE, "the waveform has %d samples; at most %d are allowed: thin it out",
                   count, HT_WAVEFORM_SAMPLES_MAX);
  for (int i = 0; i < count; i++) {
    if (!isfinite(time_s[i]) || !isfinite(flow_ml_s[i]))
      return refuse(row, i, "a time or flow of the waveform is not a finite number");
    if (i == 0 || time_s[i] > time_s[i - 1]) continue;
    if (row) *row = i;
    return ht_fail(HT_ERR_CASE,
                   "the waveform's time %g s comes after %g s: times have to rise from row to row",
                   time_s[i], time_s[i - 1]);
  }
  return HT_OK;
}

/* Length of the interval after sample i, and the sample at its end. */
static double interval(const ht_waveform *w, int i, int *next) {
  *next = i + 1 < w->samples ? i + 1 : 0;
  double until = *next ? w->time_s[*next] : w->time_s[0] + w->period_s;
  return until - w->time_s[i];
}

static double slope(const ht_waveform *w, int i) {
  int next;
  double length = interval(w, i, &next);
  return (w->flow_ml_s[next] - w->flow_ml_s[i]) / length;
}

/* Solves the tridiagonal system of the rows 1 to samples - 1 (with sample 0 at 0) for two right
 * hand sides at once; `scratch` [samples] is for the elimination. */
static void eliminate(const ht_waveform *w, double *first, double *second, double *scratch) {
  int n = w->samples, next;
  for (int i = 1; i < n; i++) {
    double before = interval(w, i - 1, &next), after = interval(w, i, &next);
    double pivot = 2 * (before + after) - (i > 1 ? before * scratch[i - 1] : 0);
    scratch[i] = after / pivot;
    first[i] = (first[i] - (i > 1 ? before * first[i - 1] : 0)) / pivot;
    second[i] = (second[i] - (i > 1 ? before * second[i - 1] : 0)) / pivot;
  }
  for (int i = n - 2; i > 0; i--) {
    first[i] -= scratch[i] * first[i + 1];
    second[i] -= scratch[i] * second[i + 1];
  }
}

/* Q'' at the samples: h[i-1] m[i-1] + 2 (h[i-1] + h[i]) m[i] + h[i] m[i+1] = 6 (slope[i] -
 * slope[i-1]), cyclic. m = first + m[0] second, where `second` is the answer to m[0] = 1. */
static ht_status join_smoothly(ht_waveform *w) {
  double *second, *scratch;
  int n = w->samples, next;
  HT_TRY(ht_alloc((void **)&second, 2 * (size_t)n, sizeof *second, "the waveform"));
  scratch = second + n;
  double *first = w->bend_after, before = interval(w, n - 1, &next), after = interval(w, 0, &next);
  for (int i = 1; i < n; i++) first[i] = 6 * (slope(w, i) - slope(w, i - 1));
  second[1] -= after;
  second[n - 1] -= before;
  eliminate(w, first, second, scratch);
  double right = 6 * (slope(w, 0) - slope(w, n - 1));
  first[0] = (right - before * first[n - 1] - after * first[1]) /
             (2 * (before + after) + before * second[n - 1] + after * second[1]);
  for (int i = 1; i < n; i++) first[i] += first[0] * second[i];
  memcpy(w->bend_before, first, (size_t)n * sizeof *first);
  free(second);
  return HT_OK;
}

/* Q' at a sample between intervals of these lengths and slopes: a harmonic mean of the slopes; 0 at
 * a peak, a trough and the ends of a plateau (Fritsch & Butland 1984). */
static double monotone_slope(double length0, double slope0, double length1, double slope1) {
  if (!(slope0 * slope1 > 0)) return 0;
  double weight0 = 2 * length1 + length0, weight1 = length1 + 2 * length0;
  return (weight0 + weight1) / (weight0 / slope0 + weight1 / slope1);
}

static double slope_at(const ht_waveform *w, int i) {
  int before = i > 0 ? i - 1 : w->samples - 1, next;
  return monotone_slope(interval(w, before, &next), slope(w, before), interval(w, i, &next),
                        slope(w, i));
}

static void join_monotonely(ht_waveform *w) {
  int next;
  for (int i = 0; i < w->samples; i++) {
    double h = interval(w, i, &next), middle = slope(w, i);
    double begin = slope_at(w, i), end = slope_at(w, next);
    w->bend_after[i] = (6 * middle - 4 * begin - 2 * end) / h;
    w->bend_before[next] = (2 * begin + 4 * end - 6 * middle) / h;
  }
}

static ht_status take_samples(int count, const double *time_s, const double *flow_ml_s,
                              double given_s, double wanted_s, int *row, ht_waveform *waveform) {
  ht_period period;
  memset(waveform, 0, sizeof *waveform);
  HT_TRY(check_samples(count, time_s, flow_ml_s, row));
  HT_TRY(ht_period_find(count, time_s, flow_ml_s, given_s, wanted_s, &period));
  if (period.kept < HT_WAVEFORM_SAMPLES_MIN)
    return ht_fail(
        HT_ERR_CASE,
        "the waveform has %d sample%s in a period; at least %d are needed (a last row that "
        "repeats the first flow does not count)",
        period.kept, period.kept == 1 ? "" : "s", HT_WAVEFORM_SAMPLES_MIN);
  waveform->period_s = period.period_s;
  waveform->period_reason = period.reason;
  waveform->samples = period.kept;
  memcpy(waveform->time_s, time_s, (size_t)period.kept * sizeof *time_s);
  memcpy(waveform->flow_ml_s, flow_ml_s, (size_t)period.kept * sizeof *flow_ml_s);
  return HT_OK;
}

ht_status ht_waveform_spline(int count, const double *time_s, const double *flow_ml_s, int *row,
                             ht_waveform *waveform) {
  HT_TRY(take_samples(count, time_s, flow_ml_s, 0, 0, row, waveform));
  return join_smoothly(waveform);
}

ht_status ht_waveform_samples(int count, const double *time_s, const double *flow_ml_s,
                              double given_s, double wanted_s, int *row, ht_waveform *waveform) {
  HT_TRY(take_samples(count, time_s, flow_ml_s, given_s, wanted_s, row, waveform));
  join_monotonely(waveform);
  return HT_OK;
}

ht_status ht_waveform_series(const ht_harmonics *series, ht_waveform *waveform) {
  memset(waveform, 0, sizeof *waveform);
  if (series->harmonics < 0 || series->harmonics > HT_HARMONICS_MAX)
    return ht_fail(HT_ERR_CASE, "the waveform has %d harmonics; 0 to %d are allowed",
                   series->harmonics, HT_HARMONICS_MAX);
  if (series->harmonics > 0 && !(series->period_s > 0 && isfinite(series->period_s)))
    return ht_fail(HT_ERR_CASE, "the waveform's period is %g s; it has to be above 0",
                   series->period_s);
  int finite = isfinite(series->mean_ml_s) != 0;
  for (int k = 0; k < series->harmonics; k++)
    finite = finite && isfinite(series->cosine_ml_s[k]) && isfinite(series->sine_ml_s[k]);
  if (!finite) return ht_fail(HT_ERR_CASE, "a coefficient of the waveform is not a finite number");
  waveform->series = *series;
  waveform->period_s = series->harmonics > 0 ? series->period_s : 0;
  return HT_OK;
}

/* ---- changing it ---- */

static void multiply(double *values, int count, double factor) {
  for (int i = 0; i < count; i++) values[i] *= factor;
}

ht_status ht_waveform_scale(ht_waveform *w, double mean_ml_s) {
  double mean = ht_waveform_mean(w);
  if (!(mean > 0))
    return ht_fail(HT_ERR_CASE,
                   "the waveform's mean flow is %g mL/s: only one above 0 can be scaled to %g mL/s",
                   mean, mean_ml_s);
  double factor = mean_ml_s / mean;
  multiply(w->flow_ml_s, w->samples, factor);
  multiply(w->bend_before, w->samples, factor);
  multiply(w->bend_after, w->samples, factor);
  multiply(&w->series.mean_ml_s, 1, factor);
  multiply(w->series.cosine_ml_s, w->series.harmonics, factor);
  multiply(w->series.sine_ml_s, w->series.harmonics, factor);
  return HT_OK;
}

ht_status ht_waveform_stretch(ht_waveform *w, double period_s) {
  if (!(period_s > 0 && isfinite(period_s)))
    return ht_fail(HT_ERR_CASE, "the period is %g s; it has to be above 0", period_s);
  if (w->period_s == 0) return HT_OK;
  double factor = period_s / w->period_s;
  multiply(w->time_s, w->samples, factor);
  multiply(w->bend_before, w->samples, 1 / (factor * factor));
  multiply(w->bend_after, w->samples, 1 / (factor * factor));
  w->period_s = period_s;
  if (w->series.harmonics > 0) w->series.period_s = period_s;
  return HT_OK;
}

/* ---- reading it ---- */

static double series_value(const ht_harmonics *series, double time_s) {
  double value = series->mean_ml_s;
  for (int k = 0; k < series->harmonics; k++) {
    double phase = 2 * HT_PI * (k + 1) * (time_s / series->period_s);
    value += series->cosine_ml_s[k] * cos(phase) + series->sine_ml_s[k] * sin(phase);
  }
  return value;
}

/* The last sample at or before `at`, seconds after the first. */
static int find_sample(const ht_waveform *w, double at) {
  int low = 0, high = w->samples;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (w->time_s[middle] - w->time_s[0] <= at)
      low = middle;
    else
      high = middle;
  }
  return low;
}

double ht_waveform_value(const ht_waveform *w, double time_s) {
  if (w->samples == 0) return series_value(&w->series, time_s);
  double at = fmod(time_s - w->time_s[0], w->period_s);
  if (at < 0) at += w->period_s;
  int next, i = find_sample(w, at);
  double h = interval(w, i, &next), b = (at - (w->time_s[i] - w->time_s[0])) / h, a = 1 - b;
  double cubic = (a * a * a - a) * w->bend_after[i] + (b * b * b - b) * w->bend_before[next];
  return a * w->flow_ml_s[i] + b * w->flow_ml_s[next] + cubic * h * h / 6;
}

double ht_waveform_mean(const ht_waveform *w) {
  if (w->samples == 0) return w->series.mean_ml_s;
  double sum = 0;
  for (int i = 0; i < w->samples; i++) {
    int next;
    double h = interval(w, i, &next);
    sum += h * (w->flow_ml_s[i] + w->flow_ml_s[next]) / 2;
    sum -= h * h * h * (w->bend_after[i] + w->bend_before[next]) / 24;
  }
  return sum / w->period_s;
}

void ht_waveform_range(const ht_waveform *w, double *least, double *most) {
  const int moments = 8192;
  *least = *most = ht_waveform_value(w, w->time_s[0]);
  for (int i = 0; i < w->samples; i++) {
    *least = fmin(*least, w->flow_ml_s[i]);
    *most = fmax(*most, w->flow_ml_s[i]);
  }
  for (int i = 0; i < moments; i++) {
    double value = ht_waveform_value(w, i * w->period_s / moments);
    *least = fmin(*least, value);
    *most = fmax(*most, value);
  }
}

double ht_waveform_peak(const ht_waveform *w) {
  double least, most;
  ht_waveform_range(w, &least, &most);
  return fmax(fabs(least), fabs(most));
}

int ht_waveform_repeats(const ht_waveform *w) {
  enum { MOMENTS = 256, MOST = 4 };
  double least, most;
  if (!(w->period_s > 0)) return 1;
  ht_waveform_range(w, &least, &most);
  for (int times = MOST; times > 1; times--) {
    double off = 0, shift = w->period_s / times;
    for (int i = 0; i < MOMENTS; i++) {
      double at = i * w->period_s / MOMENTS;
      off = fmax(off, fabs(ht_waveform_value(w, at + shift) - ht_waveform_value(w, at)));
    }
    if (most > least && off < 0.05 * (most - least)) return times;
  }
  return 1;
}

/* ---- its Fourier series ---- */

/* Four times integrated by parts, int Q exp(-i v t) dt = sum over the samples of
 * (i / v^3 [Q''] + 1 / v^4 [Q''']) exp(-i v t), where [] is the jump there. Q''' is the change of
 * Q'' over an interval by its length. Q'' of a spline has no jumps. */
static void sampled_harmonic(const ht_waveform *w, int k, double *cosine, double *sine) {
  double v = 2 * HT_PI * k / w->period_s, scale = 2 / (w->period_s * v * v * v * v);
  int next, n = w->samples;
  double h = interval(w, n - 1, &next);
  double third = (w->bend_before[0] - w->bend_after[n - 1]) / h;
  *cosine = *sine = 0;
  for (int i = 0; i < n; i++) {
    h = interval(w, i, &next);
    double after = (w->bend_before[next] - w->bend_after[i]) / h;
    double jump = scale * v * (w->bend_after[i] - w->bend_before[i]);
    double c = cos(v * w->time_s[i]), s = sin(v * w->time_s[i]);
    *cosine += scale * (after - third) * c + jump * s;
    *sine += scale * (after - third) * s - jump * c;
    third = after;
  }
}

/* Mean of (Q - mean)^2, by Gauss's rule of 4 points, exact for the square of a cubic. */
static double sampled_variance(const ht_waveform *w) {
  static const double point[2] = {0.33998104358485626, 0.86113631159405258};
  static const double weight[2] = {0.65214515486254614, 0.34785484513745386};
  double mean = ht_waveform_mean(w), sum = 0;
  for (int i = 0; i < w->samples; i++) {
    int next;
    double h = interval(w, i, &next), middle = w->time_s[i] + h / 2;
    for (int g = 0; g < 4; g++) {
      double at = middle + (g % 2 ? -1 : 1) * point[g / 2] * h / 2;
      double off = ht_waveform_value(w, at) - mean;
      sum += weight[g / 2] * h / 2 * off * off;
    }
  }
  return sum / w->period_s;
}

static double series_variance(const ht_harmonics *series) {
  double sum = 0;
  for (int k = 0; k < series->harmonics; k++)
    sum += (series->cosine_ml_s[k] * series->cosine_ml_s[k] +
            series->sine_ml_s[k] * series->sine_ml_s[k]) /
           2;
  return sum;
}

double ht_waveform_harmonics(const ht_waveform *w, double share, int most, ht_harmonics *series) {
  double all = w->samples ? sampled_variance(w) : series_variance(&w->series), left = 1;
  memset(series, 0, sizeof *series);
  series->period_s = w->period_s;
  series->mean_ml_s = ht_waveform_mean(w);
  if (most > HT_HARMONICS_MAX) most = HT_HARMONICS_MAX;
  if (!w->samples && most > w->series.harmonics) most = w->series.harmonics;
  if (!(all > 0)) return 0;
  for (int k = 0; k < most && left > share; k++) {
    double *cosine = &series->cosine_ml_s[k], *sine = &series->sine_ml_s[k];
    *cosine = w->series.cosine_ml_s[k];
    *sine = w->series.sine_ml_s[k];
    if (w->samples) sampled_harmonic(w, k + 1, cosine, sine);
    series->harmonics = k + 1;
    left = sqrt(fmax(0, 1 - series_variance(series) / all));
  }
  return left;
}

double ht_flow_of_reynolds(double reynolds, double diameter_m, double viscosity_pa_s,
                           double density_kg_m3) {
  double speed_m_s = reynolds * viscosity_pa_s / (density_kg_m3 * diameter_m);
  return 1e6 * speed_m_s * HT_PI * diameter_m * diameter_m / 4;
}

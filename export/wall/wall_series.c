#include "export/wall/wall_series.h"
#include "core/numbers/vector3.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAU = 3, SUMS = 4 };

static ht_status check_sample(const ht_wall_series *series, const ht_surface *surface,
                              double weight_s) {
  if (!surface->wss_pa || !surface->wss_mag_pa || !surface->pressure_pa)
    return ht_fail(HT_ERR_INTERNAL, "a sample of the cycle has no loads on its surface");
  if (series->samples && surface->points != series->points)
    return ht_fail(HT_ERR_INTERNAL, "a sample of the cycle has %lld points on the wall, not %lld",
                   (long long)surface->points, (long long)series->points);
  if (!(weight_s > 0) || !isfinite(weight_s))
    return ht_fail(HT_ERR_INTERNAL, "a sample of the cycle stands for %g s: above 0 is allowed",
                   weight_s);
  int64_t broken = surface->points; /* the first */
#pragma omp parallel for schedule(static) reduction(min : broken)
  for (int64_t n = 0; n < surface->points; n++)
    if ((!isfinite(surface->wss_mag_pa[n]) || !isfinite(surface->pressure_pa[n])) && n < broken)
      broken = n;
  if (broken == surface->points) return HT_OK;
  return ht_fail(HT_ERR_DIVERGED,
                 "the wall shear stress is not a finite number at point %lld of the wall",
                 (long long)broken);
}

static ht_status begin(ht_wall_series *series, int64_t points) {
  static const char what[] = "the wall's load over a cycle";
  size_t count = (size_t)points;
  if (series->sum) return HT_OK;
  ht_status status = ht_alloc((void **)&series->sum, SUMS * count, sizeof(double), what);
  if (status == HT_OK) status = ht_alloc((void **)&series->range, 2 * count, sizeof(float), what);
  if (status == HT_OK) status = ht_alloc((void **)&series->peak_pa, 4 * count, sizeof(float), what);
  if (status != HT_OK) ht_wall_series_free(series);
  series->points = status == HT_OK ? points : 0;
  return status;
}

static void add_point(ht_wall_series *series, const ht_surface *surface, int64_t p,
                      double weight_s) {
  double *sum = series->sum + SUMS * p;
  float *range = series->range + 2 * p, size = surface->wss_mag_pa[p];
  for (int r = 0; r < TAU; r++) sum[r] += weight_s * surface->wss_pa[TAU * p + r];
  sum[TAU] += weight_s * size;
  if (series->samples == 0 || size < range[0]) range[0] = size;
  if (series->samples == 0 || size > range[1]) range[1] = size;
}

/* Tells whether a sample is at the peak. The first beat decides when the peak is; later beats add
 * to the mean there. */
static int is_peak(const ht_wall_series *series, double time_s, double inflow_ml_s) {
  if (series->samples == 0) return 1;
  return series->beats > 1 ? time_s == series->peak_time_s : inflow_ml_s > series->peak_flow_ml_s;
}

static void keep_peak(ht_wall_series *series, const ht_surface *surface, double time_s,
                      double inflow_ml_s) {
  const int beats = series->beats;
  series->peak_time_s = time_s;
  series->peak_flow_ml_s =
      beats == 1 ? inflow_ml_s
                 : series->peak_flow_ml_s + (inflow_ml_s - series->peak_flow_ml_s) / beats;
#pragma omp parallel for schedule(static)
  for (int64_t p = 0; p < series->points; p++)
    for (int r = 0; r <= TAU; r++) {
      float *mean = series->peak_pa + 4 * p + r;
      float value = r < TAU ? surface->wss_pa[TAU * p + r] : surface->pressure_pa[p];
      *mean = beats == 1 ? value : *mean + (value - *mean) / (float)beats;
    }
}

ht_status ht_wall_series_add(ht_wall_series *series, const ht_surface *surface, int beat,
                             double time_s, double weight_s, double inflow_ml_s) {
  HT_TRY(check_sample(series, surface, weight_s));
  HT_TRY(begin(series, surface->points));
#pragma omp parallel for schedule(static)
  for (int64_t p = 0; p < series->points; p++) add_point(series, surface, p, weight_s);
  series->beats = beat + 1;
  if (is_peak(series, time_s, inflow_ml_s)) keep_peak(series, surface, time_s, inflow_ml_s);
  series->weight_s += weight_s;
  series->samples++;
  return HT_OK;
}

/* Stores a point's numbers. The mean of the magnitude is at least the magnitude of the mean; the
 * sample's magnitudes are rounded to float, so that equality holds to 1e-7 only. */
static void store_point(const ht_wall_series *series, int64_t p, ht_wall_cycle *cycle) {
  const double *sum = series->sum + SUMS * p;
  const float *peak = series->peak_pa + 4 * p;
  double of_mean = ht_length(sum) / series->weight_s, mean = sum[TAU] / series->weight_s;
  int still = mean < HT_STILL_WSS_PA;
  double osi = still ? 0 : 0.5 * (1 - fmin(of_mean / mean, 1));
  for (int r = 0; r < TAU; r++) {
    cycle->mean_wss_pa[TAU * p + r] = (float)(sum[r] / series->weight_s);
    cycle->wss_peak_pa[TAU * p + r] = peak[r];
  }
  cycle->tawss_pa[p] = (float)mean;
  cycle->mean_wss_mag_pa[p] = (float)of_mean;
  cycle->osi[p] = (float)osi;
  cycle->rrt_per_pa[p] = (float)(1 / fmax(of_mean, HT_STILL_WSS_PA));
  cycle->ecap_per_pa[p] = (float)(still ? 0 : osi / mean);
  cycle->wss_min_pa[p] = series->range[2 * p];
  cycle->wss_max_pa[p] = series->range[2 * p + 1];
  cycle->wss_peak_mag_pa[p] = (float)ht_length((double[3]){peak[0], peak[1], peak[2]});
  cycle->pressure_peak_pa[p] = peak[TAU];
  cycle->still += still || of_mean < HT_STILL_WSS_PA;
}

ht_status ht_wall_series_result(const ht_wall_series *series, ht_wall_cycle *cycle) {
  memset(cycle, 0, sizeof *cycle);
  if (series->samples == 0)
    return ht_fail(HT_ERR_INTERNAL, "the cycle has no sample of the wall's load");
  HT_TRY(ht_wall_cycle_alloc(series->points, cycle));
  cycle->samples = series->samples;
  cycle->period_s = series->weight_s;
  cycle->peak_time_s = series->peak_time_s;
  cycle->peak_flow_ml_s = series->peak_flow_ml_s;
  for (int64_t p = 0; p < series->points; p++) store_point(series, p, cycle);
  return HT_OK;
}

void ht_wall_series_free(ht_wall_series *series) {
  if (!series) return;
  free(series->sum);
  free(series->range);
  free(series->peak_pa);
  memset(series, 0, sizeof *series);
}

ht_status ht_wall_series_move(ht_wall_series *series, int64_t points, ht_state *stream) {
  size_t count = (size_t)points;
  HT_TRY(ht_state_part(stream, "wall"));
  HT_TRY(ht_state_int(stream, &series->samples, 0, INT_MAX));
  if (series->samples == 0) return HT_OK;
  if (stream->is_loading) HT_TRY(begin(series, points));
  HT_TRY(ht_state_int(stream, &series->beats, 1, INT_MAX));
  HT_TRY(HT_STATE_OF(stream, series->weight_s));
  HT_TRY(HT_STATE_OF(stream, series->peak_time_s));
  HT_TRY(HT_STATE_OF(stream, series->peak_flow_ml_s));
  HT_TRY(ht_state_bytes(stream, series->sum, SUMS * count * sizeof(double)));
  HT_TRY(ht_state_bytes(stream, series->range, 2 * count * sizeof(float)));
  return ht_state_bytes(stream, series->peak_pa, 4 * count * sizeof(float));
}

void ht_wall_cycle_arrays(ht_wall_cycle *cycle, ht_cycle_array array[HT_CYCLE_ARRAYS]) {
  const ht_cycle_array all[HT_CYCLE_ARRAYS] = {
      {"tawss_pa", 1, &cycle->tawss_pa},
      {"mean_wss_pa", 3, &cycle->mean_wss_pa},
      {"mean_wss_magnitude_pa", 1, &cycle->mean_wss_mag_pa},
      {"osi", 1, &cycle->osi},
      {"rrt_per_pa", 1, &cycle->rrt_per_pa},
      {"ecap_per_pa", 1, &cycle->ecap_per_pa},
      {"wss_min_pa", 1, &cycle->wss_min_pa},
      {"wss_max_pa", 1, &cycle->wss_max_pa},
      {"wss_peak_pa", 3, &cycle->wss_peak_pa},
      {"wss_peak_magnitude_pa", 1, &cycle->wss_peak_mag_pa},
      {"pressure_peak_pa", 1, &cycle->pressure_peak_pa},
  };
  memcpy(array, all, sizeof all);
}

ht_status ht_wall_cycle_alloc(int64_t points, ht_wall_cycle *cycle) {
  ht_cycle_array array[HT_CYCLE_ARRAYS];
  memset(cycle, 0, sizeof *cycle);
  ht_wall_cycle_arrays(cycle, array);
  for (int a = 0; a < HT_CYCLE_ARRAYS; a++) {
    ht_status status =
        ht_alloc((void **)array[a].values, (size_t)array[a].components * (size_t)points,
                 sizeof(float), "the wall's load over a cycle");
    if (status == HT_OK) continue;
    ht_wall_cycle_free(cycle);
    return status;
  }
  cycle->points = points;
  return HT_OK;
}

void ht_wall_cycle_free(ht_wall_cycle *cycle) {
  ht_cycle_array array[HT_CYCLE_ARRAYS];
  if (!cycle) return;
  ht_wall_cycle_arrays(cycle, array);
  for (int a = 0; a < HT_CYCLE_ARRAYS; a++) free(*array[a].values);
  memset(cycle, 0, sizeof *cycle);
}

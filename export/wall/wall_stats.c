#include "wall.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double triangle_area(const ht_surface *surface, int64_t t) {
  const float *p[3];
  double d[3], e[3];
  for (int n = 0; n < 3; n++) p[n] = surface->point_mm + 3 * (int64_t)surface->triangle[3 * t + n];
  for (int r = 0; r < 3; r++) d[r] = (double)p[1][r] - p[0][r], e[r] = (double)p[2][r] - p[0][r];
  double x = d[1] * e[2] - d[2] * e[1], y = d[2] * e[0] - d[0] * e[2],
         z = d[0] * e[1] - d[1] * e[0];
  return 0.5 * sqrt(x * x + y * y + z * z);
}

/* Linear over the triangle: its mean is that of its corners. */
static double triangle_mean(const ht_surface *surface, const float *values, int64_t t) {
  double sum = 0;
  for (int n = 0; n < 3; n++) sum += values[surface->triangle[3 * t + n]];
  return sum / 3;
}

static double total_area(const ht_surface *surface) {
  double area = 0;
  for (int64_t t = 0; t < surface->triangles; t++) area += triangle_area(surface, t);
  return area;
}

static double area_up_to(const ht_surface *surface, const float *values, double limit) {
  double area = 0;
  for (int64_t t = 0; t < surface->triangles; t++)
    if (triangle_mean(surface, values, t) <= limit) area += triangle_area(surface, t);
  return area;
}

/* Of each triangle its mean and its area, which are asked for many times. */
typedef struct {
  double mean, area;
} piece;

/* NULL: not enough memory; they are then computed each time. */
static piece *keep_pieces(const ht_surface *surface, const float *values) {
  piece *pieces = malloc((size_t)surface->triangles * sizeof *pieces);
  for (int64_t t = 0; t < surface->triangles && pieces; t++)
    pieces[t] = (piece){triangle_mean(surface, values, t), triangle_area(surface, t)};
  return pieces;
}

static double pieces_up_to(const ht_surface *surface, const float *values, const piece *pieces,
                           double limit) {
  double area = 0;
  if (!pieces) return area_up_to(surface, values, limit);
  for (int64_t t = 0; t < surface->triangles; t++)
    if (pieces[t].mean <= limit) area += pieces[t].area;
  return area;
}

/* The value that this share of the area does not exceed, by bisection. */
static double percentile(const ht_surface *surface, const float *values, const piece *pieces,
                         double share, double area, double max) {
  double low = 0, high = max;
  for (int i = 0; i < 24; i++) { /* to 1e-7 of the maximum */
    double middle = 0.5 * (low + high);
    if (pieces_up_to(surface, values, pieces, middle) >= share * area)
      high = middle;
    else
      low = middle;
  }
  return high;
}

void ht_surface_spread(const ht_surface *surface, const float *values, ht_wall_spread *spread) {
  memset(spread, 0, sizeof *spread);
  double sum = 0, area = total_area(surface);
  if (!values || !(area > 0)) return;
  for (int64_t t = 0; t < surface->triangles; t++)
    sum += triangle_area(surface, t) * triangle_mean(surface, values, t);
  spread->mean = sum / area;
  for (int64_t p = 0; p < surface->points; p++)
    if (values[p] > spread->max) spread->max = values[p];
  piece *pieces = keep_pieces(surface, values);
  spread->median = percentile(surface, values, pieces, 0.5, area, spread->max);
  spread->p99 = percentile(surface, values, pieces, 0.99, area, spread->max);
  free(pieces);
}

void ht_surface_stats(const ht_surface *surface, ht_wall_stats *stats) {
  ht_wall_spread wss;
  ht_surface_spread(surface, surface->wss_mag_pa, &wss);
  *stats = (ht_wall_stats){wss.mean, wss.max, wss.p99, total_area(surface), 0, 0, 0};
  if (!surface->dx_plus || !(stats->area_mm2 > 0)) return;
  ht_wall_spread spread;
  ht_surface_spread(surface, surface->dx_plus, &spread);
  stats->dx_plus_p99 = spread.p99;
  stats->dx_plus_max = spread.max;
  stats->coarse_share =
      1 - area_up_to(surface, surface->dx_plus, HT_DX_PLUS_COARSE) / stats->area_mm2;
}

ht_status ht_surface_resolve(ht_surface *surface, const ht_flow *flow, const ht_wall_cycle *cycle) {
  if (!surface->wss_mag_pa || (cycle && cycle->points != surface->points))
    return ht_fail(HT_ERR_INTERNAL, "the wall has no load, or one of another wall");
  if (!surface->dx_plus)
    HT_TRY(ht_alloc((void **)&surface->dx_plus, (size_t)surface->points, sizeof(float),
                    "the wall's surface"));
  double dx_m = 1e-3 * flow->grid.spacing_mm[0];
  const float *wss_pa = cycle ? cycle->wss_max_pa : surface->wss_mag_pa;
  for (int64_t p = 0; p < surface->points; p++)
    surface->dx_plus[p] =
        (float)(dx_m * sqrt(flow->density_kg_m3 * wss_pa[p]) / flow->viscosity_pa_s);
  return HT_OK;
}

void ht_cycle_stats_of(const ht_surface *surface, const ht_wall_cycle *cycle,
                       ht_cycle_stats *stats) {
  memset(stats, 0, sizeof *stats);
  double area = total_area(surface);
  if (cycle->samples == 0 || cycle->points != surface->points || !(area > 0)) return;
  stats->samples = cycle->samples;
  stats->period_s = cycle->period_s;
  stats->peak_time_s = cycle->peak_time_s;
  stats->peak_flow_ml_s = cycle->peak_flow_ml_s;
  const float *values[] = {cycle->tawss_pa, cycle->mean_wss_mag_pa, cycle->osi,
                           cycle->wss_peak_mag_pa};
  ht_wall_spread *spread[] = {&stats->tawss_pa, &stats->mean_wss_mag_pa, &stats->osi,
                              &stats->wss_peak_pa};
#pragma omp parallel for schedule(dynamic)
  for (int k = 0; k < 4; k++) ht_surface_spread(surface, values[k], spread[k]);
  stats->low_share = area_up_to(surface, cycle->tawss_pa, HT_LOW_WSS_PA) / area;
  stats->still_share = (double)cycle->still / (double)cycle->points;
}

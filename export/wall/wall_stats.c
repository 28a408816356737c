#include "export/wall/wall.h"
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

/* The mean over a triangle, on which the value is linear: that of its corners. */
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

void ht_triangle_below(const double corner[3], double limit, double *area, double *integral) {
  double low = fmin(corner[0], fmin(corner[1], corner[2]));
  double high = fmax(corner[0], fmax(corner[1], corner[2]));
  double sum = corner[0] + corner[1] + corner[2], middle = sum - low - high;
  if (limit <= low) {
    *area = *integral = 0;
  } else if (limit >= high) {
    *area = 1;
    *integral = sum / 3;
  } else if (limit < middle) {
    *area = (limit - low) / (middle - low) * (limit - low) / (high - low);
    *integral = *area * (low + 2 * limit) / 3;
  } else {
    double above = (high - limit) / (high - low) * (high - limit) / (high - middle);
    *area = 1 - above;
    *integral = sum / 3 - above * (high + 2 * limit) / 3;
  }
}

/* A triangle: the values at its corners in their order, and its area, mm2. */
typedef struct {
  float low, middle, high, area;
} piece;

/* A triangle's piece, without area where a corner has no value. */
static piece piece_of(const ht_surface *surface, const float *values, int64_t t) {
  const int32_t *corner = surface->triangle + 3 * t;
  const float a = values[corner[0]], b = values[corner[1]], c = values[corner[2]];
  piece of = {.low = fminf(a, fminf(b, c)), .high = fmaxf(a, fmaxf(b, c))};
  if (!isfinite(a) || !isfinite(b) || !isfinite(c)) return of;
  of.middle = fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
  of.area = (float)triangle_area(surface, t);
  return of;
}

static double piece_below(const piece *of, double limit) {
  const double corner[3] = {of->low, of->middle, of->high};
  double area, integral;
  if (limit >= of->high) return of->area;
  if (limit <= of->low) return 0;
  ht_triangle_below(corner, limit, &area, &integral);
  return area * of->area;
}

/* The area, mm2, on which the value is at most `limit`. pieces: NULL: they are made each time. */
static double area_up_to(const ht_surface *surface, const float *values, const piece *pieces,
                         double limit) {
  double area = 0;
  for (int64_t t = 0; t < surface->triangles; t++) {
    const piece of = pieces ? pieces[t] : piece_of(surface, values, t);
    area += piece_below(&of, limit);
  }
  return area;
}

/* The share of the area, 0 .. 1; 0 where there is none. */
static double share_up_to(const ht_surface *surface, const float *values, double limit) {
  double area = area_up_to(surface, values, NULL, INFINITY);
  return area > 0 ? area_up_to(surface, values, NULL, limit) / area : 0;
}

/* Computes the pieces once, since a percentile needs them many times. NULL: not enough memory. */
static piece *keep_pieces(const ht_surface *surface, const float *values) {
  piece *pieces = malloc((size_t)surface->triangles * sizeof *pieces);
  for (int64_t t = 0; t < surface->triangles && pieces; t++)
    pieces[t] = piece_of(surface, values, t);
  return pieces;
}

/* The value that this share of the area does not exceed, by bisection to 1e-7 of the range. */
static double percentile(const ht_surface *surface, const float *values, const piece *pieces,
                         double share) {
  double low = INFINITY, high = -INFINITY;
  for (int64_t p = 0; p < surface->points; p++)
    if (isfinite(values[p])) low = fmin(low, values[p]), high = fmax(high, values[p]);
  double area = area_up_to(surface, values, pieces, high);
  if (!(area > 0)) return NAN;
  for (int i = 0; i < 24; i++) {
    double middle = 0.5 * (low + high);
    if (area_up_to(surface, values, pieces, middle) >= share * area)
      high = middle;
    else
      low = middle;
  }
  return high;
}

double ht_surface_percentile(const ht_surface *surface, const float *values, double share) {
  piece *pieces = keep_pieces(surface, values);
  double value = percentile(surface, values, pieces, share);
  free(pieces);
  return value;
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
  spread->median = percentile(surface, values, pieces, 0.5);
  spread->p99 = percentile(surface, values, pieces, 0.99);
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
  stats->coarse_share = 1 - share_up_to(surface, surface->dx_plus, HT_DX_PLUS_COARSE);
}

/* Returns the halvings by which the lattice was coarser half a spacing inside of a point. */
static int coarser_at(const ht_surface *surface, int64_t point, const ht_grid *grid,
                      const uint8_t *coarser) {
  double inside[3];
  int at[3];
  if (!coarser) return 0;
  for (int r = 0; r < 3; r++)
    inside[r] = surface->point_mm[3 * point + r] -
                0.5 * grid->spacing_mm[0] * surface->normal[3 * point + r];
  return coarser[ht_grid_nearest(grid, inside, at)];
}

ht_status ht_surface_resolve(ht_surface *surface, const ht_flow *flow, const ht_wall_cycle *cycle,
                             const uint8_t *coarser) {
  if (!surface->wss_mag_pa || (cycle && cycle->points != surface->points))
    return ht_fail(HT_ERR_INTERNAL, "the wall has no load, or one of another wall");
  if (!surface->dx_plus)
    HT_TRY(ht_alloc((void **)&surface->dx_plus, (size_t)surface->points, sizeof(float),
                    "the wall's surface"));
  double dx_m = 1e-3 * flow->grid.spacing_mm[0];
  const float *wss_pa = cycle ? cycle->wss_max_pa : surface->wss_mag_pa;
  for (int64_t p = 0; p < surface->points; p++)
    surface->dx_plus[p] = (float)(ldexp(dx_m, coarser_at(surface, p, &flow->grid, coarser)) *
                                  sqrt(flow->density_kg_m3 * wss_pa[p]) / flow->viscosity_pa_s);
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
  stats->low_share = share_up_to(surface, cycle->tawss_pa, HT_LOW_WSS_PA);
  stats->still_share = (double)cycle->still / (double)cycle->points;
}

#include "export.h"
#include <math.h>
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
static double triangle_wss(const ht_surface *surface, int64_t t) {
  double sum = 0;
  for (int n = 0; n < 3; n++) sum += surface->wss_mag_pa[surface->triangle[3 * t + n]];
  return sum / 3;
}

static double area_up_to(const ht_surface *surface, double wss_pa) {
  double area = 0;
  for (int64_t t = 0; t < surface->triangles; t++)
    if (triangle_wss(surface, t) <= wss_pa) area += triangle_area(surface, t);
  return area;
}

/* The stress that 99 % of the area does not exceed. By bisection: no memory, nothing to fail. */
static double percentile99(const ht_surface *surface, double area, double max_pa) {
  double low = 0, high = max_pa;
  for (int i = 0; i < 24; i++) { /* to 1e-7 of the maximum */
    double middle = 0.5 * (low + high);
    if (area_up_to(surface, middle) >= 0.99 * area)
      high = middle;
    else
      low = middle;
  }
  return high;
}

void ht_surface_stats(const ht_surface *surface, ht_wall_stats *stats) {
  memset(stats, 0, sizeof *stats);
  double sum = 0;
  for (int64_t t = 0; t < surface->triangles; t++) {
    double area = triangle_area(surface, t);
    stats->area_mm2 += area;
    if (surface->wss_mag_pa) sum += area * triangle_wss(surface, t);
  }
  if (!surface->wss_mag_pa || !(stats->area_mm2 > 0)) return;
  stats->wss_mean_pa = sum / stats->area_mm2;
  for (int64_t p = 0; p < surface->points; p++)
    if (surface->wss_mag_pa[p] > stats->wss_max_pa) stats->wss_max_pa = surface->wss_mag_pa[p];
  stats->wss_p99_pa = percentile99(surface, stats->area_mm2, stats->wss_max_pa);
}

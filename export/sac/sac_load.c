#include "export/sac/sac_flow.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <string.h>

static const double low_share = 0.1;           /* of the parent's mean */
static const double still_rrt_per_pa = 0.99e6; /* that of points too still for RRT: wall_series.h */

static double area_of(const double a[3], const double b[3], const double c[3]) {
  double d[3], e[3], cross[3];
  for (int r = 0; r < 3; r++) d[r] = b[r] - a[r], e[r] = c[r] - a[r];
  ht_cross(d, e, cross);
  return 0.5 * ht_length(cross);
}

/* ---- the parent ---- */

/* The area of a triangle of the near parent, outside the sac; 0 for others. */
static double parent_area(const ht_surface *surface, const ht_sac_mesh *sac, double near_mm,
                          const int32_t *corner) {
  double p[3][3];
  for (int i = 0; i < 3; i++) {
    for (int r = 0; r < 3; r++) p[i][r] = surface->point_mm[3 * (int64_t)corner[i] + r];
    if (sac->in_sac[corner[i]] || ht_distance(p[i], sac->neck.origin_mm) > near_mm) return 0;
  }
  return area_of(p[0], p[1], p[2]);
}

static void measure_parent(const ht_surface *surface, const ht_sac_mesh *sac, double near_mm,
                           const float *wss_pa, ht_sac_load *load) {
  double area = 0, sum = 0, squares = 0;
  for (int64_t t = 0; t < surface->triangles; t++) {
    const int32_t *corner = surface->triangle + 3 * t;
    double part = parent_area(surface, sac, near_mm, corner) / 3;
    area += 3 * part;
    for (int i = 0; i < 3 && part > 0; i++) {
      sum += part * wss_pa[corner[i]];
      squares += part * wss_pa[corner[i]] * wss_pa[corner[i]];
    }
  }
  load->parent_mean_pa = load->parent_deviation_pa = NAN;
  if (!(area > 0)) return;
  load->parent_mean_pa = sum / area;
  load->parent_deviation_pa = sqrt(fmax(0, squares / area - pow(sum / area, 2)));
}

/* ---- the sac ---- */

/* Force and area of the whole sac, of its high and its low part; area below a tenth. */
typedef struct {
  double force, area, high_force, high_area, low_force, low_area, tenth_area;
  double osi, rrt, rrt_area;
} sums;

static void add_stress(const double wss[3], double area, const ht_sac_load *load, sums *to) {
  double whole = (wss[0] + wss[1] + wss[2]) / 3, share, integral;
  to->area += area;
  to->force += area * whole;
  ht_triangle_below(wss, load->parent_mean_pa + load->parent_deviation_pa, &share, &integral);
  to->high_area += area * (1 - share);
  to->high_force += area * (whole - integral);
  ht_triangle_below(wss, load->parent_mean_pa - load->parent_deviation_pa, &share, &integral);
  to->low_area += area * share;
  to->low_force += area * integral;
  ht_triangle_below(wss, low_share * load->parent_mean_pa, &share, &integral);
  to->tenth_area += area * share;
}

static void add_cycle(const ht_sac_mesh *sac, int32_t point, double area,
                      const ht_sac_values *values, ht_sac_load *load, sums *to) {
  double value = values->osi ? ht_sac_value(sac, values->osi, point) : 0;
  double rrt = values->rrt_per_pa ? ht_sac_value(sac, values->rrt_per_pa, point) : still_rrt_per_pa;
  to->osi += area * value;
  load->osi_max = fmax(load->osi_max, value);
  if (!(rrt < still_rrt_per_pa)) return;
  to->rrt += area * rrt;
  to->rrt_area += area;
}

static void finish(const sums *of, int has_osi, ht_sac_load *load) {
  load->mean_pa = of->force / of->area;
  load->normalised_mean = load->mean_pa / load->parent_mean_pa;
  load->normalised_max = load->max_pa / load->parent_mean_pa;
  load->low_area_percent = 100 * of->tenth_area / of->area;
  load->low_shear_percent = 100 * of->low_area / of->area;
  load->low_shear_index = of->low_force / of->force * of->low_area / of->area;
  load->shear_concentration = of->high_area > 1e-9 * of->area
                                  ? of->high_force / of->force / (of->high_area / of->area)
                                  : NAN;
  load->osi_mean = has_osi ? of->osi / of->area : NAN;
  if (!has_osi) load->osi_max = NAN;
  load->rrt_mean_per_pa = of->rrt_area > 0 ? of->rrt / of->rrt_area : NAN;
  if (isfinite(load->parent_mean_pa)) return;
  load->low_area_percent = load->low_shear_percent = load->low_shear_index = NAN;
}

void ht_sac_load_of(const ht_surface *surface, const ht_sac_mesh *sac, double near_mm,
                    const ht_sac_values *values, ht_sac_load *load) {
  sums of = {0};
  memset(load, 0, sizeof *load);
  measure_parent(surface, sac, near_mm, values->wss_pa, load);
  for (int64_t t = 0; t < sac->triangles; t++) {
    const int32_t *corner = sac->triangle + 3 * t;
    const double *p[3];
    for (int i = 0; i < 3; i++) p[i] = sac->point_mm + 3 * (int64_t)corner[i];
    double area = area_of(p[0], p[1], p[2]), wss[3];
    for (int i = 0; i < 3; i++) {
      wss[i] = ht_sac_value(sac, values->wss_pa, corner[i]);
      load->max_pa = fmax(load->max_pa, wss[i]);
      add_cycle(sac, corner[i], area / 3, values, load, &of);
    }
    add_stress(wss, area, load, &of);
  }
  finish(&of, values->osi != NULL, load);
}

/* Wall shear stress and pressure at the points of the wall.
 *
 * The traction of the fluid on the wall is -sigma . n, n pointing out of the fluid; its tangential
 * part is the wall shear stress, along the flow next to the wall.
 *
 * Where the domain has the nodes' distances from the wall (interpolated walls), it comes from a fit
 * to the stress of the nodes near the wall: wall_fit.h.
 *
 * Next to a staircase of half-way walls nodes are off by tens of per cent with changing sign: there
 * sigma is read at six depths below the point, along the inward normal, and extrapolated to the
 * wall by a straight line (least squares): a line through many depths is nearer the truth than a
 * line through two. Then it is averaged with the neighbouring points. Depths and passes come from
 * measurements on oblique Poiseuille pipes: docs/notes/walls/wall-shear-stress.md. The pressure is
 * read in this way at every wall. */
#include "export/wall/wall.h"
#include "export/wall/wall_fit.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTHS = 6, STRESSES = 6, FIELDS = 7, LOADS = 4 }; /* fields: stress, then pressure */
static const double first_depth = 0.75, last_depth = 3.5; /* voxels */
static const int smoothing_passes = 2;                    /* mean with the neighbouring points */

/* Adds a node's fields. `first`, here and below: the first of the fields that are needed. */
static void add_node(const ht_flow *flow, int64_t node, double weight, int first,
                     double value[FIELDS]) {
  for (int f = first; f < STRESSES; f++) value[f] += weight * flow->stress_pa[STRESSES * node + f];
  value[STRESSES] += weight * flow->pressure_pa[node];
}

/* Interpolates trilinearly over the fluid nodes only; returns their share of the weight, 0 .. 1. */
static double sample(const ht_flow *flow, const double index[3], int first, double value[FIELDS]) {
  int low[3];
  double part[3], share = 0;
  memset(value, 0, FIELDS * sizeof *value);
  for (int a = 0; a < 3; a++) {
    low[a] = (int)floor(index[a]);
    part[a] = index[a] - low[a];
  }
  for (int c = 0; c < 8; c++) {
    const int bit[3] = {c & 1, c >> 1 & 1, c >> 2};
    const int at[3] = {low[0] + bit[0], low[1] + bit[1], low[2] + bit[2]};
    double weight = 1;
    for (int a = 0; a < 3; a++) weight *= bit[a] ? part[a] : 1 - part[a];
    int64_t node = ht_flow_node_at(flow, at);
    if (node < 0 || weight <= 0) continue;
    add_node(flow, node, weight, first, value);
    share += weight;
  }
  for (int f = first; f < FIELDS && share > 0; f++) value[f] /= share;
  return share;
}

/* Takes the nearest node's values for a point without fluid below it (a spike of one voxel). The
 * surface's construction puts it within two voxels. */
static void take_nearest(const ht_flow *flow, const double index[3], int first,
                         double value[FIELDS]) {
  int centre[3];
  double best = 1e30;
  int64_t nearest = -1;
  for (int a = 0; a < 3; a++) centre[a] = (int)lround(index[a]);
  for (int n = 0; n < 125; n++) {
    int at[3] = {centre[0] + n % 5 - 2, centre[1] + n / 5 % 5 - 2, centre[2] + n / 25 - 2};
    int64_t node = ht_flow_node_at(flow, at);
    double distance2 = 0;
    for (int a = 0; a < 3; a++) distance2 += (at[a] - index[a]) * (at[a] - index[a]);
    if (node < 0 || distance2 >= best) continue;
    best = distance2;
    nearest = node;
  }
  memset(value, 0, FIELDS * sizeof *value);
  if (nearest >= 0) add_node(flow, nearest, 1, first, value);
}

/* Sums of a line's least squares, weighted by the share of fluid. */
typedef struct {
  double weight, depth, depth2, value[FIELDS], product[FIELDS];
} line;

static void line_add(line *sums, double depth, double weight, int first,
                     const double value[FIELDS]) {
  sums->weight += weight;
  sums->depth += weight * depth;
  sums->depth2 += weight * depth * depth;
  for (int f = first; f < FIELDS; f++) {
    sums->value[f] += weight * value[f];
    sums->product[f] += weight * depth * value[f];
  }
}

/* The line's value at depth 0; the mean where the depths do not determine a slope. */
static void line_at_wall(const line *sums, int first, double value[FIELDS]) {
  double determinant = sums->weight * sums->depth2 - sums->depth * sums->depth;
  for (int f = first; f < FIELDS; f++)
    value[f] = determinant > 0.01
                   ? (sums->depth2 * sums->value[f] - sums->depth * sums->product[f]) / determinant
                   : sums->value[f] / sums->weight;
}

static void index_below(const ht_surface *surface, int64_t p, const ht_grid *grid, double depth,
                        double index[3]) {
  double at[3];
  for (int r = 0; r < 3; r++)
    at[r] = surface->point_mm[3 * p + r] - depth * grid->spacing_mm[0] * surface->normal[3 * p + r];
  ht_grid_index(grid, at, index);
}

/* Extrapolates the fields to the wall from samples down to the last depth, or to the vessel's other
 * side. */
static void value_at_wall(const ht_surface *surface, int64_t p, const ht_flow *flow, int first,
                          double value[FIELDS]) {
  line sums = {0};
  double index[3], found[FIELDS];
  for (int n = 0; n < DEPTHS; n++) {
    double depth = first_depth + (last_depth - first_depth) * n / (DEPTHS - 1);
    index_below(surface, p, &flow->grid, depth, index);
    double share = sample(flow, index, first, found);
    if (share < 0.5 && sums.weight > 0) break;
    if (share > 0.01) line_add(&sums, depth, share, first, found);
  }
  if (sums.weight > 0) {
    line_at_wall(&sums, first, value);
    return;
  }
  index_below(surface, p, &flow->grid, 0, index);
  take_nearest(flow, index, first, value);
}

static void make_tangential(const float normal[3], double vector[3]) {
  double along = 0;
  for (int r = 0; r < 3; r++) along += vector[r] * normal[r];
  for (int r = 0; r < 3; r++) vector[r] -= along * normal[r];
}

/* Computes a load: wall shear stress (3), pressure. */
static void load_of(const double v[FIELDS], const float n[3], double load[LOADS]) {
  load[0] = -(v[0] * n[0] + v[3] * n[1] + v[4] * n[2]);
  load[1] = -(v[3] * n[0] + v[1] * n[1] + v[5] * n[2]);
  load[2] = -(v[4] * n[0] + v[5] * n[1] + v[2] * n[2]);
  load[3] = v[STRESSES];
  make_tangential(n, load);
}

typedef struct {
  const ht_surface *surface;
  const ht_domain *domain;
  const ht_flow *flow;
  ht_wall_fits *kept; /* NULL: the fits are made for this flow alone */
  double *load;       /* [points][LOADS] */
} loading;

static void fit_point(const loading *of, int64_t p, ht_wall_frame *frame, ht_wall_weight *weight) {
  const ht_grid *grid = &of->flow->grid;
  double index[3], below[3];
  frame->nodes = 0;
  if (!of->domain->wall_distance) return;
  index_below(of->surface, p, grid, 0, index);
  index_below(of->surface, p, grid, 1, below);
  for (int a = 0; a < 3; a++) below[a] -= index[a];
  ht_wall_fit(of->domain, of->flow, index, below, frame, weight);
}

/* Computes a point's load by its fit; where no node is near, as at a half-way wall. */
static void load_point(const loading *of, int64_t p, const ht_wall_frame *frame,
                       const ht_wall_weight *weight) {
  double value[FIELDS], *load = of->load + LOADS * p;
  value_at_wall(of->surface, p, of->flow, frame->nodes > 0 ? STRESSES : 0, value);
  if (frame->nodes == 0) {
    load_of(value, of->surface->normal + 3 * p, load);
    return;
  }
  ht_wall_fit_load(frame, weight, of->flow, load);
  load[LOADS - 1] = value[STRESSES];
}

/* Computes a group's loads from the kept fits, which it makes if they are missing. Without the
 * memory to keep them, they are made for each flow. */
static void load_group(const loading *of, int64_t group) {
  const int64_t first = group * HT_WALL_GROUP, points = of->surface->points;
  const int64_t behind = first + HT_WALL_GROUP < points ? first + HT_WALL_GROUP : points;
  const size_t most = (size_t)(behind - first) * HT_WALL_FIT_NODES;
  ht_wall_weight *kept = of->kept ? of->kept->weight[group] : NULL, own[HT_WALL_FIT_NODES];
  const int is_kept = kept != NULL;
  size_t used = 0;
  if (of->kept && !is_kept) kept = malloc(most * sizeof *kept);
  for (int64_t p = first; p < behind; p++) {
    ht_wall_frame here, *frame = kept ? &of->kept->frame[p] : &here;
    ht_wall_weight *weight = kept ? kept + used : own;
    if (!is_kept) fit_point(of, p, frame, weight);
    load_point(of, p, frame, weight);
    used += (size_t)frame->nodes;
  }
  if (!kept || is_kept) return;
  ht_wall_weight *shrunk = realloc(kept, (used + 1) * sizeof *kept);
  of->kept->weight[group] = shrunk ? shrunk : kept;
}

static int64_t groups_of(int64_t points) {
  return (points + HT_WALL_GROUP - 1) / HT_WALL_GROUP;
}

static ht_status begin_fits(int64_t points, ht_wall_fits *fits) {
  static const char what[] = "the wall's load";
  const int64_t groups = groups_of(points);
  if (fits->points > 0 && fits->points != points)
    return ht_fail(HT_ERR_INTERNAL, "the fits at the wall are of another surface");
  if (fits->points > 0) return HT_OK;
  HT_TRY(ht_alloc((void **)&fits->frame, (size_t)points, sizeof *fits->frame, what));
  HT_TRY(ht_alloc((void **)&fits->weight, (size_t)groups, sizeof *fits->weight, what));
  fits->groups = groups;
  fits->points = points;
  return HT_OK;
}

/* Smooths the load in one pass: a point and its neighbours count alike. An edge is met twice, at
 * the rim once. */
static void smooth_once(const ht_surface *surface, double *load, double *sum) {
  size_t points = (size_t)surface->points, room = LOADS + 1;
  memset(sum, 0, points * room * sizeof *sum);
  for (int64_t t = 0; t < surface->triangles; t++) {
    const int32_t *corner = surface->triangle + 3 * t;
    for (int n = 0; n < 6; n++) {
      size_t to = (size_t)corner[n % 3], from = (size_t)corner[(n + 1 + n / 3) % 3];
      for (int f = 0; f < LOADS; f++) sum[room * to + f] += 0.5 * load[LOADS * from + f];
      sum[room * to + LOADS] += 0.5;
    }
  }
  for (size_t p = 0; p < points; p++)
    for (size_t f = 0; f < LOADS; f++)
      load[LOADS * p + f] = (load[LOADS * p + f] + sum[room * p + f]) / (1 + sum[room * p + LOADS]);
}

static void smooth_loads(const ht_surface *surface, double *load, double *sum) {
  for (int i = 0; i < smoothing_passes; i++) smooth_once(surface, load, sum);
  for (int64_t p = 0; p < surface->points; p++)
    make_tangential(surface->normal + 3 * p, load + LOADS * p);
}

static ht_status alloc_loads(ht_surface *surface) {
  size_t points = (size_t)surface->points;
  free(surface->wss_pa);
  free(surface->wss_mag_pa);
  free(surface->pressure_pa);
  surface->wss_pa = surface->wss_mag_pa = surface->pressure_pa = NULL;
  HT_TRY(ht_alloc((void **)&surface->wss_pa, 3 * points, sizeof(float), "the wall's load"));
  HT_TRY(ht_alloc((void **)&surface->wss_mag_pa, points, sizeof(float), "the wall's load"));
  return ht_alloc((void **)&surface->pressure_pa, points, sizeof(float), "the wall's load");
}

static void store_loads(ht_surface *surface, const double *load) {
#pragma omp parallel for schedule(static)
  for (int64_t p = 0; p < surface->points; p++) {
    const double *one = load + LOADS * p;
    for (int r = 0; r < 3; r++) surface->wss_pa[3 * p + r] = (float)one[r];
    surface->wss_mag_pa[p] = (float)ht_length(one);
    surface->pressure_pa[p] = (float)one[3];
  }
}

static ht_status compute_loads(ht_surface *surface, loading *of, double **sum) {
  size_t points = (size_t)surface->points;
  const int is_fitted = of->domain->wall_distance != NULL;
  HT_TRY(alloc_loads(surface));
  HT_TRY(ht_alloc((void **)&of->load, LOADS * points, sizeof(double), "the wall's load"));
  if (!is_fitted)
    HT_TRY(ht_alloc((void **)sum, (LOADS + 1) * points, sizeof(double), "the wall's load"));
  if (!is_fitted) of->kept = NULL;
  if (of->kept) HT_TRY(begin_fits(surface->points, of->kept));
#pragma omp parallel for schedule(dynamic)
  for (int64_t g = 0; g < groups_of(surface->points); g++) load_group(of, g);
  if (!is_fitted) smooth_loads(surface, of->load, *sum);
  store_loads(surface, of->load);
  return HT_OK;
}

ht_status ht_surface_load_by(ht_surface *surface, const ht_domain *domain, const ht_flow *flow,
                             ht_wall_fits *fits) {
  loading of = {surface, domain, flow, fits, NULL};
  double *sum = NULL;
  if (memcmp(domain->mask.grid.dim, flow->grid.dim, sizeof flow->grid.dim) != 0)
    return ht_fail(HT_ERR_INTERNAL, "the flow is on another lattice than its domain");
  ht_status status = compute_loads(surface, &of, &sum);
  free(of.load);
  free(sum);
  if (status == HT_OK) return HT_OK;
  free(surface->wss_pa);
  free(surface->wss_mag_pa);
  free(surface->pressure_pa);
  surface->wss_pa = surface->wss_mag_pa = surface->pressure_pa = NULL;
  return status;
}

ht_status ht_surface_load(ht_surface *surface, const ht_domain *domain, const ht_flow *flow) {
  return ht_surface_load_by(surface, domain, flow, NULL);
}

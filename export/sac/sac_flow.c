#include "export/sac/sac_flow.h"
#include "core/numbers/vector3.h"
#include "export/lines/vortex_core.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double near_reach_mm = 10;
static const double shortest_core = 0.5; /* of the neck's width: a shorter one is noise */
static const double same_flow = 0.1;     /* two sections have the same flow within this */

enum { COMPONENTS = 4 }; /* of a sample: velocity, pressure */

double ht_sac_near_mm(const ht_sac_shape *shape, const ht_sac_parent *parent) {
  return 0.5 * shape->neck_width_mm + fmax(near_reach_mm, parent->diameter_mm);
}

/* Interpolates trilinearly: velocity with 0 in the solid, pressure among the fluid nodes (NAN:
 * there is none). */
static void sample(const ht_flow *flow, const double at_mm[3], double value[COMPONENTS]) {
  double index[3], fluid = 0;
  int low[3];
  memset(value, 0, COMPONENTS * sizeof *value);
  ht_grid_index(&flow->grid, at_mm, index);
  for (int a = 0; a < 3; a++) low[a] = (int)floor(index[a]);
  for (int c = 0; c < 8; c++) {
    int at[3];
    double weight = 1;
    for (int a = 0; a < 3; a++) {
      int up = c >> a & 1;
      at[a] = low[a] + up;
      weight *= up ? index[a] - low[a] : 1 - (index[a] - low[a]);
    }
    int64_t node = ht_flow_node_at(flow, at);
    if (node < 0) continue;
    for (int r = 0; r < 3; r++) value[r] += weight * flow->velocity_m_s[3 * node + r];
    value[3] += weight * flow->pressure_pa[node];
    fluid += weight;
  }
  value[3] = fluid > 0 ? value[3] / fluid : NAN;
}

/* ---- through the neck ---- */

/* The rim on the neck's plane, from its origin, and its box. */
typedef struct {
  double across[2][3];
  double (*point)[2]; /* [count]; owned */
  int64_t count;
  double low[2], high[2];
} outline;

static ht_status outline_of(const ht_sac_mesh *sac, outline *o) {
  int64_t first = sac->points - sac->rim;
  ht_span_across(sac->neck.normal, o->across);
  o->count = sac->rim;
  HT_TRY(ht_alloc((void **)&o->point, (size_t)o->count, sizeof *o->point, "the sac's neck"));
  for (int k = 0; k < 2; k++) o->low[k] = INFINITY, o->high[k] = -INFINITY;
  for (int64_t i = 0; i < o->count; i++) {
    double from[3];
    for (int r = 0; r < 3; r++)
      from[r] = sac->point_mm[3 * (first + i) + r] - sac->neck.origin_mm[r];
    for (int k = 0; k < 2; k++) {
      o->point[i][k] = ht_dot(from, o->across[k]);
      o->low[k] = fmin(o->low[k], o->point[i][k]);
      o->high[k] = fmax(o->high[k], o->point[i][k]);
    }
  }
  return HT_OK;
}

static int holds(const outline *o, double u, double v) {
  int inside = 0;
  for (int64_t i = 0; i < o->count; i++) {
    const double *a = o->point[i], *b = o->point[(i + 1) % o->count];
    if ((a[1] > v) != (b[1] > v) && a[0] + (v - a[1]) * (b[0] - a[0]) / (b[1] - a[1]) > u)
      inside ^= 1;
  }
  return inside;
}

/* Sums the flow through the neck over points a quarter of a spacing apart. mm2 times m/s is mL/s.
 */
static void pass_neck(const ht_sac_mesh *sac, const outline *o, const ht_flow *flow,
                      ht_sac_flow *f) {
  double step = 0.25 * flow->grid.spacing_mm[0], in = 0, out = 0, in_area = 0, area = 0;
  for (double v = o->low[1] + 0.5 * step; v < o->high[1]; v += step)
    for (double u = o->low[0] + 0.5 * step; u < o->high[0]; u += step) {
      double at_mm[3], value[COMPONENTS];
      if (!holds(o, u, v)) continue;
      for (int r = 0; r < 3; r++)
        at_mm[r] = sac->neck.origin_mm[r] + u * o->across[0][r] + v * o->across[1][r];
      sample(flow, at_mm, value);
      double through = ht_dot(value, sac->neck.normal);
      area += 1;
      if (through > 0) in += through, in_area += 1;
      if (through < 0) out -= through;
    }
  double unit = area > 0 ? sac->neck_area_mm2 / area : 0; /* of a point */
  f->inflow_ml_s = 0.5 * (in + out) * unit;
  f->neck_imbalance = in + out > 0 ? 2 * (in - out) / (in + out) : NAN;
  f->inflow_area_mm2 = in_area * unit;
}

/* ---- through the parent ---- */

typedef struct {
  double flow_ml_s, velocity_m_s, pressure_pa;
} section;

/* The flow through a section; mm2 times m/s is mL/s. */
static double flow_through(const ht_vessel_path *path, int s, const ht_flow *flow) {
  double sum = 0;
  for (int64_t i = path->flow_first[s]; i < path->flow_first[s + 1]; i++) {
    double at_mm[3], value[COMPONENTS];
    ht_grid_voxel_position(&path->grid, path->flow_voxel[i], at_mm);
    sample(flow, at_mm, value);
    sum += path->flow_mm2[i] * ht_dot(value, path->normal[s]);
  }
  return path->flow_first[s] < path->flow_first[s + 1] ? sum : NAN;
}

/* Mean values of a section; NAN where the station is -1 or has no voxel. */
static section section_of(const ht_vessel_path *path, int s, const ht_flow *flow) {
  section of = {NAN, NAN, NAN};
  double count = 0, pressure = 0;
  if (!path || s < 0) return of;
  for (int64_t i = path->first[s]; i < path->first[s + 1]; i++) {
    double at_mm[3], value[COMPONENTS];
    ht_grid_voxel_position(&path->grid, path->voxel[i], at_mm);
    sample(flow, at_mm, value);
    if (!isfinite(value[3])) continue;
    pressure += value[3];
    count++;
  }
  if (count == 0) return of;
  of.pressure_pa = pressure / count;
  of.flow_ml_s = flow_through(path, s, flow);
  of.velocity_m_s = of.flow_ml_s / path->station[s].area_mm2;
  return of;
}

static double head_of(const section *s, double density_kg_m3) {
  return s->pressure_pa + 0.5 * density_kg_m3 * s->velocity_m_s * s->velocity_m_s;
}

/* Measures the energy loss; Pa times mL/s is 1e-6 W. */
static void measure_loss(const section *before, const section *behind, double density_kg_m3,
                         ht_sac_flow *f) {
  double lost_pa = head_of(before, density_kg_m3) - head_of(behind, density_kg_m3);
  double dynamic_pa = 0.5 * density_kg_m3 * before->velocity_m_s * before->velocity_m_s;
  f->energy_loss_uw = f->pressure_loss_coefficient = NAN;
  double differ = fabs(before->flow_ml_s - behind->flow_ml_s);
  if (!(differ < same_flow * fabs(before->flow_ml_s))) return;
  f->energy_loss_uw = before->flow_ml_s * lost_pa;
  if (dynamic_pa > 0) f->pressure_loss_coefficient = lost_pa / dynamic_pa;
}

/* ---- in the sac ---- */

static double height_of(const ht_sac_mesh *sac, const ht_grid *grid, int64_t voxel,
                        double from[3]) {
  ht_grid_voxel_position(grid, voxel, from);
  for (int r = 0; r < 3; r++) from[r] -= sac->neck.origin_mm[r];
  return ht_dot(from, sac->neck.normal);
}

static int is_seed(const ht_sac_mesh *sac, const outline *o, const ht_flow *flow, int64_t voxel) {
  double from[3], height = height_of(sac, &flow->grid, voxel, from);
  if (height < 0 || height > flow->grid.spacing_mm[0]) return 0;
  return holds(o, ht_dot(from, o->across[0]), ht_dot(from, o->across[1]));
}

/* Marks the voxels of fluid above the neck that are joined to it. `todo`: [nodes]. */
static void fill_sac(const ht_sac_mesh *sac, const outline *o, const ht_flow *flow, int64_t *todo,
                     uint8_t *inside) {
  static const int step[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                 {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
  int64_t waiting = 0, voxels = ht_grid_voxels(&flow->grid);
  double from[3];
  for (int64_t v = 0; v < voxels; v++)
    if (ht_flow_node(flow, v) >= 0 && is_seed(sac, o, flow, v)) inside[v] = 1, todo[waiting++] = v;
  while (waiting > 0) {
    int here[3];
    ht_voxel_place(flow->grid.dim, todo[--waiting], here);
    for (int k = 0; k < 6; k++) {
      const int at[3] = {here[0] + step[k][0], here[1] + step[k][1], here[2] + step[k][2]};
      if (ht_flow_node_at(flow, at) < 0) continue;
      int64_t next = ht_voxel_index(flow->grid.dim, at);
      if (inside[next] || height_of(sac, &flow->grid, next, from) < 0) continue;
      inside[next] = 1;
      todo[waiting++] = next;
    }
  }
}

/* Sums over the sac [1] and the near parent [0]. */
typedef struct {
  double nodes[2], speed, highest, dissipation[2];
} volume_sums;

static void add_voxel(const ht_sac_mesh *sac, const ht_flow *flow, int64_t v, int in_sac,
                      double near_mm, volume_sums *to) {
  double from[3];
  int64_t node = ht_flow_node(flow, v);
  height_of(sac, &flow->grid, v, from);
  if (!in_sac && ht_length(from) > near_mm) return;
  to->nodes[in_sac]++;
  to->dissipation[in_sac] += ht_flow_dissipation_w_m3(flow, node);
  if (!in_sac) return;
  const float *u = flow->velocity_m_s + 3 * node;
  double speed = sqrt((double)u[0] * u[0] + (double)u[1] * u[1] + (double)u[2] * u[2]);
  to->speed += speed;
  to->highest = fmax(to->highest, speed);
}

static void measure_volume(const ht_sac_place *place, const ht_flow *flow, const uint8_t *inside,
                           ht_sac_flow *f) {
  volume_sums of = {.speed = 0};
  int64_t voxels = ht_grid_voxels(&flow->grid);
  double near_mm = ht_sac_near_mm(place->shape, place->parent);
  for (int64_t v = 0; v < voxels; v++)
    if (ht_flow_node(flow, v) >= 0 && place->domain->mask.inside[v] == HT_VESSEL)
      add_voxel(place->mesh, flow, v, inside[v], near_mm, &of);
  f->mean_speed_m_s = of.speed / of.nodes[1];
  f->highest_speed_m_s = of.highest;
  f->dissipation_w_m3 = of.dissipation[1] / of.nodes[1];
  f->parent_dissipation_w_m3 = of.dissipation[0] / of.nodes[0];
  f->dissipation_ratio = f->dissipation_w_m3 / f->parent_dissipation_w_m3;
  f->dissipation_uw =
      f->dissipation_w_m3 * place->shape->volume_mm3 * 1e-3; /* W/m3 mm3 is 1e-9 W */
}

static ht_status measure_inside(const ht_sac_place *place, const outline *o, const ht_flow *flow,
                                ht_sac_flow *f) {
  uint8_t *inside = NULL;
  int64_t *todo = NULL;
  size_t voxels = (size_t)ht_grid_voxels(&flow->grid);
  ht_status status = ht_alloc((void **)&inside, voxels, 1, "the sac");
  if (status == HT_OK)
    status = ht_alloc((void **)&todo, (size_t)flow->nodes, sizeof *todo, "the sac");
  if (status == HT_OK) {
    fill_sac(place->mesh, o, flow, todo, inside);
    measure_volume(place, flow, inside, f);
    status = ht_vortex_core_length(flow, inside, shortest_core * place->shape->neck_width_mm,
                                   &f->core_length_mm);
  }
  free(inside);
  free(todo);
  return status;
}

ht_status ht_sac_flow_of(const ht_sac_place *place, const ht_flow *flow, ht_sac_flow *f) {
  const ht_sac_mesh *sac = place->mesh;
  outline o = {.point = NULL};
  memset(f, 0, sizeof *f);
  HT_TRY(outline_of(sac, &o));
  pass_neck(sac, &o, flow, f);
  ht_status status = measure_inside(place, &o, flow, f);
  free(o.point);
  section before = section_of(place->path, place->parent->before, flow);
  section behind = section_of(place->path, place->parent->behind, flow);
  f->parent_flow_ml_s = before.flow_ml_s;
  f->inflow_share = f->inflow_ml_s / before.flow_ml_s;
  f->inflow_concentration = f->inflow_share / (f->inflow_area_mm2 / sac->neck_area_mm2);
  f->turnover_s = f->inflow_ml_s > 0 ? place->shape->volume_mm3 * 1e-3 / f->inflow_ml_s : NAN;
  measure_loss(&before, &behind, flow->density_kg_m3, f);
  return status;
}

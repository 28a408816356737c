#include "coarse_start.h"
#include "solve_drive.h"
#include "solve_step.h"
#include <stdlib.h>
#include <string.h>

/* Of a node: pressure (Pa), velocity (m/s) and viscous stress (Pa, xx yy zz xy xz yz), LPS. */
enum { PRESSURE = 0, VELOCITY = 1, STRESS = 4, VALUES = 10 };

/* The coarse flow, with the nodes in the wall that fluid nodes need between them. */
typedef struct {
  const ht_domain *domain;
  int32_t *number; /* [voxels] -1: no values. Owned */
  int64_t count;
  float *value; /* [count][VALUES]. Owned */
} source;

static void free_source(source *s) {
  free(s->number);
  free(s->value);
}

/* ---- nodes in the wall ---- */

static double distance_of(const ht_domain *domain, int64_t voxel) {
  if (domain->wall_distance) return domain->wall_distance[voxel];
  return domain->mask.inside[voxel] ? 0.5 : -0.5;
}

/* Fluid voxels among the 26 around; their number. */
static int fluid_around(const source *s, const ht_flow *flow, int64_t voxel, int64_t around[26]) {
  const int *dim = s->domain->mask.grid.dim;
  int at[3], count = 0;
  ht_voxel_place(dim, voxel, at);
  for (int n = 0; n < 27; n++) {
    const int there[3] = {at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1};
    if (!ht_voxel_in_grid(dim, there)) continue;
    int64_t v = ht_voxel_index(dim, there);
    if (flow->node_of[v] >= 0) around[count++] = v;
  }
  return count;
}

/* The velocity u = g d of the least squares through the fluid nodes at distances d, at the node's
 * own distance below 0; the means of pressure and stress. */
static void fill_wall(const source *s, int64_t voxel, const int64_t *around, int count) {
  float *to = s->value + VALUES * (int64_t)s->number[voxel];
  double sum[VALUES] = {0}, square = 0, own = distance_of(s->domain, voxel);
  if (!(own > -2)) own = -2; /* a bound, beyond the distances that are true */
  if (own > 0) own = 0;
  for (int i = 0; i < count; i++) {
    const float *from = s->value + VALUES * (int64_t)s->number[around[i]];
    double d = distance_of(s->domain, around[i]);
    square += d * d;
    for (int k = 0; k < VALUES; k++)
      sum[k] += from[k] * (k >= VELOCITY && k < STRESS ? d : 1);
  }
  for (int k = 0; k < VALUES; k++)
    to[k] = (float)(k >= VELOCITY && k < STRESS ? own * sum[k] / square : sum[k] / count);
}

/* Beyond a port the flow is that at the port. */
static void fill_beyond_ports(source *s) {
  const int *dim = s->domain->mask.grid.dim;
  for (int p = 0; p < s->domain->ports; p++) {
    const ht_port *port = &s->domain->port[p];
    for (int64_t i = 0; i < port->nodes; i++) {
      int at[3];
      ht_voxel_place(dim, port->node[i], at);
      at[port->axis] -= port->inward;
      if (!ht_voxel_in_grid(dim, at)) continue;
      int32_t beyond = s->number[ht_voxel_index(dim, at)], here = s->number[port->node[i]];
      if (beyond < 0 || here < 0 || s->domain->mask.inside[ht_voxel_index(dim, at)]) continue;
      memcpy(s->value + VALUES * (int64_t)beyond, s->value + VALUES * (int64_t)here,
             VALUES * sizeof(float));
    }
  }
}

static void copy_nodes(const ht_flow *flow, float *value) {
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < flow->nodes; n++) {
    float *to = value + VALUES * n;
    to[PRESSURE] = flow->pressure_pa[n];
    memcpy(to + VELOCITY, flow->velocity_m_s + 3 * n, 3 * sizeof(float));
    memcpy(to + STRESS, flow->stress_pa + 6 * n, 6 * sizeof(float));
  }
}

/* Numbers the nodes in the wall behind those of the fluid. */
static void number_walls(const ht_flow *flow, source *s) {
  int64_t around[26], voxels = ht_grid_voxels(&s->domain->mask.grid);
  memcpy(s->number, flow->node_of, (size_t)voxels * sizeof *s->number);
  s->count = flow->nodes;
  for (int64_t v = 0; v < voxels; v++)
    if (flow->node_of[v] < 0 && fluid_around(s, flow, v, around) > 0)
      s->number[v] = (int32_t)s->count++;
}

static ht_status make_source(const ht_coarse_run *coarse, source *s) {
  const ht_flow *flow = &coarse->flow;
  int64_t voxels = ht_grid_voxels(&coarse->domain.mask.grid);
  *s = (source){.domain = &coarse->domain};
  HT_TRY(ht_alloc((void **)&s->number, (size_t)voxels, sizeof *s->number, "the coarse flow"));
  number_walls(flow, s);
  HT_TRY(ht_alloc((void **)&s->value, (size_t)s->count, VALUES * sizeof(float), "the coarse flow"));
  copy_nodes(flow, s->value);
#pragma omp parallel for schedule(static)
  for (int64_t v = 0; v < voxels; v++) {
    int64_t around[26];
    if (s->number[v] >= flow->nodes)
      fill_wall(s, v, around, fluid_around(s, flow, v, around));
  }
  fill_beyond_ports(s);
  return HT_OK;
}

/* ---- values of the fine lattice ---- */

/* The mean of the coarse nodes around a fine voxel: of the 1, 2, 4 or 8 that it lies between. 0: it
 * has none. */
static int interpolate(const source *s, const int fine_at[3], double value[VALUES]) {
  const int *dim = s->domain->mask.grid.dim;
  int count = 0;
  memset(value, 0, VALUES * sizeof *value);
  for (int n = 0; n < 8; n++) {
    int at[3], is_other = 1;
    for (int a = 0; a < 3; a++) {
      int up = (n >> a) & 1;
      at[a] = fine_at[a] / 2 + up;
      is_other &= !up || fine_at[a] % 2;
    }
    if (!is_other || !ht_voxel_in_grid(dim, at)) continue;
    int32_t number = s->number[ht_voxel_index(dim, at)];
    if (number < 0) continue;
    for (int k = 0; k < VALUES; k++) value[k] += s->value[VALUES * (int64_t)number + k];
    count++;
  }
  for (int k = 0; k < VALUES && count > 0; k++) value[k] /= count;
  return count;
}

/* sigma' = R^T sigma R: from LPS to the grid's axes. */
static void stress_to_axes(const ht_grid *grid, const double in[6], double scale, double out[6]) {
  const double full[3][3] = {{in[0], in[3], in[4]}, {in[3], in[1], in[5]}, {in[4], in[5], in[2]}};
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++) {
    out[k] = 0;
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        out[k] +=
            scale * grid->direction[a][row[k]] * full[a][b] * grid->direction[b][column[k]];
  }
}

static void fill_node(const source *s, const ht_solve_run *run, double reference_pa, int64_t node,
                      ht_lattice_fields *fields) {
  const ht_tiling *tiling = run->tiling;
  const ht_units *units = &run->plan.units;
  const ht_grid *grid = &run->domain->mask.grid;
  const int32_t *tile = tiling->position + 3 * (node / HT_TILE_NODES);
  int local = (int)(node % HT_TILE_NODES), at[3];
  const int in_tile[3] = {local & 3, (local >> 2) & 3, local >> 4};
  double value[VALUES], axes[3];
  for (int a = 0; a < 3; a++) at[a] = HT_TILE_SIDE * tile[a] - tiling->origin[a] + in_tile[a];
  if (interpolate(s, at, value) == 0) return;
  fields->density[node] = ht_units_density_lu(units, value[PRESSURE] - reference_pa) - 1;
  ht_grid_from_lps(grid, value + VELOCITY, axes);
  for (int a = 0; a < 3; a++)
    fields->velocity[3 * node + a] = ht_units_velocity_lu(units, axes[a]);
  stress_to_axes(grid, value + STRESS, 1 / ht_units_stress_pa(units, 1), fields->stress + 6 * node);
}

static void free_fields(ht_lattice_fields *fields) {
  free(fields->density);
  free(fields->velocity);
  free(fields->stress);
}

static ht_status write_flow(const ht_coarse_run *coarse, ht_solve_run *run) {
  int64_t places = run->tiling->tiles * HT_TILE_NODES;
  ht_lattice_fields fields = {0};
  source s = {0};
  double reference_pa = ht_solve_reference_pa(run);
  ht_status status = HT_OK;
  HT_TRY_DONE(make_source(coarse, &s));
  HT_TRY_DONE(ht_alloc((void **)&fields.density, (size_t)places, sizeof(double), "the start"));
  HT_TRY_DONE(ht_alloc((void **)&fields.velocity, (size_t)places, 3 * sizeof(double), "the start"));
  HT_TRY_DONE(ht_alloc((void **)&fields.stress, (size_t)places, 6 * sizeof(double), "the start"));
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < places; n++)
    if ((run->tiling->inside[n / HT_TILE_NODES] >> (n % HT_TILE_NODES)) & 1)
      fill_node(&s, run, reference_pa, n, &fields);
  status = ht_lattice_write(run->lattice, &fields);
done:
  free_source(&s);
  free_fields(&fields);
  return status;
}

/* ---- what is not in the flow ---- */

void ht_coarse_keep(const ht_solve_run *run, ht_coarse_run *coarse) {
  for (int p = 0; p < HT_OPENINGS_MAX; p++) {
    coarse->has_outlet[p] = run->outlet[p] != NULL;
    if (run->outlet[p]) coarse->outlet[p] = *run->outlet[p];
    coarse->inflow_factor[p] = run->inflow_factor[p];
  }
  coarse->cuff = run->cuff;
}

/* The filter's lag is the run's own; it goes with the proximal resistance. */
static void take_outlets(const ht_coarse_run *coarse, ht_solve_run *run) {
  for (int p = 0; p < run->domain->ports; p++) {
    ht_outlet_state *to = run->outlet[p];
    if (!to || !coarse->has_outlet[p]) continue;
    double lag_s = to->lag_s, before = to->model.proximal_pa_s_m3;
    *to = coarse->outlet[p];
    to->lag_s = before > 0 ? lag_s * to->model.proximal_pa_s_m3 / before : lag_s;
  }
  run->cuff = coarse->cuff;
}

/* The nodes of a port represent half a spacing more or less of the vessel: half as much here. */
static ht_status take_inflow(const ht_coarse_run *coarse, ht_solve_run *run) {
  for (int p = 0; p < run->domain->ports; p++) {
    double factor = 1 + (coarse->inflow_factor[p] - 1) / 2;
    if (!run->plan.inlet[p] || factor == 1) continue;
    HT_TRY(ht_lattice_scale_inflow(run->lattice, p, factor));
    run->inflow_factor[p] *= factor;
  }
  return HT_OK;
}

ht_status ht_coarse_begin(const ht_coarse_run *coarse, ht_solve_run *run) {
  take_outlets(coarse, run);
  HT_TRY(take_inflow(coarse, run));
  run->first_beat = coarse->beats;
  return write_flow(coarse, run);
}

void ht_coarse_free(ht_coarse_run *coarse) {
  ht_domain_free(&coarse->domain);
  ht_tiling_free(&coarse->tiling);
  ht_flow_free(&coarse->flow);
}

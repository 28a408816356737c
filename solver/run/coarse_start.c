#include "solver/run/coarse_start.h"
#include "solver/run/outlet_loss.h"
#include "solver/run/solve_drive.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values of a node: pressure (Pa), velocity (m/s) and viscous stress (Pa, xx yy zz xy xz yz),
 * LPS. */
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

/* A fluid node next to a node in the wall, and the next one on the same line; -1: none. */
typedef struct {
  int64_t first, second;
} fluid_line;

/* Finds those of the 26 lines from a voxel that begin with a fluid node; returns their number. */
static int lines_from(const source *s, const ht_flow *flow, int64_t voxel, fluid_line line[26]) {
  const int *dim = s->domain->mask.grid.dim;
  int at[3], count = 0;
  ht_voxel_place(dim, voxel, at);
  for (int n = 0; n < 27; n++) {
    const int step[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
    int64_t found[2] = {-1, -1};
    for (int k = 0; k < 2; k++) {
      const int there[3] = {at[0] + (k + 1) * step[0], at[1] + (k + 1) * step[1],
                            at[2] + (k + 1) * step[2]};
      int64_t v = ht_voxel_in_grid(dim, there) ? ht_voxel_index(dim, there) : -1;
      if (v >= 0 && ht_flow_node(flow, v) >= 0) found[k] = v;
    }
    if (found[0] >= 0) line[count++] = (fluid_line){found[0], found[1]};
  }
  return count;
}

/* The weights of two fluid nodes at distances d[0], d[1] in the velocity at `own` < 0: of the
 * parabola that is 0 at the wall; of a straight line, where that is ill-conditioned. */
static void wall_weights(const double d[2], double own, double weight[2]) {
  const double least = 0.25;
  weight[0] = own * d[0] / (d[0] * d[0] + d[1] * d[1]);
  weight[1] = own * d[1] / (d[0] * d[0] + d[1] * d[1]);
  if (d[0] < least || d[1] - d[0] < least) return;
  weight[0] = own * (own - d[1]) / (d[0] * (d[0] - d[1]));
  weight[1] = own * (own - d[0]) / (d[1] * (d[1] - d[0]));
}

/* Velocities are 0 at the wall, pressure and stress go on straight. */
static void add_line(const source *s, const fluid_line *line, double own, double sum[VALUES]) {
  const float *first = s->value + VALUES * (int64_t)s->number[line->first], *second = first;
  double d[2] = {distance_of(s->domain, line->first), 0}, weight[2], go_on[2] = {1, 0};
  if (line->second >= 0) {
    second = s->value + VALUES * (int64_t)s->number[line->second];
    d[1] = distance_of(s->domain, line->second);
    go_on[0] = 2, go_on[1] = -1;
  }
  wall_weights(d, own, weight);
  for (int k = 0; k < VALUES; k++) {
    const double *w = k >= VELOCITY && k < STRESS ? weight : go_on;
    sum[k] += w[0] * first[k] + w[1] * second[k];
  }
}

/* The mean over the lines. Only those with two fluid nodes count, where there is one. */
static void fill_wall(const source *s, int64_t voxel, const fluid_line *line, int lines) {
  float *to = s->value + VALUES * (int64_t)s->number[voxel];
  double sum[VALUES] = {0}, own = distance_of(s->domain, voxel);
  int count = 0, whole = 0;
  own = fmin(0, fmax(-2, own)); /* farther off it is a bound, not the distance */
  for (int i = 0; i < lines; i++) whole |= line[i].second >= 0;
  for (int i = 0; i < lines; i++) {
    if (whole && line[i].second < 0) continue;
    add_line(s, &line[i], own, sum);
    count++;
  }
  for (int k = 0; k < VALUES; k++) to[k] = (float)(sum[k] / count);
}

/* Fills the places beyond a port with the flow at the port. */
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

/* Marks in place of a number; the second while the nodes in the wall are counted. */
enum { NO_VALUES = -1, IN_WALL = -2 };

/* Numbers the nodes in the wall after those of the fluid. */
static void number_walls(const ht_flow *flow, source *s) {
  int64_t voxels = ht_grid_voxels(&s->domain->mask.grid);
#pragma omp parallel for schedule(dynamic, 4096)
  for (int64_t v = 0; v < voxels; v++) {
    fluid_line line[26];
    s->number[v] = (int32_t)ht_flow_node(flow, v);
    if (s->number[v] < 0) s->number[v] = lines_from(s, flow, v, line) > 0 ? IN_WALL : NO_VALUES;
  }
  s->count = flow->nodes;
  for (int64_t v = 0; v < voxels; v++)
    if (s->number[v] == IN_WALL) s->number[v] = (int32_t)s->count++;
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
    fluid_line line[26];
    if (s->number[v] >= flow->nodes) fill_wall(s, v, line, lines_from(s, flow, v, line));
  }
  fill_beyond_ports(s);
  return HT_OK;
}

/* ---- values of the fine lattice ---- */

static const float *values_at(const source *s, const int fine_at[3]) {
  const int at[3] = {fine_at[0] / 2, fine_at[1] / 2, fine_at[2] / 2};
  const int *dim = s->domain->mask.grid.dim;
  if (fine_at[0] < 0 || fine_at[1] < 0 || fine_at[2] < 0 || !ht_voxel_in_grid(dim, at)) return NULL;
  int32_t number = s->number[ht_voxel_index(dim, at)];
  return number < 0 ? NULL : s->value + VALUES * (int64_t)number;
}

/* The weights of the values at -3, -1, 1 and 3 in that at 0, by those that are there: of a cubic, a
 * parabola, a straight line, one value alone. 0: neither of the inner two. */
static int line_weights(const int there[4], double weight[4]) {
  static const double cubic[4] = {-1.0 / 16, 9.0 / 16, 9.0 / 16, -1.0 / 16};
  static const double lower[4] = {-1.0 / 8, 6.0 / 8, 3.0 / 8, 0};
  static const double upper[4] = {0, 3.0 / 8, 6.0 / 8, -1.0 / 8};
  static const double middle[4] = {0, 0.5, 0.5, 0};
  const double one[4] = {0, there[1], there[2], 0};
  const double *taken = middle;
  if (there[1] != there[2])
    taken = one;
  else if (there[0] && there[3])
    taken = cubic;
  else if (there[0] || there[3])
    taken = there[0] ? lower : upper;
  memcpy(weight, taken, 4 * sizeof *weight);
  return there[1] || there[2];
}

/* Interpolates along the axes from `axis` on; 0: there is no value. */
static int interpolate(const source *s, int axis, const int fine_at[3], double value[VALUES]) {
  double part[4][VALUES], weight[4];
  int there[4];
  while (axis < 3 && fine_at[axis] % 2 == 0) axis++;
  if (axis == 3) {
    const float *from = values_at(s, fine_at);
    for (int k = 0; k < VALUES && from; k++) value[k] = from[k];
    return from != NULL;
  }
  for (int i = 0; i < 4; i++) {
    int at[3] = {fine_at[0], fine_at[1], fine_at[2]};
    at[axis] += 2 * i - 3;
    there[i] = interpolate(s, axis + 1, at, part[i]);
  }
  if (!line_weights(there, weight)) return 0;
  for (int k = 0; k < VALUES; k++) {
    value[k] = 0;
    for (int i = 0; i < 4; i++)
      if (weight[i] != 0) value[k] += weight[i] * part[i][k];
  }
  return 1;
}

/* sigma' = R^T sigma R: from LPS to the grid's axes. */
static void stress_to_axes(const ht_grid *grid, const double in[6], double scale, double out[6]) {
  const double full[3][3] = {{in[0], in[3], in[4]}, {in[3], in[1], in[5]}, {in[4], in[5], in[2]}};
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++) {
    out[k] = 0;
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        out[k] += scale * grid->direction[a][row[k]] * full[a][b] * grid->direction[b][column[k]];
  }
}

/* Source of the fine lattice's first values. */
typedef struct {
  const source *from;
  const ht_solve_run *run;
  double reference_pa;
  double scale; /* of velocity and stress */
} start;

/* Interpolates a node; 0 where there is nothing to interpolate from. */
static void find_node(void *user, int64_t node, ht_node_state *state) {
  const start *s = user;
  const ht_tiling *tiling = s->run->tiling;
  const ht_units *units = &s->run->plan.units;
  const ht_grid *grid = &s->run->domain->mask.grid;
  const int32_t *tile = tiling->position + 3 * (node / HT_TILE_NODES);
  int local = (int)(node % HT_TILE_NODES), at[3];
  const int in_tile[3] = {local & 3, (local >> 2) & 3, local >> 4};
  double value[VALUES], axes[3];
  for (int a = 0; a < 3; a++) at[a] = HT_TILE_SIDE * tile[a] - tiling->origin[a] + in_tile[a];
  if (!interpolate(s->from, 0, at, value)) return;
  state->density = ht_units_density_lu(units, value[PRESSURE] - s->reference_pa) - 1;
  ht_grid_from_lps(grid, value + VELOCITY, axes);
  double mass = ht_lattice_mass(s->run->lattice, state->density); /* flow_read.h */
  for (int a = 0; a < 3; a++)
    state->velocity[a] = ht_units_velocity_lu(units, axes[a]) * s->scale / mass;
  stress_to_axes(grid, value + STRESS, 1 / ht_units_stress_pa(units, 1), state->stress);
  for (int k = 0; k < 6; k++) state->stress[k] *= s->scale;
}

/* The flow through a port's plane that the start has, voxels per step, into the domain. */
static double through_port(start *s, const ht_port *port, const int32_t *tile_of) {
  const ht_tiling *tiling = s->run->tiling;
  double sum = 0;
  for (int64_t i = 0; i < port->nodes; i++) {
    int64_t tile;
    int at[3], local;
    ht_voxel_place(tiling->dim, port->node[i], at);
    ht_tiling_find(tiling, tile_of, at, &tile, &local);
    if (tile < 0) continue;
    ht_node_state state = {.density = 0};
    if ((tiling->inside[tile] >> local) & 1) find_node(s, HT_TILE_NODES * tile + local, &state);
    double mass = ht_lattice_mass(s->run->lattice, state.density);
    sum += mass * state.velocity[port->axis] * port->inward;
  }
  return sum;
}

/* The sum over the nodes of a section is its flow only to some per cent, by how the lattice cuts
 * it, on both lattices. What the sections of the ports have too little, the whole vessel gets: the
 * rest goes as sound. More than a tenth has another reason: the flow stays as it is. */
static ht_status scale_flow(ht_coarse_run *coarse, start *s) {
  const ht_solve_run *run = s->run;
  int dim[3];
  int32_t *tile_of;
  double wanted = 0, found = 0;
  HT_TRY(ht_tiling_map(run->tiling, dim, &tile_of));
  for (int p = 0; p < run->domain->ports; p++) {
    double here = through_port(s, &run->domain->port[p], tile_of);
    double flow_lu = ht_units_flow_lu(&run->plan.units, coarse->through_m3_s[p]);
    found += fabs(here);
    wanted += fabs(flow_lu);
  }
  free(tile_of);
  if (fabs(found - wanted) < 0.1 * wanted)
    s->scale = wanted / found;
  else
    coarse->off = 1 - found / wanted;
  return HT_OK;
}

/* Node by node: the fine lattice's fields together are larger than its values. */
static ht_status write_flow(ht_coarse_run *coarse, ht_solve_run *run) {
  source from = {0};
  start s = {&from, run, ht_solve_reference_pa(run), 1};
  ht_status status = make_source(coarse, &from);
  if (status == HT_OK) status = scale_flow(coarse, &s);
  if (status == HT_OK) status = ht_lattice_set(run->lattice, find_node, &s);
  free_source(&from);
  return status;
}

/* ---- what is not in the flow ---- */

ht_status ht_coarse_keep(const ht_solve_run *run, ht_coarse_run *coarse) {
  double flow_lu[HT_OPENINGS_MAX];
  HT_TRY(ht_lattice_port_flow(run->lattice, flow_lu));
  for (int p = 0; p < run->domain->ports; p++)
    coarse->through_m3_s[p] = ht_units_flow_m3_s(&run->plan.units, flow_lu[p]);
  for (int p = 0; p < HT_OPENINGS_MAX; p++) {
    coarse->has_outlet[p] = run->outlet[p] != NULL;
    if (run->outlet[p]) coarse->outlet[p] = *run->outlet[p];
    coarse->inflow_factor[p] = run->inflow_factor[p];
  }
  return HT_OK;
}

/* Copies the state of the outlets. The make of an outlet, and its filter's lag, stay those of this
 * lattice, whose ports have another area. */
static void take_outlets(const ht_coarse_run *coarse, ht_solve_run *run) {
  for (int p = 0; p < run->domain->ports; p++) {
    ht_outlet_state *to = run->outlet[p];
    if (!to || !coarse->has_outlet[p]) continue;
    const ht_outlet_state made = *to;
    *to = coarse->outlet[p];
    to->lag_s = made.lag_s;
    to->model.proximal_pa_s_m3 = made.model.proximal_pa_s_m3;
    to->model.compliance_m3_pa = made.model.compliance_m3_pa;
    to->model.distal_pa_s_m3 = made.model.distal_pa_s_m3;
  }
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

ht_status ht_coarse_begin(ht_coarse_run *coarse, ht_solve_run *run) {
  take_outlets(coarse, run);
  ht_outlet_loss_refine(run);
  HT_TRY(take_inflow(coarse, run));
  run->first_beat = coarse->beats;
  return write_flow(coarse, run);
}

void ht_coarse_free(ht_coarse_run *coarse) {
  ht_domain_free(&coarse->domain);
  ht_tiling_free(&coarse->tiling);
  ht_flow_free(&coarse->flow);
}

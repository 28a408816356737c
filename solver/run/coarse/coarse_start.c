#include "solver/run/coarse/coarse_start.h"
#include "solver/run/ports/outlet_loss.h"
#include "solver/run/ports/outlet_pressure.h"
#include "solver/run/step/stepped_lattice.h"
#include "solver/samples/coarse_values.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Turns a stress from LPS to the grid's axes: sigma' = R^T sigma R. */
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

/* The source of the first values of the fine lattice, of one level. */
typedef struct {
  const ht_coarse_values *from;
  const ht_solve_setup *setup; /* of the fine lattice */
  ht_stepped_level level;
  double times; /* its spacing over the finest */
  double reference_pa;
  double scale; /* of velocity and stress */
} start;

/* Interpolates a node; 0 where there is nothing to interpolate from. */
static void find_node(void *user, int64_t node, ht_node_state *state) {
  const start *s = user;
  const ht_tiling *tiling = s->level.tiling;
  const ht_units *units = &s->setup->plan.units;
  const ht_grid *grid = &s->setup->domain->mask.grid;
  const int32_t *tile = tiling->position + 3 * (node / HT_TILE_NODES);
  int local = (int)(node % HT_TILE_NODES), at[3];
  const int in_tile[3] = {local & 3, (local >> 2) & 3, local >> 4};
  double value[HT_COARSE_VALUES], axes[3], past[3];
  for (int a = 0; a < 3; a++) {
    const int voxel = HT_TILE_SIDE * tile[a] - tiling->origin[a] + in_tile[a];
    const double place = ((voxel + 0.5) * s->times - 0.5) / 2; /* in the coarse lattice's voxels */
    at[a] = (int)place;
    past[a] = place - at[a];
  }
  if (!ht_coarse_values_at(s->from, at, past, value)) return;
  state->density = ht_units_density_lu(units, value[HT_COARSE_PRESSURE] - s->reference_pa) - 1;
  ht_grid_from_lps(grid, value + HT_COARSE_VELOCITY, axes);
  double mass = ht_lattice_mass(s->level.lattice, state->density); /* flow_read.h */
  for (int a = 0; a < 3; a++)
    state->velocity[a] = ht_units_velocity_lu(units, axes[a]) * s->scale / mass;
  stress_to_axes(grid, value + HT_COARSE_STRESS, 1 / ht_units_stress_pa(units, 1), state->stress);
  for (int k = 0; k < 6; k++) state->stress[k] *= s->scale;
}

/* Returns the flow through a port's plane that the start has, voxels per step of the level, into
 * the domain. */
static double through_port(start *s, const ht_port *port, const int32_t *tile_of) {
  const ht_tiling *tiling = s->level.tiling;
  double sum = 0;
  for (int64_t i = 0; i < port->nodes; i++) {
    int64_t tile;
    int at[3], local;
    ht_voxel_place(tiling->dim, port->node[i], at);
    ht_tiling_find(tiling, tile_of, at, &tile, &local);
    if (tile < 0) continue;
    ht_node_state state = {.density = 0};
    if ((tiling->inside[tile] >> local) & 1) find_node(s, HT_TILE_NODES * tile + local, &state);
    double mass = ht_lattice_mass(s->level.lattice, state.density);
    sum += mass * state.velocity[port->axis] * port->inward;
  }
  return sum;
}

/* Adds the flow through the ports of a level to what the start has, voxels per step of the
 * coarsest. */
static ht_status add_ports(start *s, int level, double *found) {
  const ht_domain *domain = s->setup->domain;
  int dim[3];
  int32_t *tile_of;
  HT_TRY(ht_tiling_map(s->level.tiling, dim, &tile_of));
  for (int p = 0; p < domain->ports; p++)
    if (domain->port[p].halvings == level)
      *found += ldexp(fabs(through_port(s, &domain->port[p], tile_of)), -2 * level);
  free(tile_of);
  return HT_OK;
}

/* Scales the flow to that through the coarse ports. The sum over the nodes of a section is its flow
 * only to some per cent, by how the lattice cuts it, on both lattices. What the sections of the
 * ports have too little, the whole vessel gets: the rest goes as sound. More than a tenth has
 * another reason: the flow stays as it is. */
static double scale_of(ht_coarse_flow *coarse, const ht_solve_setup *setup, double found) {
  double wanted = 0;
  for (int p = 0; p < setup->domain->ports; p++)
    wanted += fabs(ht_units_flow_lu(&setup->plan.units, coarse->through_m3_s[p]));
  if (fabs(found - wanted) < 0.1 * wanted) return wanted / found;
  coarse->off = 1 - found / wanted;
  return 1;
}

/* Writes the flow node by node: the fine lattice's fields together are larger than its values. */
static ht_status write_flow(ht_coarse_flow *coarse, const ht_solve_run *run) {
  ht_coarse_values from = {0};
  ht_stepped_level level[HT_LEVELS_MOST];
  start s[HT_LEVELS_MOST];
  const int levels = ht_stepped_levels(run, level);
  double found = 0;
  ht_status status = ht_coarse_values_make(&coarse->domain, &coarse->flow, 0, &from);
  for (int l = 0; l < levels && status == HT_OK; l++) {
    s[l] = (start){&from,
                   &run->setup,
                   level[l],
                   1 << (levels - 1 - l),
                   ht_outlets_reference_pa(&run->setup, &run->outlets),
                   1};
    status = add_ports(&s[l], l, &found);
  }
  const double scale = scale_of(coarse, &run->setup, found);
  for (int l = 0; l < levels && status == HT_OK; l++) {
    s[l].scale = scale;
    status = ht_lattice_set(level[l].lattice, find_node, &s[l]);
  }
  ht_coarse_values_free(&from);
  return status;
}

/* ---- what is not in the flow ---- */

ht_status ht_coarse_flow_keep(const ht_solve_run *run, ht_coarse_flow *coarse) {
  double flow_lu[HT_OPENINGS_MAX];
  HT_TRY(ht_port_drive_measure(&run->drive, flow_lu, NULL));
  coarse->cuff = run->cuff;
  for (int p = 0; p < run->setup.domain->ports; p++)
    coarse->through_m3_s[p] = ht_units_flow_m3_s(&run->setup.plan.units, flow_lu[p]);
  for (int p = 0; p < HT_OPENINGS_MAX; p++) {
    const ht_outlet_state *outlet = run->outlets.of[p];
    coarse->has_outlet[p] = outlet != NULL;
    if (outlet) coarse->outlet[p] = *outlet;
    coarse->inflow_factor[p] = run->drive.inflow_factor[p];
  }
  return HT_OK;
}

/* Copies the state of the outlets. The filter's lag stays that of this lattice, whose ports have
 * another area, and so does the make of an outlet that is not tuned. */
static void take_outlets(const ht_coarse_flow *coarse, ht_outlet_states *outlets) {
  for (int p = 0; p < outlets->ports; p++) {
    ht_outlet_state *to = outlets->of[p];
    if (!to || !coarse->has_outlet[p]) continue;
    const ht_outlet_state made = *to;
    *to = coarse->outlet[p];
    to->lag_s = made.lag_s;
    if (coarse->cuff.is_used) {
      const double proximal = to->model.proximal_pa_s_m3; /* may be 0, and the lag then is */
      if (proximal > 0) to->lag_s *= proximal / made.model.proximal_pa_s_m3;
      continue;
    }
    to->model.proximal_pa_s_m3 = made.model.proximal_pa_s_m3;
    to->model.compliance_m3_pa = made.model.compliance_m3_pa;
    to->model.distal_pa_s_m3 = made.model.distal_pa_s_m3;
  }
}

/* Takes the inlets' correction in proportion to the spacing at the port: its nodes represent half a
 * spacing more or less of the vessel. */
static ht_status take_inflow(const ht_coarse_flow *coarse, ht_solve_run *run) {
  const double from_mm = coarse->domain.mask.grid.spacing_mm[0];
  for (int p = 0; p < run->setup.domain->ports; p++) {
    const ht_grid grid = ht_port_grid(run->setup.domain, p);
    double factor = 1 + (coarse->inflow_factor[p] - 1) * (grid.spacing_mm[0] / from_mm);
    if (!run->setup.plan.inlet[p] || factor == 1) continue;
    HT_TRY(ht_port_drive_scale(p, factor, &run->drive));
  }
  return HT_OK;
}

ht_status ht_coarse_flow_give(ht_coarse_flow *coarse, ht_solve_run *run) {
  const ht_solve_setup *setup = &run->setup;
  take_outlets(coarse, &run->outlets);
  ht_outlet_loss_refine(setup->domain, coarse->domain.mask.grid.spacing_mm[0],
                        setup->plan.least_viscosity_pa_s, &run->outlets);
  HT_TRY(take_inflow(coarse, run));
  HT_TRY(write_flow(coarse, run));
  run->cuff = coarse->cuff;
  run->span.first_beat = coarse->beats;
  return HT_OK;
}

/* ---- failures ---- */

static const char *fault_of(ht_status status) {
  switch (status) {
  case HT_ERR_DIVERGED:
    return "it became unstable";
  case HT_ERR_UNSTABLE:
    return "it cannot be run stably";
  case HT_ERR_NOT_STEADY:
    return "its flow does not come to rest";
  case HT_ERR_MEMORY:
    return "there is too little memory";
  case HT_ERR_OPENINGS:
    return "an opening has no node on it";
  default:
    return "it failed";
  }
}

void ht_coarse_flow_failed(ht_status status, ht_coarse_flow *coarse) {
  coarse->is_done = 0;
  snprintf(coarse->note, sizeof coarse->note, "%s", fault_of(status));
}

void ht_coarse_flow_free(ht_coarse_flow *coarse) {
  ht_domain_free(&coarse->domain);
  ht_tiling_free(&coarse->tiling);
  ht_flow_free(&coarse->flow);
}

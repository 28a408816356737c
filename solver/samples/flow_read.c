#include "solver/samples/flow_read.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t voxel_of(const ht_tiling *tiling, int64_t tile, int local) {
  const int32_t *p = tiling->position + 3 * tile;
  int64_t x = 4 * p[0] - tiling->origin[0] + (local & 3);
  int64_t y = 4 * p[1] - tiling->origin[1] + ((local >> 2) & 3);
  int64_t z = 4 * p[2] - tiling->origin[2] + (local >> 4);
  return x + tiling->dim[0] * (y + tiling->dim[1] * z);
}

static ht_status number_nodes(const ht_domain *domain, const ht_tiling *tiling, ht_flow *flow) {
  const ht_mask *mask = &domain->mask;
  HT_TRY(ht_node_map_of_mask(ht_grid_voxels(&mask->grid), mask->inside, &flow->node_of));
  for (int64_t t = 0; t < tiling->tiles; t++)
    for (uint64_t left = tiling->inside[t]; left; left &= left - 1)
      ht_node_map_set(&flow->node_of, voxel_of(tiling, t, __builtin_ctzll(left)), flow->nodes++);
  return HT_OK;
}

/* Sets or (number 0) only marks the nodes that are not left out. */
static void number_some(const ht_tiling *tiling, const uint64_t *out, uint8_t *mark,
                        ht_flow *flow) {
  int64_t next = 0;
  for (int64_t t = 0; t < tiling->tiles; t++)
    for (uint64_t left = tiling->inside[t]; left; left &= left - 1, next++) {
      const int local = __builtin_ctzll(left);
      const int64_t voxel = voxel_of(tiling, t, local);
      if ((out[t] >> local) & 1) continue;
      if (mark)
        mark[voxel] = 1;
      else
        ht_node_map_set(&flow->node_of, voxel, next);
    }
}

static ht_status map_some(const ht_tiling *tiling, const uint64_t *out, ht_flow *flow) {
  const int64_t voxels = ht_grid_voxels(&flow->grid);
  uint8_t *mark;
  HT_TRY(ht_alloc((void **)&mark, (size_t)voxels, 1, "the numbers of the nodes"));
  number_some(tiling, out, mark, flow);
  ht_status status = ht_node_map_of_mask(voxels, mark, &flow->node_of);
  if (status == HT_OK) number_some(tiling, out, NULL, flow);
  flow->nodes = tiling->nodes;
  free(mark);
  return status;
}

ht_status ht_flow_alloc(const ht_domain *domain, const ht_tiling *tiling,
                        const ht_solver_options *options, ht_flow *flow) {
  return ht_flow_alloc_some(domain, tiling, NULL, options, flow);
}

ht_status ht_flow_alloc_some(const ht_domain *domain, const ht_tiling *tiling, const uint64_t *out,
                             const ht_solver_options *options, ht_flow *flow) {
  memset(flow, 0, sizeof *flow);
  flow->grid = domain->mask.grid;
  double most_pa_s;
  ht_blood_range(&options->blood, options->viscosity_pa_s, &flow->viscosity_pa_s, &most_pa_s);
  flow->shear_thinning = options->blood.model != HT_NEWTONIAN || options->blood.eddies > 0;
  flow->density_kg_m3 = options->density_kg_m3;
  size_t nodes = (size_t)tiling->nodes;
  HT_TRY(out ? map_some(tiling, out, flow) : number_nodes(domain, tiling, flow));
  HT_TRY(ht_alloc((void **)&flow->velocity_m_s, nodes, 3 * sizeof(float), "the velocity"));
  HT_TRY(ht_alloc((void **)&flow->pressure_pa, nodes, sizeof(float), "the pressure"));
  return ht_alloc((void **)&flow->stress_pa, nodes, 6 * sizeof(float), "the stress");
}

/* sigma' = R sigma R^T for the symmetric tensor xx yy zz xy xz yz, R the grid's direction. */
static void rotate_stress(const ht_grid *grid, const double in[6], float out[6], double scale) {
  const double full[3][3] = {{in[0], in[3], in[4]}, {in[3], in[1], in[5]}, {in[4], in[5], in[2]}};
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++) {
    double sum = 0;
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        sum += grid->direction[row[k]][a] * full[a][b] * grid->direction[column[k]][b];
    out[k] = (float)(scale * sum);
  }
}

typedef struct {
  const ht_lattice *lattice;
  const ht_tiling *tiling;
  const ht_units *units;
  double reference_pa;
  const int64_t *first; /* [tiles] number of each tile's first node */
  const uint64_t *some; /* [tiles] instead: the nodes that are read, at their voxels */
  ht_flow *flow;
} destination;

static void store(const destination *to, const ht_lattice_fields *fields, int64_t from,
                  int64_t node) {
  ht_flow *flow = to->flow;
  double lps[3], density = fields->density[from], mass = ht_lattice_mass(to->lattice, density);
  ht_grid_to_lps(&flow->grid, fields->velocity + 3 * from, lps);
  for (int a = 0; a < 3; a++)
    flow->velocity_m_s[3 * node + a] = (float)ht_units_velocity_m_s(to->units, mass * lps[a]);
  flow->pressure_pa[node] = ht_stored_pressure_pa(to->units, to->reference_pa, density);
  rotate_stress(&flow->grid, fields->stress + 6 * from, flow->stress_pa + 6 * node,
                ht_units_stress_pa(to->units, 1));
}

static void store_tile(void *user, int64_t tile, const ht_lattice_fields *fields) {
  const destination *to = user;
  int64_t node = to->first[tile];
  for (uint64_t left = to->tiling->inside[tile]; left; left &= left - 1)
    store(to, fields, __builtin_ctzll(left), node++);
}

/* The node of a flow whose box may end before that of the tiling. */
static int64_t node_at(const destination *to, int64_t tile, int local) {
  int at[3];
  ht_voxel_place(to->tiling->dim, voxel_of(to->tiling, tile, local), at);
  return ht_flow_node_at(to->flow, at);
}

static void store_some(void *user, int64_t tile, const ht_lattice_fields *fields) {
  const destination *to = user;
  for (uint64_t left = to->some[tile]; left; left &= left - 1) {
    const int local = __builtin_ctzll(left);
    store(to, fields, local, node_at(to, tile, local));
  }
}

ht_status ht_flow_take_some(ht_lattice *lattice, const ht_tiling *tiling, const uint64_t *some,
                            const ht_units *units, double reference_pa, ht_flow *flow) {
  destination to = {.lattice = lattice,
                    .tiling = tiling,
                    .units = units,
                    .reference_pa = reference_pa,
                    .some = some,
                    .flow = flow};
  return ht_lattice_visit(lattice, store_some, &to);
}

ht_status ht_flow_take(ht_lattice *lattice, const ht_tiling *tiling, const ht_units *units,
                       double reference_pa, ht_flow *flow) {
  int64_t *first;
  HT_TRY(ht_tiling_first_nodes(tiling, &first));
  destination to = {lattice, tiling, units, reference_pa, first, NULL, flow};
  ht_status status = ht_lattice_visit(lattice, store_tile, &to);
  free(first);
  return status;
}

/* ---- measuring ---- */

static void measure_port(const ht_port *port, const ht_flow *flow, double flow_m3_s,
                         ht_port_result *result) {
  double dx_mm = flow->grid.spacing_mm[0];
  memset(result, 0, sizeof *result);
  memcpy(result->name, port->opening.name, sizeof result->name);
  result->role = port->opening.role;
  for (int64_t i = 0; i < port->nodes; i++)
    result->port_pressure_pa +=
        flow->pressure_pa[ht_flow_node(flow, port->node[i])] / (double)port->nodes;
  result->flow_ml_s = 1e6 * flow_m3_s * (port->opening.role == HT_ROLE_OUTLET ? -1 : 1);
  result->area_mm2 = (double)port->nodes * dx_mm * dx_mm * fabs(port->direction[port->axis]);
  result->mean_velocity_m_s = result->flow_ml_s / result->area_mm2;
}

double ht_flow_fastest(const ht_domain *domain, const ht_flow *flow) {
  double most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (int64_t v = 0; v < ht_grid_voxels(&flow->grid); v++) {
    int64_t node = ht_flow_node(flow, v);
    if (node < 0 || domain->mask.inside[v] != HT_VESSEL) continue;
    const float *u = flow->velocity_m_s + 3 * node;
    most = fmax(most, (double)u[0] * u[0] + (double)u[1] * u[1] + (double)u[2] * u[2]);
  }
  return sqrt(most);
}

static void measure_pressures(const ht_flow *flow, ht_opening_nodes *openings,
                              ht_flow_stats *stats) {
  double pressure_pa[HT_OPENINGS_MAX];
  ht_opening_nodes_take(flow, openings);
  ht_opening_pressures(openings, pressure_pa);
  for (int p = 0; p < openings->ports; p++) {
    ht_port_result *port = &stats->port[p];
    port->pressure_pa = port->highest_pressure_pa = port->lowest_pressure_pa = pressure_pa[p];
  }
}

void ht_flow_measure(const ht_domain *domain, const ht_flow *flow, const ht_units *units,
                     const double *flow_lu, ht_opening_nodes *openings, ht_flow_stats *stats) {
  double in = 0, out = 0;
  stats->ports = domain->ports;
  for (int p = 0; p < domain->ports; p++) {
    ht_port_result *result = &stats->port[p];
    measure_port(&domain->port[p], flow, ht_units_flow_m3_s(units, flow_lu[p]), result);
    if (result->role == HT_ROLE_INLET)
      in += result->flow_ml_s;
    else
      out += result->flow_ml_s;
  }
  stats->mass_imbalance = in != 0 ? (in - out) / in : 0;
  measure_pressures(flow, openings, stats);
  stats->max_velocity_m_s = ht_flow_fastest(domain, flow);
  stats->max_velocity_lu = ht_units_velocity_lu(units, stats->max_velocity_m_s);
}

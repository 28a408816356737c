#include "solver/samples/level_flow.h"
#include "solver/samples/flow_read.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

/* The level that computes each node. */
static ht_status find_levels(const ht_level_domain *domain, const ht_flow *flow, uint8_t **level) {
  const ht_grid *grid = &flow->grid;
  HT_TRY(ht_alloc((void **)level, (size_t)flow->nodes, 1, "the levels of the flow"));
#pragma omp parallel for schedule(static)
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    int at[3];
    const int64_t node = ht_flow_node(flow, v);
    if (node < 0) continue;
    ht_voxel_place(grid->dim, v, at);
    (*level)[node] = (uint8_t)ht_level_domain_level_at(domain, at);
  }
  return HT_OK;
}

static ht_status make_level(const ht_level_domain *domain, const ht_levels *levels, int l,
                            const ht_solver_options *options, ht_level_flow *made) {
  HT_TRY(ht_flow_alloc_some(&domain->domain[l], ht_levels_tiling(levels, l),
                            ht_levels_outer(levels, l), options, &made->own[l]));
  return ht_coarse_values_make(&domain->domain[l], &made->own[l], 1, &made->between[l]);
}

ht_status ht_level_flow_make(const ht_level_domain *domain, ht_levels *levels,
                             const ht_solver_options *options, const ht_flow *flow,
                             ht_level_flow *made) {
  *made = (ht_level_flow){.levels = levels, .domain = domain};
  HT_TRY(find_levels(domain, flow, &made->level));
  for (int l = 0; l < domain->levels - 1; l++) HT_TRY(make_level(domain, levels, l, options, made));
  return HT_OK;
}

void ht_level_flow_free(ht_level_flow *made) {
  for (int l = 0; l < HT_LEVELS_MOST; l++) {
    ht_coarse_values_free(&made->between[l]);
    ht_flow_free(&made->own[l]);
  }
  free(made->level);
  memset(made, 0, sizeof *made);
}

/* ---- reading ---- */

ht_status ht_level_flow_keep(const ht_level_flow *of, int stays) {
  for (int l = 0; l < of->domain->levels; l++)
    HT_TRY(ht_lattice_keep(ht_levels_lattice(of->levels, l), stays));
  return HT_OK;
}

/* Finds the nearest values of a level, within two of its voxels; 0: none. */
static int nearest(const ht_coarse_values *from, const int at[3], double value[HT_COARSE_VALUES]) {
  enum { AWAY = 2 };
  const double on_node[3] = {0, 0, 0};
  double tried[HT_COARSE_VALUES];
  int d[3], least = 3 * AWAY * AWAY + 1;
  for (d[2] = -AWAY; d[2] <= AWAY; d[2]++)
    for (d[1] = -AWAY; d[1] <= AWAY; d[1]++)
      for (d[0] = -AWAY; d[0] <= AWAY; d[0]++) {
        const int there[3] = {at[0] + d[0], at[1] + d[1], at[2] + d[2]};
        const int square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (square >= least || !ht_coarse_values_at(from, there, on_node, tried)) continue;
        least = square;
        memcpy(value, tried, sizeof tried);
      }
  return least <= 3 * AWAY * AWAY;
}

/* Interpolates at a voxel of the finest level. A fluid voxel in a gap that its level does not see
 * has the nearest values, at rest. */
static void find_values(const ht_coarse_values *from, const int finest[3], int shift,
                        double value[HT_COARSE_VALUES]) {
  double past[3];
  int at[3];
  for (int a = 0; a < 3; a++) {
    const double place = (finest[a] + 0.5) / (1 << shift) - 0.5;
    at[a] = (int)floor(place);
    past[a] = place - at[a];
  }
  if (ht_coarse_values_at(from, at, past, value)) return;
  memset(value, 0, HT_COARSE_VALUES * sizeof *value);
  (void)nearest(from, at, value);
  memset(value + HT_COARSE_VELOCITY, 0, 3 * sizeof *value);
}

static void store(const double value[HT_COARSE_VALUES], int64_t node, ht_flow *flow) {
  flow->pressure_pa[node] = (float)value[HT_COARSE_PRESSURE];
  for (int a = 0; a < 3; a++)
    flow->velocity_m_s[3 * node + a] = (float)value[HT_COARSE_VELOCITY + a];
  for (int k = 0; k < 6; k++) flow->stress_pa[6 * node + k] = (float)value[HT_COARSE_STRESS + k];
}

static void interpolate(const ht_level_flow *of, ht_flow *flow) {
  const int last = of->domain->levels - 1;
#pragma omp parallel for schedule(dynamic, 1024)
  for (int64_t v = 0; v < ht_grid_voxels(&flow->grid); v++) {
    double value[HT_COARSE_VALUES];
    int at[3];
    const int64_t node = ht_flow_node(flow, v);
    if (node < 0 || of->level[node] == last) continue;
    ht_voxel_place(flow->grid.dim, v, at);
    find_values(&of->between[of->level[node]], at, last - of->level[node], value);
    store(value, node, flow);
  }
}

ht_status ht_level_flow_take(ht_level_flow *of, const ht_units *units, double reference_pa,
                             ht_flow *flow) {
  const int last = of->domain->levels - 1;
  for (int l = 0; l < last; l++) {
    HT_TRY(ht_flow_take(ht_levels_lattice(of->levels, l), ht_levels_tiling(of->levels, l), units,
                        reference_pa, &of->own[l]));
    ht_coarse_values_take(&of->between[l], &of->own[l]);
  }
  HT_TRY(ht_flow_take_some(ht_levels_lattice(of->levels, last), ht_levels_tiling(of->levels, last),
                           ht_levels_own(of->levels, last), units, reference_pa, flow));
  interpolate(of, flow);
  return HT_OK;
}

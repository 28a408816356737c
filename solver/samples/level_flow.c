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

/* The nodes of the finest level between eight nodes of a coarser one: [x][y][z], of the flow; -1:
 * none, or of another level. */
typedef struct {
  int count; /* along an axis */
  int64_t node[HT_COARSE_PLACES * HT_COARSE_PLACES * HT_COARSE_PLACES];
} between_nodes;

/* Finds them past the node `at` of level l; returns whether there are any. */
static int find_between(const ht_level_flow *of, const ht_flow *flow, int l, const int32_t at[3],
                        between_nodes *found) {
  const int count = found->count = 1 << (of->domain->levels - 1 - l);
  int any = 0, there[3];
  for (int i = 0; i < count * count * count; i++) {
    const int past[3] = {i / (count * count), i / count % count, i % count};
    for (int a = 0; a < 3; a++) there[a] = count * at[a] + count / 2 + past[a];
    int64_t node = -1;
    if (ht_voxel_in_grid(flow->grid.dim, there))
      node = ht_flow_node(flow, ht_voxel_index(flow->grid.dim, there));
    found->node[i] = node >= 0 && of->level[node] == l ? node : -1;
    any |= found->node[i] >= 0;
  }
  return any;
}

/* Lists the cells of a slice of level l in `to` (NULL: none), and counts them. */
static int64_t list_slice(const ht_level_flow *of, const ht_flow *flow, int l, int z,
                          int32_t (*to)[3]) {
  const int *dim = of->domain->domain[l].mask.grid.dim;
  between_nodes between;
  int64_t count = 0;
  for (int y = -1; y < dim[1]; y++)
    for (int x = -1; x < dim[0]; x++) {
      const int32_t at[3] = {x, y, z};
      if (!find_between(of, flow, l, at, &between)) continue;
      if (to) memcpy(to[count], at, sizeof at);
      count++;
    }
  return count;
}

static ht_status list_cells(const ht_flow *flow, int l, ht_level_flow *made) {
  const int slices = made->domain->domain[l].mask.grid.dim[2] + 1;
  int64_t *first;
  HT_TRY(ht_alloc((void **)&first, (size_t)slices + 1, sizeof *first, "the levels of the flow"));
#pragma omp parallel for schedule(dynamic)
  for (int z = 0; z < slices; z++) first[z + 1] = list_slice(made, flow, l, z - 1, NULL);
  for (int z = 0; z < slices; z++) first[z + 1] += first[z];
  made->cells[l] = first[slices];
  ht_status status = ht_alloc((void **)&made->cell[l], (size_t)made->cells[l],
                              sizeof *made->cell[l], "the levels of the flow");
  if (status == HT_OK) {
#pragma omp parallel for schedule(dynamic)
    for (int z = 0; z < slices; z++)
      (void)list_slice(made, flow, l, z - 1, made->cell[l] + first[z]);
  }
  free(first);
  return status;
}

static ht_status make_level(const ht_level_domain *domain, const ht_levels *levels, int l,
                            const ht_solver_options *options, const ht_flow *flow,
                            ht_level_flow *made) {
  HT_TRY(list_cells(flow, l, made));
  HT_TRY(ht_flow_alloc_some(&domain->domain[l], ht_levels_tiling(levels, l),
                            ht_levels_outer(levels, l), options, &made->own[l]));
  return ht_coarse_values_make(&domain->domain[l], &made->own[l], 1, &made->between[l]);
}

ht_status ht_level_flow_make(const ht_level_domain *domain, ht_levels *levels,
                             const ht_solver_options *options, const ht_flow *flow,
                             ht_level_flow *made) {
  *made = (ht_level_flow){.levels = levels, .domain = domain};
  HT_TRY(find_levels(domain, flow, &made->level));
  for (int l = 0; l < domain->levels - 1; l++)
    HT_TRY(make_level(domain, levels, l, options, flow, made));
  return HT_OK;
}

void ht_level_flow_free(ht_level_flow *made) {
  for (int l = 0; l < HT_LEVELS_MOST; l++) {
    ht_coarse_values_free(&made->between[l]);
    ht_flow_free(&made->own[l]);
    free(made->cell[l]);
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

static void store(const double value[HT_COARSE_VALUES], int64_t node, ht_flow *flow) {
  flow->pressure_pa[node] = (float)value[HT_COARSE_PRESSURE];
  for (int a = 0; a < 3; a++)
    flow->velocity_m_s[3 * node + a] = (float)value[HT_COARSE_VELOCITY + a];
  for (int k = 0; k < 6; k++) flow->stress_pa[6 * node + k] = (float)value[HT_COARSE_STRESS + k];
}

/* Interpolates between eight nodes. A fluid voxel in a gap that its level does not see has the
 * nearest values, at rest. */
static void interpolate_between(const ht_coarse_values *from, const int at[3],
                                const ht_coarse_places *places, const between_nodes *to,
                                ht_flow *flow) {
  enum { PLACES = HT_COARSE_PLACES * HT_COARSE_PLACES * HT_COARSE_PLACES };
  const int count = to->count * to->count * to->count;
  double value[PLACES * HT_COARSE_VALUES], still[HT_COARSE_VALUES] = {0};
  const int seen = ht_coarse_values_between(from, at, places, value);
  if (!seen) (void)nearest(from, at, still);
  memset(still + HT_COARSE_VELOCITY, 0, 3 * sizeof *still);
  for (int i = 0; i < count; i++)
    if (to->node[i] >= 0) store(seen ? value + HT_COARSE_VALUES * i : still, to->node[i], flow);
}

/* Interpolates the nodes of a level. */
static void interpolate(const ht_level_flow *of, int l, ht_flow *flow) {
  const ht_coarse_values *from = &of->between[l];
  ht_coarse_places places = {.count = 1 << (of->domain->levels - 1 - l)};
  for (int i = 0; i < 3 * places.count; i++)
    places.past[i / places.count][i % places.count] = (i % places.count + 0.5) / places.count;
#pragma omp parallel for schedule(dynamic, 256)
  for (int64_t c = 0; c < of->cells[l]; c++) {
    between_nodes to;
    (void)find_between(of, flow, l, of->cell[l][c], &to);
    interpolate_between(from, of->cell[l][c], &places, &to, flow);
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
  for (int l = 0; l < last; l++) interpolate(of, l, flow);
  return HT_OK;
}

#include "export/measure/section_nodes.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

/* A plane that meets the vessel at less than 12 degrees is taken for one along it. */
static const double least_lean = 0.2;

typedef struct {
  const ht_plane_cut *cut;
  const ht_plane_section *section;
  const ht_flow *flow;
  const uint8_t *only; /* [voxels]; NULL: all */
  double along[3];     /* LPS, unit */
  double normal[3];    /* of the cut, on the side of `along` */
  double spacing_mm;
  double centroid_mm[3];
  int low[3], high[3]; /* box of voxels around the section */
  double (*off_mm)[4]; /* [count] 1, and place from the centroid */
  double *weight;      /* [count] of the fit; 0: not over the section */
  int64_t room;
  ht_section_nodes *nodes;
} search;

static double weight_at(double distance) {
  const double share = fabs(distance) / HT_SECTION_NODES_REACH;
  return share < 1 ? (1 + cos(HT_PI * share)) / (2 * HT_SECTION_NODES_REACH) : 0;
}

static void find_box(search *of) {
  const double lean = 1 / fabs(ht_dot(of->along, of->normal));
  const double margin = HT_SECTION_NODES_REACH * (lean + 0.5) + 1;
  for (int a = 0; a < 3; a++) of->low[a] = of->flow->grid.dim[a], of->high[a] = -1;
  for (int i = 0; i < of->cut->contours; i++) {
    const ht_contour *one = &of->cut->contour[i];
    if (!ht_plane_section_has(of->cut, of->section, i)) continue;
    for (int k = 0; k < one->count; k++) {
      double place_mm[3], index[3];
      ht_plane_place(of->cut, of->cut->point[one->first + k].at, place_mm);
      ht_grid_index(&of->flow->grid, place_mm, index);
      for (int a = 0; a < 3; a++) {
        const double least = fmax(0, floor(index[a] - margin));
        const double most = fmin(of->flow->grid.dim[a] - 1, ceil(index[a] + margin));
        if (least < of->low[a]) of->low[a] = (int)least;
        if (most > of->high[a]) of->high[a] = (int)most;
      }
    }
  }
}

static ht_status grow(search *of) {
  ht_section_nodes *nodes = of->nodes;
  const int64_t room = 2 * of->room + 1024;
  void **array[] = {
      (void **)&nodes->voxel,   (void **)&nodes->flow_mm2, (void **)&nodes->pressure_share,
      (void **)&nodes->is_near, (void **)&of->off_mm,      (void **)&of->weight};
  const size_t size[] = {sizeof *nodes->voxel,   sizeof *nodes->flow_mm2, sizeof(double),
                         sizeof *nodes->is_near, sizeof *of->off_mm,      sizeof *of->weight};
  for (int i = 0; i < 6; i++) {
    void *larger = realloc(*array[i], (size_t)room * size[i]);
    if (!larger) return ht_fail(HT_ERR_MEMORY, "not enough memory for the nodes of a section");
    *array[i] = larger;
  }
  of->room = room;
  return HT_OK;
}

/* Takes a voxel where it has a node over the section. */
static ht_status take(search *of, const int place[3]) {
  const ht_grid *grid = &of->flow->grid;
  const int64_t voxel = ht_voxel_index(grid->dim, place);
  double at_mm[3], off_mm[3], foot[2];
  ht_grid_voxel_position(grid, voxel, at_mm);
  for (int r = 0; r < 3; r++) off_mm[r] = at_mm[r] - of->cut->point_mm[r];
  const double distance = ht_dot(off_mm, of->normal) / of->spacing_mm;
  const double weight = weight_at(distance);
  if (!(weight > 0) || ht_flow_node(of->flow, voxel) < 0) return HT_OK;
  if (of->only && !of->only[voxel]) return HT_OK;
  const double back_mm = distance * of->spacing_mm / ht_dot(of->along, of->normal);
  for (int r = 0; r < 3; r++) off_mm[r] -= back_mm * of->along[r];
  for (int k = 0; k < 2; k++) foot[k] = ht_dot(off_mm, of->cut->across[k]);
  const double away_mm = ht_plane_section_away(of->cut, of->section, foot);
  if (away_mm > (1 + fabs(distance) / 2) * of->spacing_mm) return HT_OK;
  if (away_mm > 0 && ht_plane_section_is_other(of->cut, of->section, foot, away_mm)) return HT_OK;
  if (of->nodes->count == of->room) HT_TRY(grow(of));
  const int64_t n = of->nodes->count++;
  of->nodes->voxel[n] = voxel;
  of->nodes->is_near[n] = fabs(distance) <= 1;
  of->weight[n] = away_mm > 0 ? 0 : weight;
  of->off_mm[n][0] = 1;
  for (int r = 0; r < 3; r++) {
    of->off_mm[n][1 + r] = at_mm[r] - of->centroid_mm[r];
    of->nodes->flow_mm2[n][r] = weight * of->spacing_mm * of->spacing_mm * of->normal[r];
  }
  return HT_OK;
}

/* Solves m x = (1, 0, 0, 0) for a symmetric m by elimination; returns 0 where it is singular. */
static int solve_first(double m[4][4], double x[4]) {
  const double scale[4] = {m[0][0], m[1][1], m[2][2], m[3][3]};
  double right[4] = {1, 0, 0, 0};
  for (int k = 0; k < 4; k++) {
    if (!(m[k][k] > 1e-6 * scale[k])) return 0;
    for (int r = k + 1; r < 4; r++) {
      const double factor = m[r][k] / m[k][k];
      for (int c = k; c < 4; c++) m[r][c] -= factor * m[k][c];
      right[r] -= factor * right[k];
    }
  }
  for (int k = 3; k >= 0; k--) {
    x[k] = right[k];
    for (int c = k + 1; c < 4; c++) x[k] -= m[k][c] * x[c];
    x[k] /= m[k][k];
  }
  return 1;
}

/* Sets the pressure's shares; without enough nodes for a fit they are those of the mean. */
static void fit_pressure(search *of) {
  double m[4][4] = {{0}}, x[4], sum = 0;
  const int64_t count = of->nodes->count;
  for (int64_t n = 0; n < count; n++) sum += of->weight[n];
  for (int64_t n = 0; n < count; n++) {
    if (!(sum > 0)) of->weight[n] = 1; /* all are at the rim */
    for (int r = 0; r < 16; r++)
      m[r / 4][r % 4] += of->weight[n] * of->off_mm[n][r / 4] * of->off_mm[n][r % 4];
  }
  const double all = m[0][0];
  if (!solve_first(m, x)) x[0] = 1 / all, x[1] = x[2] = x[3] = 0;
  for (int64_t n = 0; n < count; n++) {
    double share = 0;
    for (int r = 0; r < 4; r++) share += x[r] * of->off_mm[n][r];
    of->nodes->pressure_share[n] = of->weight[n] * share;
  }
}

static ht_status fill(search *of) {
  int at[3];
  find_box(of);
  for (at[2] = of->low[2]; at[2] <= of->high[2]; at[2]++)
    for (at[1] = of->low[1]; at[1] <= of->high[1]; at[1]++)
      for (at[0] = of->low[0]; at[0] <= of->high[0]; at[0]++) HT_TRY(take(of, at));
  if (of->nodes->count == 0)
    return ht_fail(HT_ERR_VESSEL, "the section has no node of the flow: it is thinner than the "
                                  "lattice");
  fit_pressure(of);
  return HT_OK;
}

ht_status ht_section_nodes_find(const ht_plane_cut *cut, const ht_plane_section *section,
                                const ht_flow *flow, const double along[3], const uint8_t *only,
                                ht_section_nodes *nodes) {
  search of = {.cut = cut,
               .section = section,
               .flow = flow,
               .only = only,
               .nodes = nodes,
               .spacing_mm = flow->grid.spacing_mm[0]};
  const double lean = ht_dot(cut->normal, along);
  memset(nodes, 0, sizeof *nodes);
  for (int r = 0; r < 3; r++) of.normal[r] = lean < 0 ? -cut->normal[r] : cut->normal[r];
  memcpy(of.along, fabs(lean) < least_lean ? of.normal : along, sizeof of.along);
  ht_plane_place(cut, section->centroid, of.centroid_mm);
  ht_status status = fill(&of);
  free(of.off_mm), free(of.weight);
  if (status != HT_OK) ht_section_nodes_free(nodes);
  return status;
}

void ht_section_nodes_free(ht_section_nodes *nodes) {
  if (!nodes) return;
  free(nodes->voxel), free(nodes->flow_mm2), free(nodes->pressure_share), free(nodes->is_near);
  memset(nodes, 0, sizeof *nodes);
}

ht_section_values ht_section_nodes_sum(const ht_section_nodes *nodes, const float *velocity_m_s,
                                       const float *pressure_pa) {
  ht_section_values sum = {0};
  for (int64_t n = 0; n < nodes->count; n++) {
    const float *u = velocity_m_s + 3 * n;
    const double velocity[3] = {u[0], u[1], u[2]};
    sum.flow_ml_s += ht_dot(nodes->flow_mm2[n], velocity);
    sum.pressure_pa += nodes->pressure_share[n] * pressure_pa[n];
    if (nodes->is_near[n]) sum.highest_m_s = fmax(sum.highest_m_s, ht_length(velocity));
  }
  return sum;
}

void ht_section_nodes_take(const ht_section_nodes *nodes, const ht_flow *flow, float *velocity_m_s,
                           float *pressure_pa) {
  for (int64_t n = 0; n < nodes->count; n++) {
    const int64_t node = ht_flow_node(flow, nodes->voxel[n]);
    for (int r = 0; r < 3; r++) velocity_m_s[3 * n + r] = flow->velocity_m_s[3 * node + r];
    pressure_pa[n] = flow->pressure_pa[node];
  }
}

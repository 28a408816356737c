#include "export/beat/jet.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <math.h>

static const double core_share = 0.9;

/* The velocity at a voxel of the path; NULL: no node there. */
static const float *velocity_at(const ht_vessel_path *path, int64_t entry, const ht_flow *flow) {
  double at_mm[3], index[3];
  int at[3];
  ht_grid_voxel_position(&path->grid, path->voxel[entry], at_mm);
  ht_grid_index(&flow->grid, at_mm, index);
  for (int a = 0; a < 3; a++) at[a] = (int)lround(index[a]);
  int64_t node = ht_flow_node_at(flow, at);
  return node < 0 ? NULL : flow->velocity_m_s + 3 * node;
}

static double speed_of(const float *u) {
  return u ? sqrt((double)u[0] * u[0] + (double)u[1] * u[1] + (double)u[2] * u[2]) : 0;
}

static double fastest_of(const ht_vessel_path *path, int s, const ht_flow *flow) {
  double most = 0;
  for (int64_t i = path->first[s]; i < path->first[s + 1]; i++)
    most = fmax(most, speed_of(velocity_at(path, i, flow)));
  return most;
}

void ht_jet_angle(const ht_vessel_path *path, const ht_flow *flow, ht_gradient *g) {
  double most = 0, sum[3] = {0};
  int fastest = g->throat;
  if (!g->is_narrow || g->distal >= path->stations) return;
  for (int s = g->throat; s <= g->distal; s++) {
    double speed = path->station[s].is_mixed ? 0 : fastest_of(path, s, flow);
    if (speed > most) most = speed, fastest = s;
  }
  for (int64_t i = path->first[fastest]; i < path->first[fastest + 1]; i++) {
    const float *u = velocity_at(path, i, flow);
    if (!(speed_of(u) >= core_share * most)) continue;
    for (int r = 0; r < 3 && u; r++) sum[r] += u[r];
  }
  if (!ht_normalise(sum)) return;
  double cosine = ht_dot(sum, path->station[g->throat].direction);
  g->jet_angle_deg = acos(fmax(-1, fmin(1, cosine))) * 180 / HT_PI;
}

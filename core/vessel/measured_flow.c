#include "core/vessel/measured_flow.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

/* Largest share of a voxel: noise makes some brighter than the mean of blood, and cut off at 1 the
 * sum would be too small. */
static const double SHARE_MOST = 1.25;

ht_status ht_measured_flow_alloc(const ht_grid *grid, int times, int encodings, int has_magnitude,
                                 ht_measured_flow *flow) {
  const size_t voxels = (size_t)ht_grid_voxels(grid), images = (size_t)times;
  *flow = (ht_measured_flow){.grid = *grid, .times = times, .encodings = encodings};
  ht_status status = ht_alloc((void **)&flow->time_s, images, sizeof *flow->time_s, "the times");
  if (status == HT_OK)
    status = ht_alloc((void **)&flow->velocity_m_s, images * (size_t)encodings * voxels,
                      sizeof *flow->velocity_m_s, "the measured velocities");
  if (status == HT_OK && has_magnitude)
    status = ht_alloc((void **)&flow->magnitude, images * voxels, sizeof *flow->magnitude,
                      "the magnitude images");
  if (status != HT_OK) ht_measured_flow_free(flow);
  return status;
}

void ht_measured_flow_free(ht_measured_flow *flow) {
  if (!flow) return;
  free(flow->time_s);
  free(flow->velocity_m_s);
  free(flow->magnitude);
  memset(flow, 0, sizeof *flow);
}

void ht_measured_flow_move(ht_measured_flow *flow, const ht_rigid_move *move) {
  ht_grid *grid = &flow->grid;
  ht_rigid_move_place(move, grid->origin_mm);
  for (int axis = 0; axis < 3; axis++) {
    double along[3] = {grid->direction[0][axis], grid->direction[1][axis],
                       grid->direction[2][axis]};
    ht_rigid_move_vector(move, along);
    for (int a = 0; a < 3; a++) grid->direction[a][axis] = along[a];
  }
  for (int e = 0; e < flow->encodings; e++) ht_rigid_move_vector(move, flow->encoding[e].direction);
}

float *ht_measured_part(const ht_measured_flow *flow, int time, int encoding) {
  return flow->velocity_m_s +
         ((int64_t)time * flow->encodings + encoding) * ht_grid_voxels(&flow->grid);
}

/* Solves direction[c] . v = part[c] by Cramer's rule. */
static int solve(const ht_velocity_encoding e[3], const double part[3], double v[3]) {
  double cross[3][3];
  for (int c = 0; c < 3; c++)
    ht_cross(e[(c + 1) % 3].direction, e[(c + 2) % 3].direction, cross[c]);
  const double volume = ht_dot(e[0].direction, cross[0]);
  for (int r = 0; r < 3; r++)
    v[r] = fabs(volume) < 1e-3
               ? 0
               : (part[0] * cross[0][r] + part[1] * cross[1][r] + part[2] * cross[2][r]) / volume;
  return fabs(volume) >= 1e-3;
}

int ht_measured_velocity(const ht_measured_flow *flow, int time, int64_t voxel, double m_s[3]) {
  double part[3] = {0};
  for (int c = 0; c < flow->encodings; c++) part[c] = ht_measured_part(flow, time, c)[voxel];
  if (flow->encodings == 3) return solve(flow->encoding, part, m_s);
  for (int r = 0; r < 3; r++) m_s[r] = part[0] * flow->encoding[0].direction[r];
  return 1;
}

static double mean_magnitude(const ht_measured_flow *flow, int64_t voxel) {
  double sum = 0;
  for (int t = 0; t < flow->times; t++)
    sum += flow->magnitude[t * ht_grid_voxels(&flow->grid) + voxel];
  return sum / flow->times;
}

/* Tells whether a voxel is known to be all blood or, where none is, has all its neighbours inside:
 * four in a plane, six in a volume. */
static int is_blood(const ht_grid *grid, const uint8_t *inside, int any_known, int64_t voxel) {
  const int axes = grid->dim[2] == 1 ? 2 : 3;
  int at[3];
  if (any_known) return inside[voxel] > 1;
  ht_voxel_place(grid->dim, voxel, at);
  int64_t step = 1;
  for (int a = 0; a < axes; a++) {
    if (at[a] == 0 || at[a] == grid->dim[a] - 1) return 0;
    if (!inside[voxel - step] || !inside[voxel + step]) return 0;
    step *= grid->dim[a];
  }
  return inside[voxel] != 0;
}

void ht_measured_share(const ht_measured_flow *flow, const uint8_t *inside, float *share) {
  const int64_t voxels = ht_grid_voxels(&flow->grid);
  double sum = 0;
  int64_t count = 0;
  int any_known = 0;
  for (int64_t i = 0; i < voxels; i++) {
    share[i] = inside[i] != 0;
    any_known |= inside[i] > 1;
  }
  if (!flow->magnitude) return;
  for (int64_t i = 0; i < voxels; i++) {
    if (!is_blood(&flow->grid, inside, any_known, i)) continue;
    sum += mean_magnitude(flow, i);
    count++;
  }
  if (!(sum > 0)) return;
  for (int64_t i = 0; i < voxels; i++)
    if (inside[i])
      share[i] = (float)fmin(SHARE_MOST, mean_magnitude(flow, i) * (double)count / sum);
}

double ht_measured_plane_flow(const ht_measured_flow *flow, int time, int plane,
                              const float *share) {
  const ht_grid *grid = &flow->grid;
  const int64_t pixels = (int64_t)grid->dim[0] * grid->dim[1];
  double sum = 0, v[3];
  for (int64_t i = 0; i < pixels; i++) {
    if (!(share[i] > 0)) continue;
    ht_measured_velocity(flow, time, plane * pixels + i, v);
    for (int r = 0; r < 3; r++) sum += share[i] * v[r] * grid->direction[r][2];
  }
  return sum * grid->spacing_mm[0] * grid->spacing_mm[1]; /* m/s mm2 is mL/s */
}

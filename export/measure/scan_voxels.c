#include "export/measure/scan_voxels.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A cube of the lattice over the voxels of a scan: along each axis the first voxel that it reaches,
 * and how much of it lies in each. */
enum { REACH = 16 };
static const double ROUNDING =
    1e-6; /* voxels: a cube that ends at a voxel's side reaches no further */
typedef struct {
  int first[3], count[3];
  double part[3][REACH];
} spread;

/* Spreads the cube around a place over the voxels. Returns 0 where it meets none. */
static int spread_cube(const ht_grid *scan, const double at_mm[3], double side_mm, spread *to) {
  double index[3];
  ht_grid_index(scan, at_mm, index);
  for (int a = 0; a < 3; a++) {
    const double side = side_mm / scan->spacing_mm[a];
    const double low = index[a] + 0.5 - side / 2, high = low + side; /* voxel i: from i to i + 1 */
    const int first = (int)fmax(0, floor(low + ROUNDING));
    const int last = (int)fmin(scan->dim[a] - 1, ceil(high - ROUNDING) - 1);
    if (last < first) return 0;
    to->first[a] = first;
    to->count[a] = last - first + 1 < REACH ? last - first + 1 : REACH;
    for (int i = 0; i < to->count[a]; i++)
      to->part[a][i] = fmax(0, (fmin(high, first + i + 1) - fmax(low, first + i)) / side);
  }
  return 1;
}

/* Returns the volume of a cube in voxels. */
static double cube_voxels(const ht_grid *scan, const ht_flow *flow) {
  const double *mm = scan->spacing_mm;
  return pow(flow->grid.spacing_mm[0], 3) / (mm[0] * mm[1] * mm[2]);
}

typedef void (*take_part)(void *user, int64_t voxel, double part, int64_t node);

/* Calls `take` for each voxel that a cube of the vessel meets, with the part of the cube in it. */
static void each_part(const ht_grid *scan, const ht_flow *flow, const uint8_t *vessel,
                      take_part take, void *user) {
  for (int64_t v = 0; v < ht_grid_voxels(&flow->grid); v++) {
    double at_mm[3];
    spread of;
    const int64_t node = vessel[v] ? ht_flow_node(flow, v) : -1;
    if (node < 0) continue;
    ht_grid_voxel_position(&flow->grid, v, at_mm);
    if (!spread_cube(scan, at_mm, flow->grid.spacing_mm[0], &of)) continue;
    for (int k = 0; k < of.count[2]; k++)
      for (int j = 0; j < of.count[1]; j++)
        for (int i = 0; i < of.count[0]; i++) {
          const int at[3] = {of.first[0] + i, of.first[1] + j, of.first[2] + k};
          take(user, ht_voxel_index(scan->dim, at), of.part[0][i] * of.part[1][j] * of.part[2][k],
               node);
        }
  }
}

/* ---- shares ---- */

static void add_share(void *user, int64_t voxel, double part, int64_t node) {
  (void)node;
  ((float *)user)[voxel] += (float)part;
}

/* Lists the voxels with blood; part: [voxels] sum of the parts of cubes. */
static ht_status list(const float *part, double cubes, ht_scan_voxels *to) {
  const int64_t voxels = ht_grid_voxels(&to->scan);
  const size_t room = (size_t)voxels + 1;
  for (int64_t v = 0; v < voxels; v++) to->count += part[v] > 0;
  HT_TRY(ht_alloc((void **)&to->entry, room, sizeof *to->entry, "the scan's voxels"));
  HT_TRY(ht_alloc((void **)&to->voxel, (size_t)to->count + 1, sizeof *to->voxel, "voxels"));
  HT_TRY(ht_alloc((void **)&to->share, (size_t)to->count + 1, sizeof *to->share, "voxels"));
  int64_t n = 0;
  for (int64_t v = 0; v < voxels; v++) {
    to->entry[v] = part[v] > 0 ? (int32_t)n : -1;
    if (!(part[v] > 0)) continue;
    to->voxel[n] = v;
    to->share[n++] = (float)(part[v] * cubes);
  }
  return HT_OK;
}

ht_status ht_scan_voxels_find(const ht_grid *scan, const ht_flow *flow, const uint8_t *vessel,
                              ht_scan_voxels *voxels) {
  float *part = NULL;
  *voxels = (ht_scan_voxels){.scan = *scan};
  HT_TRY(ht_alloc((void **)&part, (size_t)ht_grid_voxels(scan), sizeof *part, "the scan's voxels"));
  each_part(scan, flow, vessel, add_share, part);
  ht_status status = list(part, cube_voxels(scan, flow), voxels);
  free(part);
  if (status != HT_OK) ht_scan_voxels_free(voxels);
  return status;
}

void ht_scan_voxels_free(ht_scan_voxels *voxels) {
  if (!voxels) return;
  free(voxels->voxel);
  free(voxels->share);
  free(voxels->entry);
  memset(voxels, 0, sizeof *voxels);
}

/* ---- velocities ---- */

typedef struct {
  const ht_scan_voxels *voxels;
  const float *node_m_s;
  float *velocity_m_s;
} mean;

static void add_velocity(void *user, int64_t voxel, double part, int64_t node) {
  const mean *of = user;
  float *to = of->velocity_m_s + 3 * (int64_t)of->voxels->entry[voxel];
  for (int r = 0; r < 3; r++) to[r] += (float)(part * of->node_m_s[3 * node + r]);
}

void ht_scan_voxels_velocity(const ht_scan_voxels *voxels, const ht_flow *flow,
                             const uint8_t *vessel, float *velocity_m_s) {
  mean of = {voxels, flow->velocity_m_s, velocity_m_s};
  const double cubes = cube_voxels(&voxels->scan, flow);
  memset(velocity_m_s, 0, 3 * (size_t)voxels->count * sizeof *velocity_m_s);
  each_part(&voxels->scan, flow, vessel, add_velocity, &of);
  for (int64_t n = 0; n < 3 * voxels->count; n++)
    velocity_m_s[n] = (float)(velocity_m_s[n] * cubes / voxels->share[n / 3]);
}

/* ---- a scan that misses the vessel ---- */

double ht_scan_away_mm(const ht_grid *scan, const ht_flow *flow, const uint8_t *vessel,
                       double nearest_mm[3]) {
  double least = INFINITY;
  for (int64_t v = 0; v < ht_grid_voxels(&flow->grid); v++) {
    double at_mm[3], index[3], away2 = 0;
    if (!vessel[v]) continue;
    ht_grid_voxel_position(&flow->grid, v, at_mm);
    ht_grid_index(scan, at_mm, index);
    for (int a = 0; a < 3; a++) {
      const double beyond = fmax(0, fmax(-0.5 - index[a], index[a] - (scan->dim[a] - 0.5)));
      away2 += pow(beyond * scan->spacing_mm[a], 2);
    }
    if (away2 >= least) continue;
    least = away2;
    memcpy(nearest_mm, at_mm, 3 * sizeof *nearest_mm);
  }
  return sqrt(least);
}

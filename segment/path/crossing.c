#include "segment/path/crossing.h"
#include "segment/shape/flood.h"
#include "segment/shape/neighbour.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double reach = 4;    /* radii: the blood that is looked at */
static const double onward = 1.5; /* radii beyond the gap: the vessel goes on */
static const double longer = 2;   /* variance along a vessel over those across it: it is long */
static const double steep = 0.7;  /* cosine of 45 degrees */

/* Blood on one side of the gap. */
typedef struct {
  const ht_volume *region;
  double level, bright, radius_mm, from_mm[3], peak_mm[3];
  ht_stack voxels;
  double axis[3], extent[2]; /* unit; distance of the farthest voxel to both sides of from_mm */
  int at_border[2];          /* 1: that voxel lies at the border of the scan */
} piece;

static double value_at(const piece *p, const int at[3]) {
  return p->region->values[ht_voxel_index(p->region->grid.dim, at)];
}

/* Climbs from the station to the brightest place of the vessel, within a radius. */
static void climb(piece *p, int at[3]) {
  const ht_grid *grid = &p->region->grid;
  int64_t voxel = ht_grid_nearest(grid, p->from_mm, at);
  for (int64_t best = -1; best != voxel;) {
    int next[3], to[3] = {at[0], at[1], at[2]};
    double most = value_at(p, at), position[3];
    best = voxel;
    for (int n = 0; n < HT_NEIGHBOURS; n++) {
      if (!ht_neighbour(grid->dim, at, n, next)) continue;
      double value = value_at(p, next);
      ht_grid_voxel_position(grid, ht_voxel_index(grid->dim, next), position);
      if (!(value > most && value <= p->bright)) continue;
      if (ht_distance(position, p->from_mm) > p->radius_mm) continue;
      most = value;
      memcpy(to, next, sizeof to);
    }
    memcpy(at, to, sizeof to);
    voxel = ht_voxel_index(grid->dim, at);
  }
}

/* Collects the blood connected with a voxel, within `reach` of it. */
static ht_status collect(piece *p, int64_t seed) {
  const ht_grid *grid = &p->region->grid;
  uint8_t *seen;
  HT_TRY(ht_alloc((void **)&seen, (size_t)ht_grid_voxels(grid), 1, "the vessel beside a gap"));
  seen[seed] = 1;
  ht_status status = ht_stack_push(&p->voxels, seed);
  for (int64_t i = 0; i < p->voxels.count && status == HT_OK; i++) {
    int at[3], next[3];
    double position[3];
    ht_voxel_place(grid->dim, p->voxels.item[i], at);
    for (int n = 0; n < HT_NEIGHBOURS && status == HT_OK; n++) {
      if (!ht_neighbour(grid->dim, at, n, next)) continue;
      int64_t voxel = ht_voxel_index(grid->dim, next);
      double value = value_at(p, next);
      if (seen[voxel] || !(value >= p->level && value <= p->bright)) continue;
      ht_grid_voxel_position(grid, voxel, position);
      if (ht_distance(position, p->peak_mm) > reach * p->radius_mm) continue;
      seen[voxel] = 1;
      status = ht_stack_push(&p->voxels, voxel);
    }
  }
  free(seen);
  return status;
}

/* The direction of the largest variance, by power iteration; 0 where it is not much larger than
 * those across. */
static int find_axis(piece *p) {
  double mean[3] = {0, 0, 0}, m[3][3] = {{0}}, at[3], count = (double)p->voxels.count;
  for (int64_t i = 0; i < p->voxels.count; i++) {
    ht_grid_voxel_position(&p->region->grid, p->voxels.item[i], at);
    for (int a = 0; a < 3; a++) mean[a] += at[a] / count;
  }
  for (int64_t i = 0; i < p->voxels.count; i++) {
    ht_grid_voxel_position(&p->region->grid, p->voxels.item[i], at);
    for (int a = 0; a < 9; a++)
      m[a / 3][a % 3] += (at[a / 3] - mean[a / 3]) * (at[a % 3] - mean[a % 3]) / count;
  }
  double own = 0, axis[3] = {1, 0.9, 0.8};
  for (int round = 0; round < 50; round++) {
    double to[3] = {ht_dot(m[0], axis), ht_dot(m[1], axis), ht_dot(m[2], axis)};
    own = ht_length(to);
    if (!ht_normalise(to)) return 0;
    memcpy(axis, to, sizeof axis);
  }
  memcpy(p->axis, axis, sizeof axis);
  return own > longer * (m[0][0] + m[1][1] + m[2][2] - own);
}

static int is_at_border(const ht_grid *grid, int64_t voxel) {
  int at[3], border = 0;
  ht_voxel_place(grid->dim, voxel, at);
  for (int a = 0; a < 3; a++) border |= at[a] == 0 || at[a] == grid->dim[a] - 1;
  return border;
}

static void find_extent(piece *p) {
  for (int64_t i = 0; i < p->voxels.count; i++) {
    double at[3], off[3];
    ht_grid_voxel_position(&p->region->grid, p->voxels.item[i], at);
    for (int r = 0; r < 3; r++) off[r] = at[r] - p->from_mm[r];
    double along = ht_dot(off, p->axis);
    int side = along < 0;
    if (fabs(along) <= p->extent[side]) continue;
    p->extent[side] = fabs(along);
    p->at_border[side] = is_at_border(&p->region->grid, p->voxels.item[i]);
  }
}

/* Tells whether the gap leads off the vessel at a station to the side, and the vessel goes on. */
static ht_status is_beside(const ht_volume *region, const ht_way *way, int station,
                           const double gap[3], int *beside) {
  const ht_way_station *one = &way->station[station];
  double contrast = one->blood - one->tissue;
  piece p = {.region = region,
             .bright = one->blood + way->bright * contrast,
             .radius_mm = fmax(one->radius_mm, ht_mean_spacing(&region->grid))};
  int at[3];
  *beside = 0;
  memcpy(p.from_mm, one->centre_mm, sizeof p.from_mm);
  climb(&p, at);
  int64_t peak = ht_voxel_index(region->grid.dim, at);
  ht_grid_voxel_position(&region->grid, peak, p.peak_mm);
  p.level = (value_at(&p, at) + one->tissue) / 2;
  ht_status status = collect(&p, peak);
  if (status == HT_OK && find_axis(&p)) {
    find_extent(&p);
    *beside = fabs(ht_dot(p.axis, gap)) < steep;
    for (int side = 0; side < 2; side++)
      *beside &= p.at_border[side] || p.extent[side] > onward * p.radius_mm;
  }
  free(p.voxels.item);
  return status;
}

ht_status ht_gap_crosses(const ht_volume *region, const ht_way *way, int before, int behind,
                         int *crosses) {
  const double *from = way->station[before].centre_mm, *to = way->station[behind].centre_mm;
  double gap[3];
  for (int r = 0; r < 3; r++) gap[r] = to[r] - from[r];
  *crosses = 0;
  if (!ht_normalise(gap)) return HT_OK;
  HT_TRY(is_beside(region, way, before, gap, crosses));
  return *crosses ? is_beside(region, way, behind, gap, crosses) : HT_OK;
}

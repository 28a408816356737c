#include "segment/quality/leak.h"
#include "segment/shape/flood.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>

/* Beyond an opening's plane, in radii and voxels of the scan from its axis. */
static const double rim_radii = 1.5, rim_voxels = 2;

enum { PARTS = 1024 }; /* of a voxel: sums of whole numbers are those of any number of threads */

typedef struct {
  const ht_surroundings *around;
  const ht_openings *openings;
  float *share; /* of the contrast, [dim[2]][dim[1]][dim[0]]; NaN: out of reach */
  uint8_t *inside, *mark;
} field;

static int64_t voxels_of(const field *of) {
  const int *dim = of->around->dim;
  return (int64_t)dim[0] * dim[1] * dim[2];
}

/* ---- The share of the contrast ---- */

static int is_beyond(const field *of, const double index[3]) {
  double p[3];
  ht_grid_position(&of->around->scan->grid, index, p);
  for (int i = 0; i < of->openings->count; i++) {
    const ht_opening *one = &of->openings->item[i];
    double off[3];
    for (int r = 0; r < 3; r++) off[r] = p[r] - one->centre_mm[r];
    if (ht_dot(off, one->normal) <= 0) continue;
    if (ht_opening_side_mm(one, p) <=
        rim_radii * one->radius_mm + rim_voxels * of->around->voxel_mm)
      return 1;
  }
  return 0;
}

static float share_at(const field *of, int64_t v) {
  const ht_surroundings *around = of->around;
  int at[3];
  double index[3], level[2];
  if (!(around->kind[v] & HT_NEAR_REACH)) return NAN;
  ht_voxel_place(around->dim, v, at);
  for (int a = 0; a < 3; a++) index[a] = at[a] += around->box.first[a];
  if (!(around->kind[v] & HT_NEAR_INSIDE) && is_beyond(of, index)) return NAN;
  ht_surroundings_level(around, index, level);
  int64_t voxel = ht_voxel_index(around->scan->grid.dim, at);
  return (float)((around->scan->values[voxel] - level[1]) / (level[0] - level[1]));
}

/* ---- The volume ---- */

/* Marks the voxels above the level that are connected to one of blood. */
static ht_status mark_connected(const field *of, double level) {
  const ht_surroundings *around = of->around;
  for (int64_t v = 0; v < voxels_of(of); v++)
    of->inside[v] = of->share[v] >= level, of->mark[v] = 0;
  for (int64_t v = 0; v < voxels_of(of); v++)
    if ((around->kind[v] & HT_NEAR_BLOOD) && of->inside[v] && !of->mark[v])
      HT_TRY(ht_flood(of->inside, around->dim, v, 1, of->mark));
  return HT_OK;
}

/* Part of a voxel above the level: a plane across the slope of the share cuts the voxel. 0 away
 * from marked voxels. */
static double part_above(const field *of, int64_t v, double level) {
  const int *dim = of->around->dim;
  const int64_t stride[3] = {1, dim[0], (int64_t)dim[0] * dim[1]};
  int at[3], is_near = of->mark[v];
  double rise = 0;
  ht_voxel_place(dim, v, at);
  for (int a = 0; a < 3; a++) {
    double side[2] = {of->share[v], of->share[v]};
    int steps = 0;
    for (int s = 0; s < 2; s++) {
      const int64_t to = v + (s ? stride[a] : -stride[a]);
      if (at[a] + (s ? 1 : -1) < 0 || at[a] + (s ? 1 : -1) >= dim[a]) continue;
      is_near |= of->mark[to];
      if (isnan(of->share[to])) continue;
      side[s] = of->share[to];
      steps++;
    }
    if (steps > 0) rise += fabs(side[1] - side[0]) / steps;
  }
  if (!is_near) return 0;
  const double above = of->share[v] - level;
  if (fabs(above) >= rise / 2) return above >= 0;
  return 0.5 + above / rise;
}

static ht_status find_volume(const field *of, double level, double *voxels) {
  int64_t parts = 0;
  HT_TRY(mark_connected(of, level));
#pragma omp parallel for reduction(+ : parts) schedule(dynamic, 65536)
  for (int64_t v = 0; v < voxels_of(of); v++)
    if (!isnan(of->share[v])) parts += lround(PARTS * part_above(of, v, level));
  *voxels = (double)parts / PARTS;
  return HT_OK;
}

ht_status ht_leak_measure(const ht_surroundings *around, const ht_openings *openings, double level,
                          double by, double *growth, double *volume_mm3) {
  field of = {around, openings, NULL, NULL, NULL};
  const double *s = around->scan->grid.spacing_mm;
  const size_t voxels = (size_t)voxels_of(&of);
  double before = 0, after = 0;
  HT_TRY(ht_alloc((void **)&of.share, voxels, sizeof *of.share + 2, "the leakage index"));
  of.inside = (uint8_t *)(of.share + voxels);
  of.mark = of.inside + voxels;
#pragma omp parallel for schedule(dynamic, 65536)
  for (int64_t v = 0; v < (int64_t)voxels; v++) of.share[v] = share_at(&of, v);
  ht_status status = find_volume(&of, level, &before);
  if (status == HT_OK) status = find_volume(&of, level - by, &after);
  free(of.share);
  *growth = before > 0 ? (after - before) / before : NAN;
  *volume_mm3 = before * s[0] * s[1] * s[2];
  return status;
}

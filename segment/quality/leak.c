#include "leak.h"
#include "flood.h"
#include <math.h>
#include <stdlib.h>

enum { HIGH = 1, LOW = 2 }; /* above the level, and above the lowered one */

static double share_at(const ht_surroundings *around, int64_t v) {
  int at[3];
  double index[3], level[2];
  ht_voxel_place(around->dim, v, at);
  for (int a = 0; a < 3; a++) index[a] = at[a] += around->box.first[a];
  ht_surroundings_level(around, index, level);
  int64_t voxel = ht_voxel_index(around->scan->grid.dim, at);
  return (around->scan->values[voxel] - level[1]) / (level[0] - level[1]);
}

/* The voxels that are connected to one of blood through voxels with the bit. */
static ht_status count_connected(const ht_surroundings *around, const uint8_t *above, int bit,
                                 uint8_t *inside, uint8_t *mark, int64_t *count) {
  int64_t voxels = (int64_t)around->dim[0] * around->dim[1] * around->dim[2];
  for (int64_t v = 0; v < voxels; v++) inside[v] = (above[v] & bit) != 0, mark[v] = 0;
  for (int64_t v = 0; v < voxels; v++)
    if ((around->kind[v] & HT_NEAR_BLOOD) && inside[v] && !mark[v])
      HT_TRY(ht_flood(inside, around->dim, v, 1, mark));
  *count = 0;
  for (int64_t v = 0; v < voxels; v++) *count += mark[v];
  return HT_OK;
}

ht_status ht_leak_measure(const ht_surroundings *around, double level, double by, double *growth,
                          double *volume_mm3) {
  size_t voxels = (size_t)around->dim[0] * (size_t)around->dim[1] * (size_t)around->dim[2];
  uint8_t *above;
  int64_t before = 0, after = 0;
  const double *s = around->scan->grid.spacing_mm;
  HT_TRY(ht_alloc((void **)&above, 3 * voxels, 1, "the leakage index"));
#pragma omp parallel for schedule(dynamic, 65536)
  for (int64_t v = 0; v < (int64_t)voxels; v++) {
    if (!(around->kind[v] & HT_NEAR_REACH)) continue;
    double share = share_at(around, v);
    above[v] = (uint8_t)((share >= level ? HIGH : 0) | (share >= level - by ? LOW : 0));
  }
  uint8_t *inside = above + voxels, *mark = inside + voxels;
  ht_status status = count_connected(around, above, HIGH, inside, mark, &before);
  if (status == HT_OK) status = count_connected(around, above, LOW, inside, mark, &after);
  free(above);
  *growth = before > 0 ? (double)(after - before) / (double)before : NAN;
  *volume_mm3 = (double)before * s[0] * s[1] * s[2];
  return status;
}

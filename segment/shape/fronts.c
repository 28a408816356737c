#include "segment/shape/fronts.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double piece_share = 0.2;

void ht_fronts_free(ht_fronts *fronts) {
  if (!fronts) return;
  free(fronts->radius);
  free(fronts->centre);
  free(fronts->pieces);
  memset(fronts, 0, sizeof *fronts);
}

static int band_of(const ht_geodesic *g, int64_t i) {
  return g->distance_of[i] / HT_STEP_FACE;
}

static ht_status make(int count, ht_fronts *fronts) {
  static const char what[] = "the fronts in a vessel";
  fronts->count = count;
  if (count == 0) return HT_OK;
  HT_TRY(ht_alloc((void **)&fronts->radius, (size_t)count, sizeof(double), what));
  HT_TRY(ht_alloc((void **)&fronts->centre, (size_t)count, 3 * sizeof(double), what));
  return ht_alloc((void **)&fronts->pieces, (size_t)count, sizeof(int), what);
}

static void measure(const ht_geodesic *g, ht_fronts *fronts) {
  for (int64_t i = 0; i < g->reached.count; i++) {
    int at[3], b = band_of(g, i);
    if (b >= fronts->count) break;
    ht_voxel_place(g->mask->grid.dim, g->reached.item[i], at);
    for (int a = 0; a < 3; a++) fronts->centre[b][a] += at[a];
    fronts->radius[b] += 1;
  }
  for (int b = 0; b < fronts->count; b++) {
    for (int a = 0; a < 3; a++) fronts->centre[b][a] /= fronts->radius[b];
    fronts->radius[b] = sqrt(fronts->radius[b] / HT_PI);
  }
}

static int32_t root_of(int32_t *parent, int32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* Voxels of one band that touch are one piece. */
static void join(const ht_geodesic *g, int64_t count, int32_t *parent) {
  for (int64_t i = 0; i < count; i++) {
    int64_t next[26];
    int neighbours = ht_vessel_neighbours(g->mask, g->reached.item[i], next, NULL);
    parent[i] = (int32_t)i;
    for (int k = 0; k < neighbours; k++) {
      int32_t there = g->place[next[k]];
      if (there < 0 || there >= i || band_of(g, there) != band_of(g, i)) continue;
      parent[root_of(parent, there)] = root_of(parent, (int32_t)i);
    }
  }
}

static ht_status count_pieces(const ht_geodesic *g, ht_fronts *fronts) {
  int32_t *parent, *size;
  int64_t count = 0;
  while (count < g->reached.count && band_of(g, count) < fronts->count) count++;
  HT_TRY(ht_alloc((void **)&parent, 2 * (size_t)count + 1, sizeof(int32_t), "a vessel's fronts"));
  size = parent + count;
  join(g, count, parent);
  for (int64_t i = 0; i < count; i++) size[root_of(parent, (int32_t)i)]++;
  for (int64_t i = 0; i < count; i++) {
    int b = band_of(g, i);
    double whole = HT_PI * fronts->radius[b] * fronts->radius[b];
    fronts->pieces[b] += parent[i] == i && size[i] >= piece_share * whole;
  }
  free(parent);
  return HT_OK;
}

ht_status ht_fronts_from(ht_geodesic *geodesic, int64_t tip, int reach, ht_fronts *fronts) {
  memset(fronts, 0, sizeof *fronts);
  HT_TRY(ht_geodesic_from(geodesic, tip, HT_STEP_FACE * reach - 1));
  HT_TRY(make(band_of(geodesic, geodesic->reached.count - 1) + 1, fronts));
  measure(geodesic, fronts);
  return count_pieces(geodesic, fronts);
}

#include "segment/path/flood_vessel.h"
#include "segment/shape/flood.h"
#include "segment/shape/heap.h"
#include "segment/shape/neighbour.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>

enum { RING = 2 };

typedef struct {
  const ht_volume *region;
  const ht_way *way;
  ht_mask *vessel;
  int32_t *station;
  double voxel_mm;
  ht_heap heap;
} growth;

static int shares_face(int n) {
  return (n % 3 != 1) + (n / 3 % 3 != 1) + (n / 9 != 1) == 1;
}

static double away_mm(const growth *g, int s, int64_t voxel) {
  double p[3];
  ht_grid_voxel_position(&g->region->grid, voxel, p);
  return ht_distance(p, g->way->station[s].centre_mm);
}

/* The value at a voxel: 0 tissue, 1 blood. */
static double brightness(const growth *g, int s, int64_t voxel) {
  const ht_way_station *one = &g->way->station[s];
  return (g->region->values[voxel] - one->tissue) / (one->blood - one->tissue);
}

static int is_bright(const growth *g, int s, int64_t voxel) {
  return brightness(g, s, voxel) > 1 + g->way->bright;
}

static int is_beside_bright(const growth *g, int s, int64_t voxel) {
  const int *dim = g->region->grid.dim;
  int at[3], next[3];
  ht_voxel_place(dim, voxel, at);
  for (int n = 0; n < HT_NEIGHBOURS; n++)
    if (ht_neighbour(dim, at, n, next) && is_bright(g, s, ht_voxel_index(dim, next))) return 1;
  return 0;
}

/* Finds the nearest of a station and those before and after it. */
static int nearest_station(const growth *g, int s, int64_t voxel) {
  int best = s, next = s + 1, before = g->way->station[s].before;
  double least = away_mm(g, s, voxel);
  if (before >= 0 && away_mm(g, before, voxel) < least) {
    best = before;
    least = away_mm(g, before, voxel);
  }
  if (next < g->way->stations && g->way->station[next].before == s &&
      away_mm(g, next, voxel) < least)
    best = next;
  return best;
}

static ht_status spread(growth *g, int s, int64_t voxel) {
  const int *dim = g->region->grid.dim;
  int at[3], next[3];
  ht_voxel_place(dim, voxel, at);
  for (int n = 0; n < HT_NEIGHBOURS; n++) {
    if (!shares_face(n) || !ht_neighbour(dim, at, n, next)) continue;
    int64_t beside = ht_voxel_index(dim, next);
    if (g->station[beside] >= 0) continue;
    int of = nearest_station(g, s, beside);
    /* one vote per station and voxel: the nearest comes out of the heap first */
    HT_TRY(ht_heap_push(&g->heap, away_mm(g, of, beside), beside * g->way->stations + of));
  }
  return HT_OK;
}

/* The field of a tube of the way's radius. */
static double tube_field(const growth *g, int s, int64_t voxel) {
  return 0.5 * (g->way->station[s].radius_mm - away_mm(g, s, voxel)) / g->voxel_mm;
}

/* Tells whether the wall there is that of a stent. It is not where blood goes on beyond the
 * struts. */
static int is_in_ring(const growth *g, int s, int64_t voxel) {
  const double struts = 1.5, behind = 2.25; /* voxels */
  const ht_way_station *one = &g->way->station[s];
  double away = away_mm(g, s, voxel), p[3], index[3];
  if (!one->is_ringed || away > one->radius_mm + struts * g->voxel_mm) return 0;
  if (away <= one->radius_mm) return 1;
  double out = (one->radius_mm + behind * g->voxel_mm) / away;
  ht_grid_voxel_position(&g->region->grid, voxel, p);
  for (int r = 0; r < 3; r++) p[r] = one->centre_mm[r] + out * (p[r] - one->centre_mm[r]);
  ht_grid_index(&g->region->grid, p, index);
  double u = (ht_volume_sample(g->region, index) - one->tissue) / (one->blood - one->tissue);
  return !(u >= 0.5 && u <= 1 + g->way->bright);
}

/* Tells whether a voxel is vessel, and whether the vessel goes on beyond it. */
static int accepts(const growth *g, int s, int64_t voxel, int *goes_on) {
  const ht_way_station *one = &g->way->station[s];
  double u = brightness(g, s, voxel), away = away_mm(g, s, voxel);
  *goes_on = 1;
  if (is_in_ring(g, s, voxel)) return away <= one->radius_mm;
  if (one->is_dark && away <= one->radius_mm) return 1;
  if (!(u >= 0.5 && u <= 1 + g->way->bright)) return 0;
  *goes_on = away <= one->radius_mm || !is_beside_bright(g, s, voxel);
  return 1;
}

static ht_status take(growth *g, const ht_heap_item *item) {
  int s = (int)(item->voxel % g->way->stations), goes_on;
  int64_t voxel = item->voxel / g->way->stations;
  if (g->station[voxel] >= 0) return HT_OK;
  g->station[voxel] = s;
  int at[3];
  int is_way = ht_grid_nearest(&g->region->grid, g->way->station[s].centre_mm, at) == voxel;
  if (!accepts(g, s, voxel, &goes_on) && !is_way) return HT_OK;
  g->vessel->inside[voxel] = 1;
  return goes_on || is_way ? spread(g, s, voxel) : HT_OK;
}

static ht_status start(growth *g) {
  const ht_grid *grid = &g->region->grid;
  for (int s = 0; s < g->way->stations; s++) {
    int at[3];
    int64_t voxel = ht_grid_nearest(grid, g->way->station[s].centre_mm, at);
    HT_TRY(ht_heap_push(&g->heap, away_mm(g, s, voxel), voxel * g->way->stations + s));
  }
  return HT_OK;
}

static ht_status grow(growth *g, const ht_progress *progress) {
  HT_TRY(start(g));
  for (int64_t n = 0; g->heap.count > 0; n++) {
    ht_heap_item item = ht_heap_pop(&g->heap);
    if (n % 65536 == 0) HT_TRY(ht_progress_report(progress, "segment", 0, 0, "the vessel"));
    HT_TRY(take(g, &item));
  }
  return HT_OK;
}

/* Gives the voxels around those with a station the same station. */
static ht_status widen(growth *g) {
  const int *dim = g->region->grid.dim;
  ht_stack known = {0};
  int64_t voxels = ht_grid_voxels(&g->region->grid), first = 0;
  ht_status status = HT_OK;
  for (int64_t v = 0; v < voxels && status == HT_OK; v++)
    if (g->station[v] >= 0) status = ht_stack_push(&known, v);
  for (int round = 0; round < RING; round++) {
    int64_t last = known.count;
    for (; first < last && status == HT_OK; first++) {
      int at[3], next[3];
      ht_voxel_place(dim, known.item[first], at);
      for (int n = 0; n < HT_NEIGHBOURS && status == HT_OK; n++) {
        if (!ht_neighbour(dim, at, n, next)) continue;
        int64_t beside = ht_voxel_index(dim, next);
        if (g->station[beside] >= 0) continue;
        g->station[beside] = g->station[known.item[first]];
        status = ht_stack_push(&known, beside);
      }
    }
  }
  free(known.item);
  return status;
}

/* Field of the wall at a voxel; in a gap the wall is that of the tube. */
static double field_at(const growth *g, int64_t voxel) {
  int s = g->station[voxel];
  if (s < 0) return -1;
  const ht_way_station *one = &g->way->station[s];
  double u = brightness(g, s, voxel);
  double inside = fmin(u - 0.5, 1 + g->way->bright - u);
  if (is_in_ring(g, s, voxel))
    inside = tube_field(g, s, voxel);
  else if (one->is_dark)
    inside = fmax(inside, tube_field(g, s, voxel));
  return fmin(1, fmax(-1, inside));
}

static ht_status make_field(const growth *g, ht_volume *region) {
  float *field;
  int64_t voxels = ht_grid_voxels(&region->grid);
  HT_TRY(ht_alloc((void **)&field, (size_t)voxels, sizeof *field, "the field of the wall"));
  for (int64_t v = 0; v < voxels; v++) field[v] = (float)field_at(g, v);
  free(region->values);
  region->values = field;
  return HT_OK;
}

ht_status ht_flood_vessel(ht_volume *region, const ht_way *way, const ht_progress *progress,
                          ht_mask *vessel, int32_t *station) {
  int64_t voxels = ht_grid_voxels(&region->grid);
  growth g = {region, way, vessel, station, ht_mean_spacing(&region->grid), {0}};
  HT_TRY(ht_mask_alloc(&region->grid, vessel));
  for (int64_t v = 0; v < voxels; v++) station[v] = -1;
  ht_status status = grow(&g, progress);
  free(g.heap.item);
  if (status == HT_OK) status = widen(&g);
  if (status == HT_OK) status = make_field(&g, region);
  if (status != HT_OK) ht_mask_free(vessel);
  return status;
}

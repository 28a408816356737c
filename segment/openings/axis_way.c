#include "segment/openings/axis_way.h"
#include "segment/shape/chamfer.h"
#include "segment/shape/heap.h"
#include "segment/openings/steady_radius.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

enum { STRIDE = 2 }; /* of voxels on the way only each second is kept */

typedef struct {
  const ht_front_tree *tree;
  const ht_geodesic *geodesic;
  int fronts;
  const int *front;   /* [fronts] the last first */
  int *place;         /* [tree->count] the front's place from the inlet on; -1: not between */
  double *radius;     /* [fronts] from the inlet on, voxels, without bumps */
  uint16_t *distance; /* [voxels] thirds of a voxel to the nearest voxel outside */
  double *price;      /* [reached] of one voxel's way through it */
  double *cost;       /* [reached] */
  int32_t *before;    /* [reached] on the way from the inlet */
} search;

static void search_free(search *s) {
  free(s->place), free(s->radius), free(s->distance), free(s->price), free(s->cost);
  free(s->before);
}

static ht_status search_alloc(search *s) {
  const char *what = "the centreline";
  size_t voxels = (size_t)ht_grid_voxels(&s->geodesic->mask->grid);
  size_t reached = (size_t)s->geodesic->reached.count;
  HT_TRY(ht_alloc((void **)&s->place, (size_t)s->tree->count, sizeof *s->place, what));
  HT_TRY(ht_alloc((void **)&s->radius, 3 * (size_t)s->fronts, sizeof *s->radius, what));
  HT_TRY(ht_alloc((void **)&s->distance, voxels, sizeof *s->distance, what));
  HT_TRY(ht_alloc((void **)&s->price, reached, sizeof *s->price, what));
  HT_TRY(ht_alloc((void **)&s->cost, reached, sizeof *s->cost, what));
  return ht_alloc((void **)&s->before, reached, sizeof *s->before, what);
}

/* Depth below the wall, which is half a voxel before the nearest voxel outside. */
static double depth(const search *s, int64_t i) {
  return s->distance[s->geodesic->reached.item[i]] / (double)ht_chamfer_thirds[1] - 0.5;
}

static void measure_depths(search *s) {
  const ht_mask *mask = s->geodesic->mask;
  int64_t voxels = ht_grid_voxels(&mask->grid);
  for (int64_t v = 0; v < voxels; v++) s->distance[v] = mask->inside[v] ? HT_CHAMFER_FAR : 0;
  ht_chamfer(mask->grid.dim, ht_chamfer_thirds, s->distance);
}

/* Measures the radius of the largest ball with its centre in each front, then without bumps. */
static void measure_radii(search *s) {
  double *along = s->radius + s->fronts, *deepest = along + s->fronts;
  for (int p = 0; p < s->tree->count; p++) s->place[p] = -1;
  for (int k = 0; k < s->fronts; k++) {
    int at = s->fronts - 1 - k;
    s->place[s->front[k]] = at;
    along[at] = (double)s->tree->item[s->front[k]].band * HT_BAND_VOXELS;
  }
  for (int64_t i = 0; i < s->geodesic->reached.count; i++) {
    int at = s->place[s->tree->of[i]];
    if (at >= 0) deepest[at] = fmax(deepest[at], depth(s, i));
  }
  ht_steady_radius(s->fronts, along, deepest, s->radius);
}

static void set_prices(search *s) {
  for (int64_t i = 0; i < s->geodesic->reached.count; i++) {
    int at = s->place[s->tree->of[i]];
    if (at < 0) continue;
    double least = fmin(s->radius[at], depth(s, i));
    s->price[i] = 1 / (least * least);
  }
}

static ht_status spread(search *s, ht_heap *heap, int32_t at) {
  int64_t next[26];
  int step[26];
  const ht_geodesic *g = s->geodesic;
  int neighbours = ht_vessel_neighbours(g->mask, g->reached.item[at], next, step);
  for (int k = 0; k < neighbours; k++) {
    int32_t there = g->place[next[k]];
    if (there < 0 || s->cost[there] <= s->cost[at]) continue;
    double cost = s->cost[at] + step[k] * (s->price[at] + s->price[there]) / 2;
    if (!(cost < s->cost[there])) continue;
    s->cost[there] = cost;
    s->before[there] = at;
    HT_TRY(ht_heap_push(heap, cost, there));
  }
  return HT_OK;
}

/* Finds the path from the inlet, which was reached first, to `to`. No way to a voxel of another
 * front is cheaper than 0. */
static ht_status find(search *s, int32_t to) {
  ht_heap heap = {0};
  for (int64_t i = 0; i < s->geodesic->reached.count; i++)
    s->cost[i] = s->place[s->tree->of[i]] < 0 ? 0 : INFINITY;
  s->cost[0] = 0;
  s->before[0] = -1;
  ht_status status = ht_heap_push(&heap, 0, 0);
  while (status == HT_OK && heap.count > 0) {
    ht_heap_item least = ht_heap_pop(&heap);
    if (least.voxel == to) break;
    if (least.key <= s->cost[least.voxel]) status = spread(s, &heap, (int32_t)least.voxel);
  }
  free(heap.item);
  return status;
}

static int32_t end_of(const search *s, const double to_mm[3]) {
  double least = INFINITY, p[3];
  int32_t best = -1;
  for (int64_t i = 0; i < s->geodesic->reached.count; i++) {
    if (s->place[s->tree->of[i]] != s->fronts - 1) continue;
    ht_grid_voxel_position(&s->geodesic->mask->grid, s->geodesic->reached.item[i], p);
    double away = ht_distance(p, to_mm);
    if (away < least) least = away, best = (int32_t)i;
  }
  return best;
}

/* Keeps the path, from the end back. */
static ht_status keep(const search *s, int32_t to, ht_axis_way *way) {
  const ht_mask *mask = s->geodesic->mask;
  int voxels = 0;
  for (int32_t i = to; i >= 0; i = s->before[i]) voxels++;
  int count = (voxels + STRIDE - 1) / STRIDE;
  HT_TRY(ht_alloc((void **)&way->at_mm, (size_t)count, sizeof *way->at_mm, "the centreline"));
  HT_TRY(ht_alloc((void **)&way->radius_mm, (size_t)count, sizeof(double), "the centreline"));
  way->count = count;
  for (int32_t i = to, n = 0; i >= 0; i = s->before[i], n++) {
    if (n % STRIDE != 0) continue;
    int k = count - 1 - n / STRIDE;
    ht_grid_voxel_position(&mask->grid, s->geodesic->reached.item[i], way->at_mm[k]);
    way->radius_mm[k] = s->radius[s->place[s->tree->of[i]]] * mask->grid.spacing_mm[0];
  }
  return HT_OK;
}

void ht_axis_way_free(ht_axis_way *way) {
  if (!way) return;
  free(way->at_mm), free(way->radius_mm);
  memset(way, 0, sizeof *way);
}

ht_status ht_axis_way_find(const ht_front_tree *tree, const int *front, int fronts,
                           const double to_mm[3], ht_axis_way *way) {
  search s = {.tree = tree, .geodesic = &tree->geodesic, .front = front, .fronts = fronts};
  ht_status status = HT_OK;
  memset(way, 0, sizeof *way);
  HT_TRY_DONE(search_alloc(&s));
  measure_depths(&s);
  measure_radii(&s);
  set_prices(&s);
  int32_t to = end_of(&s, to_mm);
  HT_TRY_DONE(find(&s, to));
  status = keep(&s, to, way);
done:
  search_free(&s);
  return status;
}

#include "segment/shape/geodesic.h"
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = HT_STEP_CORNER + 1 };

ht_status ht_geodesic_make(const ht_mask *mask, ht_geodesic *geodesic) {
  size_t voxels = (size_t)ht_grid_voxels(&mask->grid);
  *geodesic = (ht_geodesic){.mask = mask};
  HT_TRY(ht_alloc((void **)&geodesic->coming, voxels, 1, "distances in a vessel"));
  HT_TRY(ht_alloc((void **)&geodesic->place, voxels, sizeof(int32_t), "distances in a vessel"));
  memset(geodesic->place, -1, voxels * sizeof(int32_t));
  return HT_OK;
}

void ht_geodesic_free(ht_geodesic *geodesic) {
  if (!geodesic) return;
  free(geodesic->distance_of);
  free(geodesic->coming);
  free(geodesic->place);
  free(geodesic->reached.item);
  memset(geodesic, 0, sizeof *geodesic);
}

/* The 26 neighbours in the order of the grid: where, and how long the step is. */
#define ROW(y, z, edge, middle)                                                                    \
  {-1, y, z, edge}, {0, y, z, middle}, {                                                           \
    1, y, z, edge                                                                                  \
  }
static const int8_t around[27][4] = {ROW(-1, -1, HT_STEP_CORNER, HT_STEP_EDGE),
                                     ROW(0, -1, HT_STEP_EDGE, HT_STEP_FACE),
                                     ROW(1, -1, HT_STEP_CORNER, HT_STEP_EDGE),
                                     ROW(-1, 0, HT_STEP_EDGE, HT_STEP_FACE),
                                     ROW(0, 0, HT_STEP_FACE, 0),
                                     ROW(1, 0, HT_STEP_EDGE, HT_STEP_FACE),
                                     ROW(-1, 1, HT_STEP_CORNER, HT_STEP_EDGE),
                                     ROW(0, 1, HT_STEP_EDGE, HT_STEP_FACE),
                                     ROW(1, 1, HT_STEP_CORNER, HT_STEP_EDGE)};
#undef ROW

int ht_vessel_neighbours(const ht_mask *mask, int64_t voxel, int64_t next[26], int step[26]) {
  const int *dim = mask->grid.dim;
  const int64_t row = dim[0], slice = row * dim[1];
  int at[3], count = 0, inner = 1;
  ht_voxel_place(dim, voxel, at);
  for (int a = 0; a < 3; a++) inner &= at[a] > 0 && at[a] < dim[a] - 1;
  for (int k = 0; k < 27; k++) {
    const int8_t *off = around[k];
    const int there[3] = {at[0] + off[0], at[1] + off[1], at[2] + off[2]};
    if (k == 13 || (!inner && !ht_voxel_in_grid(dim, there))) continue;
    int64_t neighbour = voxel + off[0] + row * off[1] + slice * off[2];
    if (!mask->inside[neighbour]) continue;
    if (step) step[count] = off[3];
    next[count++] = neighbour;
  }
  return count;
}

/* ---- distances ---- */

static void forget(ht_geodesic *g) {
  for (int64_t i = 0; i < g->reached.count; i++) {
    g->place[g->reached.item[i]] = -1;
    g->coming[g->reached.item[i]] = 0;
  }
  g->reached.count = 0;
}

static ht_status reach(ht_geodesic *g, int64_t voxel, int32_t distance) {
  int64_t count = g->reached.count, room = count < 1024 ? 1024 : 2 * count;
  if (count == INT32_MAX)
    return ht_fail(HT_ERR_MEMORY,
                   "the vessel has more than 2^31 nodes: set a larger lattice.spacing_mm, or fewer "
                   "nodes_across");
  if (count >= g->room) {
    int32_t *longer = realloc(g->distance_of, (size_t)room * sizeof *longer);
    if (!longer) return ht_fail(HT_ERR_MEMORY, "not enough memory for distances in a vessel");
    g->distance_of = longer;
    g->room = room;
  }
  g->distance_of[count] = distance;
  g->place[voxel] = (int32_t)count;
  return ht_stack_push(&g->reached, voxel);
}

/* Tells whether a voxel is to be reached at this distance, or before. The distance is at most a
 * step from all that are reached. */
static int comes_before(const ht_geodesic *g, int64_t voxel, int32_t distance) {
  int off = (distance + 1 - g->coming[voxel]) & (HT_COMING - 1);
  return g->coming[voxel] && off < HT_COMING / 2;
}

/* A voxel is settled the first time that it leaves its bucket; later copies of it are stale. */
static ht_status settle(ht_geodesic *g, ht_stack bucket[BUCKETS], int64_t voxel, int32_t distance,
                        int32_t limit, int64_t *waiting) {
  int64_t next[26];
  int step[26];
  HT_TRY(reach(g, voxel, distance));
  int count = ht_vessel_neighbours(g->mask, voxel, next, step);
  for (int k = 0; k < count; k++) {
    int32_t there = distance + step[k];
    if (g->place[next[k]] >= 0 || (limit >= 0 && there > limit)) continue;
    if (comes_before(g, next[k], there)) continue;
    g->coming[next[k]] = (uint8_t)(1 + there % HT_COMING);
    HT_TRY(ht_stack_push(&bucket[there % BUCKETS], next[k]));
    ++*waiting;
  }
  return HT_OK;
}

ht_status ht_geodesic_from(ht_geodesic *geodesic, int64_t seed, int32_t limit) {
  ht_stack bucket[BUCKETS] = {{0}};
  int64_t waiting = 1;
  forget(geodesic);
  ht_status status = ht_stack_push(&bucket[0], seed);
  for (int32_t distance = 0; status == HT_OK && waiting > 0; distance++) {
    ht_stack *now = &bucket[distance % BUCKETS];
    while (status == HT_OK && now->count > 0) {
      int64_t voxel = now->item[--now->count];
      waiting--;
      if (geodesic->place[voxel] < 0)
        status = settle(geodesic, bucket, voxel, distance, limit, &waiting);
    }
  }
  for (int b = 0; b < BUCKETS; b++) free(bucket[b].item);
  return status;
}

/* ---- summits ---- */

typedef struct {
  const ht_geodesic *of;
  int32_t *parent; /* [reached] towards the summit of its piece */
  int32_t least;
  int most;
  ht_summit *summit;
  int count;
} climb;

static int32_t summit_of(climb *c, int32_t i) {
  while (c->parent[i] != i) i = c->parent[i] = c->parent[c->parent[i]];
  return i;
}

static int32_t distance_at(const climb *c, int32_t i) {
  return c->of->distance_of[i];
}

static void keep_summit(climb *c, int32_t i, int32_t prominence) {
  int at;
  if (prominence < c->least) return;
  if (c->count == c->most && c->summit[c->count - 1].prominence >= prominence) return;
  if (c->count < c->most) c->count++;
  for (at = c->count - 1; at > 0 && c->summit[at - 1].prominence < prominence; at--)
    c->summit[at] = c->summit[at - 1];
  c->summit[at] = (ht_summit){c->of->reached.item[i], prominence};
}

/* Water that falls: voxel `i` appears, and joins the adjacent pieces. Where two meet, the lower
 * summit's prominence is known. A later place in `reached` is the higher one: ties are settled. */
static void appear(climb *c, int32_t i) {
  int64_t next[26];
  int count = ht_vessel_neighbours(c->of->mask, c->of->reached.item[i], next, NULL);
  int32_t best = i;
  c->parent[i] = i;
  for (int k = 0; k < count; k++) {
    int32_t there = c->of->place[next[k]];
    if (there <= i) continue; /* not there yet, or not reached */
    int32_t other = summit_of(c, there);
    if (other == best) continue;
    int32_t lower = other < best ? other : best, higher = other < best ? best : other;
    if (lower != i) keep_summit(c, lower, distance_at(c, lower) - distance_at(c, i));
    c->parent[lower] = best = higher;
  }
}

ht_status ht_geodesic_summits(const ht_geodesic *geodesic, int32_t least, int most,
                              ht_summit *summits, int *count) {
  climb c = {.of = geodesic, .least = least, .most = most, .summit = summits};
  int64_t reached = geodesic->reached.count;
  *count = 0;
  if (reached == 0) return HT_OK;
  HT_TRY(ht_alloc((void **)&c.parent, (size_t)reached, sizeof(int32_t), "distances in a vessel"));
  for (int64_t i = reached - 1; i >= 0; i--) appear(&c, (int32_t)i);
  int32_t last = (int32_t)reached - 1;
  keep_summit(&c, last, distance_at(&c, last));
  free(c.parent);
  *count = c.count;
  return HT_OK;
}

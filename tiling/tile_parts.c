#include "tiling/tile_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const what = "the parts of the tiling";

/* The orders in which the tiles are cut: along axes, diagonals of faces and of cubes; and along the
 * vessel, by the steps from one of its ends, over faces only or over all neighbours. */
enum { DIRECTIONS = 13, BY_FACES = DIRECTIONS, BY_ALL, ORDERS };
static const int direction[DIRECTIONS][3] = {
    {1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 0},  {1, -1, 0}, {1, 0, 1},  {1, 0, -1},
    {0, 1, 1}, {0, 1, -1}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {1, -1, -1}};

typedef struct {
  const ht_tiling *tiling;
  const int32_t *with; /* NULL: all are free */
  double *cost;        /* [tiles] of a free tile with those that go with it */
  int32_t *part;       /* [tiles] */
  int32_t *tile;       /* [free] the free tiles, those of a part side by side */
  int32_t *sorted;     /* [free] */
  int32_t *steps;      /* [tiles] from an end of the piece; -1: not reached */
  int32_t *queue;      /* [tiles] */
  int64_t *bucket;     /* [buckets + 1] */
  int64_t buckets;
  int64_t *place; /* [tiles] of a free tile in the present order; -1: of another piece */
  int64_t free;
} cutter;

static int32_t root_of(const cutter *c, int64_t tile) {
  return c->with ? c->with[tile] : (int32_t)tile;
}

static double cost_of(const ht_tiling *tiling, const double *cost, int64_t tile) {
  return cost ? cost[tile] : (double)__builtin_popcountll(tiling->inside[tile]);
}

/* ---- orders ---- */

static int is_in_piece(const cutter *c, int64_t tile) {
  return c->place[root_of(c, tile)] >= 0;
}

/* Adds the neighbours of a tile to the queue. */
static int64_t reach_around(cutter *c, int32_t tile, int by_faces, int64_t queued) {
  for (int i = 0; i < HT_TILE_NEIGHBOURS; i++) {
    int axes = (i % 3 != 1) + (i / 3 % 3 != 1) + (i / 9 != 1);
    int32_t there = c->tiling->neighbour[HT_TILE_NEIGHBOURS * (int64_t)tile + i];
    if (there < 0 || (by_faces && axes != 1)) continue;
    if (c->steps[there] >= 0 || !is_in_piece(c, there)) continue;
    c->steps[there] = c->steps[tile] + 1;
    c->queue[queued++] = there;
  }
  return queued;
}

/* Counts the steps of each tile of the piece from the tile `from`; parts of the piece that are not
 * connected to it follow after it. Returns the last tile that is reached together with `from`. */
static int32_t count_steps(cutter *c, int64_t begin, int64_t end, int32_t from, int by_faces) {
  int32_t last = from, next = 0, farthest = -1;
  for (int64_t t = 0; t < c->tiling->tiles; t++) c->steps[t] = -1;
  for (int64_t i = begin - 1; i < end; i++) {
    int32_t seed = i < begin ? from : c->tile[i];
    if (c->steps[seed] >= 0) continue;
    int64_t queued = 0;
    c->steps[seed] = next;
    c->queue[queued++] = seed;
    for (int64_t q = 0; q < queued; q++) {
      last = c->queue[q];
      queued = reach_around(c, last, by_faces, queued);
    }
    next = c->steps[last] + 1;
    if (farthest < 0) farthest = last;
  }
  return farthest;
}

static int64_t along_direction(const cutter *c, int32_t tile, const int along[3]) {
  const int32_t *at = c->tiling->position + 3 * (int64_t)tile;
  int64_t key = 0;
  for (int a = 0; a < 3; a++) {
    int64_t most = ht_tile_grid(c->tiling, a) - 1;
    key += along[a] == 0 ? 0 : along[a] > 0 ? at[a] : most - at[a];
  }
  return key;
}

static int64_t key_of(const cutter *c, int32_t tile, int order) {
  return order < DIRECTIONS ? along_direction(c, tile, direction[order]) : c->steps[tile];
}

/* The tiles [begin, end) in an order; those of one layer stay as they are. */
static void sort_by(cutter *c, int64_t begin, int64_t end, int order) {
  if (order >= DIRECTIONS) {
    int32_t far = count_steps(c, begin, end, c->tile[begin], order == BY_FACES);
    (void)count_steps(c, begin, end, far, order == BY_FACES);
  }
  memset(c->bucket, 0, (size_t)(c->buckets + 1) * sizeof *c->bucket);
  for (int64_t i = begin; i < end; i++) c->bucket[key_of(c, c->tile[i], order) + 1]++;
  for (int64_t b = 0; b < c->buckets; b++) c->bucket[b + 1] += c->bucket[b];
  for (int64_t i = begin; i < end; i++)
    c->sorted[begin + c->bucket[key_of(c, c->tile[i], order)]++] = c->tile[i];
}

/* ---- one cut ---- */

/* Finds the cut where the cost before it is nearest to `share` of all; each side keeps a tile for
 * each part. */
static int64_t find_cut(const cutter *c, int64_t begin, int64_t end, int below, int above) {
  double all = 0, before = 0;
  for (int64_t i = begin; i < end; i++) all += c->cost[c->sorted[i]];
  double wanted = all * below / (below + above);
  int64_t cut = begin;
  while (cut < end && before + c->cost[c->sorted[cut]] / 2 < wanted)
    before += c->cost[c->sorted[cut++]];
  if (cut < begin + below) cut = begin + below;
  if (cut > end - above) cut = end - above;
  return cut;
}

/* The 16 nodes of a tile at its face along an axis: those with coordinate 3 there, or 0. */
static uint64_t face_bits(int axis, int high) {
  static const uint64_t low[3] = {0x1111111111111111u, 0x000f000f000f000fu, 0xffffu};
  static const int shift[3] = {3, 12, 48};
  return high ? low[axis] << shift[axis] : low[axis];
}

/* Fluid nodes of a tile that have a fluid node beyond its upper face along an axis. */
static int facing(const ht_tiling *tiling, int64_t tile, int64_t above, int axis) {
  static const int shift[3] = {3, 12, 48};
  uint64_t own = (tiling->inside[tile] & face_bits(axis, 1)) >> shift[axis];
  return __builtin_popcountll(own & tiling->inside[above] & face_bits(axis, 0));
}

/* The fluid nodes at the cut. */
static int64_t count_cut(const cutter *c, int64_t cut) {
  static const int step[3] = {1, 3, 9};
  int64_t count = 0;
  for (int64_t t = 0; t < c->tiling->tiles; t++) {
    int64_t own = c->place[root_of(c, t)];
    for (int a = 0; a < 3 && own >= 0; a++) {
      int32_t above = c->tiling->neighbour[HT_TILE_NEIGHBOURS * t + 13 + step[a]];
      int64_t other = above < 0 ? -1 : c->place[root_of(c, above)];
      if (other >= 0 && (own < cut) != (other < cut)) count += facing(c->tiling, t, above, a);
    }
  }
  return count;
}

static void note_places(const cutter *c, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i++) c->place[c->sorted[i]] = i;
}

/* Brings the tiles below the best cut to the front of [begin, end), in the order that they have. */
static int64_t bisect(cutter *c, int64_t begin, int64_t end, int below, int above) {
  int64_t least = INT64_MAX;
  int best = 0;
  for (int64_t t = 0; t < c->tiling->tiles; t++) c->place[t] = -1;
  for (int64_t i = begin; i < end; i++) c->place[c->tile[i]] = i;
  for (int order = 0; order < ORDERS; order++) {
    sort_by(c, begin, end, order);
    note_places(c, begin, end);
    int64_t count = count_cut(c, find_cut(c, begin, end, below, above));
    if (count >= least) continue;
    least = count;
    best = order;
  }
  sort_by(c, begin, end, best);
  note_places(c, begin, end);
  int64_t cut = find_cut(c, begin, end, below, above), front = begin, back = cut;
  for (int64_t i = begin; i < end; i++) {
    int32_t tile = c->tile[i];
    c->sorted[c->place[tile] < cut ? front++ : back++] = tile;
  }
  memcpy(c->tile + begin, c->sorted + begin, (size_t)(end - begin) * sizeof *c->tile);
  return cut;
}

static void cut_pieces(cutter *c, int64_t begin, int64_t end, int first, int parts) {
  if (parts == 1) {
    for (int64_t i = begin; i < end; i++) c->part[c->tile[i]] = first;
    return;
  }
  int below = parts / 2;
  int64_t cut = bisect(c, begin, end, below, parts - below);
  cut_pieces(c, begin, cut, first, below);
  cut_pieces(c, cut, end, first + below, parts - below);
}

/* ---- all of them ---- */

static ht_status allocate(cutter *c) {
  size_t tiles = (size_t)c->tiling->tiles;
  c->buckets = c->tiling->tiles;
  for (int a = 0; a < 3; a++) c->buckets += ht_tile_grid(c->tiling, a);
  HT_TRY(ht_alloc((void **)&c->cost, tiles, sizeof *c->cost, what));
  HT_TRY(ht_alloc((void **)&c->tile, tiles, sizeof *c->tile, what));
  HT_TRY(ht_alloc((void **)&c->sorted, tiles, sizeof *c->sorted, what));
  HT_TRY(ht_alloc((void **)&c->place, tiles, sizeof *c->place, what));
  HT_TRY(ht_alloc((void **)&c->steps, tiles, sizeof *c->steps, what));
  HT_TRY(ht_alloc((void **)&c->queue, tiles, sizeof *c->queue, what));
  return ht_alloc((void **)&c->bucket, (size_t)c->buckets + 2, sizeof *c->bucket, what);
}

static void list_free(cutter *c, const double *cost) {
  for (int64_t t = 0; t < c->tiling->tiles; t++) {
    int32_t root = root_of(c, t);
    c->cost[root] += cost_of(c->tiling, cost, t);
    if (root == t) c->tile[c->free++] = root;
  }
}

ht_status ht_tile_parts_cut(const ht_tiling *tiling, const double *cost, const int32_t *with,
                            int parts, int32_t *part) {
  cutter c = {.tiling = tiling, .with = with, .part = part};
  ht_status status = HT_OK;
  if (parts < 1 || parts > HT_PARTS_MAX)
    return ht_fail(HT_ERR_USAGE, "%d parts of a lattice; allowed is 1 to %d", parts, HT_PARTS_MAX);
  HT_TRY_DONE(allocate(&c));
  list_free(&c, cost);
  if (c.free < parts)
    HT_TRY_DONE(ht_fail(HT_ERR_USAGE,
                        "the vessel has %lld tiles that can be cut apart, too few for %d parts; "
                        "use fewer ranks, or a finer spacing",
                        (long long)c.free, parts));
  cut_pieces(&c, 0, c.free, 0, parts);
  for (int64_t t = 0; t < tiling->tiles && with; t++) part[t] = part[with[t]];
done:
  free(c.cost);
  free(c.tile);
  free(c.sorted);
  free(c.place);
  free(c.steps);
  free(c.queue);
  free(c.bucket);
  return status;
}

/* ---- figures ---- */

/* The fluid nodes of tile `to` that have a fluid node of the tile `from` at -(dx, dy, dz). */
static int crossing(const ht_tiling *tiling, int64_t to, int64_t from, const int step[3],
                    const int d[3]) {
  int count = 0;
  for (int n = 0; n < HT_TILE_NODES; n++) {
    int at[3] = {n & 3, (n >> 2) & 3, n >> 4}, is_there = (int)((tiling->inside[to] >> n) & 1);
    for (int a = 0; a < 3; a++) {
      at[a] -= d[a];
      is_there &= (at[a] < 0 ? -1 : at[a] > 3) == step[a];
    }
    int source = (at[0] & 3) + 4 * (at[1] & 3) + 16 * (at[2] & 3);
    count += is_there && ((tiling->inside[from] >> source) & 1);
  }
  return count;
}

/* The values that a tile pulls from a neighbour, at `step` tiles: D3Q19 has no direction along all
 * three axes. */
static int64_t pulled(const ht_tiling *tiling, int64_t to, int64_t from, const int step[3]) {
  int64_t count = 0;
  for (int i = 0; i < HT_TILE_NEIGHBOURS; i++) {
    const int d[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
    int axes = abs(d[0]) + abs(d[1]) + abs(d[2]);
    if (axes == 1 || axes == 2) count += crossing(tiling, to, from, step, d);
  }
  return count;
}

static void measure_tile(const ht_tiling *tiling, int parts, const int32_t *part, int64_t tile,
                         int64_t *received) {
  for (int i = 0; i < HT_TILE_NEIGHBOURS; i++) {
    const int step[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
    int32_t there = tiling->neighbour[HT_TILE_NEIGHBOURS * tile + i];
    if (there < 0 || part[there] == part[tile]) continue;
    received[(int64_t)part[tile] * parts + part[there]] += pulled(tiling, tile, there, step);
  }
}

static void sum_up(int parts, const int64_t *received, const double *load,
                   ht_tile_parts_figures *figures) {
  double most = 0, all = 0;
  for (int p = 0; p < parts; p++) {
    int64_t values = 0;
    int neighbours = 0;
    for (int o = 0; o < parts; o++) {
      values += received[(int64_t)p * parts + o];
      neighbours += received[(int64_t)p * parts + o] > 0;
    }
    figures->shared_values += values;
    if (values > figures->most_shared) figures->most_shared = values;
    if (neighbours > figures->most_neighbours) figures->most_neighbours = neighbours;
    most = fmax(most, load[p]);
    all += load[p];
  }
  figures->imbalance = most * parts / all - 1;
}

ht_status ht_tile_parts_measure(const ht_tiling *tiling, const double *cost, int parts,
                                const int32_t *part, ht_tile_parts_figures *figures) {
  int64_t *received = NULL;
  double *load = NULL;
  ht_status status = HT_OK;
  *figures = (ht_tile_parts_figures){.imbalance = 0};
  HT_TRY_DONE(ht_alloc((void **)&received, (size_t)parts * (size_t)parts, sizeof *received, what));
  HT_TRY_DONE(ht_alloc((void **)&load, (size_t)parts, sizeof *load, what));
  for (int64_t t = 0; t < tiling->tiles; t++) {
    load[part[t]] += cost_of(tiling, cost, t);
    measure_tile(tiling, parts, part, t, received);
  }
  sum_up(parts, received, load, figures);
done:
  free(received);
  free(load);
  return status;
}

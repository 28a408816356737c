#include "segment/path/prune_branches.h"
#include "segment/shape/heap.h"
#include "segment/shape/neighbour.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double band_voxels = 1.5;
static const double beyond_cut = 0.5;    /* diameters that stay beyond the opening, to cut there */
static const double least_rest = 0.25;   /* diameters: a shorter rest is not cut off */
static const double around = 0.5;        /* diameters of one width, to both sides of an opening */
static const double one_width = 1.5;     /* ratio of two diameters there */
static const double least_length = 0.75; /* from the vessel's wall to an opening, diameters */
static const double least_child = 0.3;   /* share of a front that makes another a branch of it */
static const double tube_radii = 1.3, tube_voxels = 1.5; /* the larger: the way's own tube */

enum { UNSEEN = -1, TUBE = -2 };

/* Voxels of the branches in the order of their depth beyond the tube's wall. */
typedef struct {
  const ht_way *way;
  const int32_t *station;
  ht_mask *vessel;
  double voxel_mm;
  int32_t *place; /* [voxels] in the list; TUBE, UNSEEN; owned, as are the others */
  int count;
  int64_t *voxel;      /* [count] */
  float *depth;        /* [count] mm */
  int32_t *above;      /* [count] union-find: of one band and connected */
  int32_t *size;       /* [count] voxels of the root's front */
  float *length;       /* [count] of the root: diameters travelled up to it */
  int32_t *came;       /* [count] of the root: the front before it, a root; -1: the tube */
  int32_t *piece;      /* [count] union-find of what is cut off: connected */
  float *far;          /* [count] of a piece's root: the greatest length in it */
  uint8_t *children;   /* [count] of the root: fronts beyond it that are a branch */
  double (*centre)[3]; /* [count] of the root: its centroid, mm */
  ht_heap heap;
} pruning;

static void pruning_free(pruning *p) {
  free(p->place);
  free(p->voxel);
  free(p->depth);
  free(p->above);
  free(p->size);
  free(p->length);
  free(p->came);
  free(p->piece);
  free(p->far);
  free(p->children);
  free(p->centre);
  free(p->heap.item);
}

static int root_in(int32_t *above, int n) {
  while (above[n] != n) n = above[n] = above[above[n]];
  return n;
}

static int root_of(pruning *p, int n) {
  return root_in(p->above, n);
}

static int is_tube(const pruning *p, int64_t voxel) {
  const ht_way_station *one = &p->way->station[p->station[voxel]];
  double at[3];
  ht_grid_voxel_position(&p->vessel->grid, voxel, at);
  double wide = fmax(tube_radii * one->radius_mm, one->radius_mm + tube_voxels * p->voxel_mm);
  return ht_distance(at, one->centre_mm) <= wide;
}

static ht_status pruning_make(pruning *p) {
  int64_t voxels = ht_grid_voxels(&p->vessel->grid);
  size_t room = 1;
  HT_TRY(ht_alloc((void **)&p->place, (size_t)voxels, sizeof *p->place, "the vessel's branches"));
  for (int64_t v = 0; v < voxels; v++) {
    p->place[v] = UNSEEN;
    if (!p->vessel->inside[v]) continue;
    if (is_tube(p, v))
      p->place[v] = TUBE;
    else
      room++;
  }
  if (room > INT32_MAX)
    return ht_fail(
        HT_ERR_MEMORY,
        "the vessel between the points has too many voxels: give points closer together");
  HT_TRY(ht_alloc((void **)&p->voxel, room, sizeof *p->voxel, "the vessel's branches"));
  HT_TRY(ht_alloc((void **)&p->depth, room, sizeof *p->depth, "the vessel's branches"));
  HT_TRY(ht_alloc((void **)&p->above, room, sizeof *p->above, "the vessel's branches"));
  HT_TRY(ht_alloc((void **)&p->size, room, sizeof *p->size, "the vessel's branches"));
  HT_TRY(ht_alloc((void **)&p->came, room, sizeof *p->came, "the vessel's branches"));
  HT_TRY(ht_alloc((void **)&p->piece, room, sizeof *p->piece, "the vessel's branches"));
  HT_TRY(ht_alloc((void **)&p->far, room, sizeof *p->far, "the vessel's branches"));
  HT_TRY(ht_alloc((void **)&p->children, room, sizeof *p->children, "the vessel's branches"));
  HT_TRY(ht_alloc((void **)&p->centre, room, sizeof *p->centre, "the vessel's branches"));
  return ht_alloc((void **)&p->length, room, sizeof *p->length, "the vessel's branches");
}

/* The neighbours of a voxel that are vessel: voxel and distance in mm. */
static int neighbours(const pruning *p, int64_t voxel, int64_t next[26], double step_mm[26]) {
  const ht_grid *grid = &p->vessel->grid;
  int at[3], to[3], count = 0;
  ht_voxel_place(grid->dim, voxel, at);
  for (int n = 0; n < HT_NEIGHBOURS; n++) {
    if (!ht_neighbour(grid->dim, at, n, to)) continue;
    next[count] = ht_voxel_index(grid->dim, to);
    step_mm[count] = ht_neighbour_mm(grid->spacing_mm, n);
    count += p->vessel->inside[next[count]] != 0;
  }
  return count;
}

static ht_status push_around(pruning *p, int64_t voxel, double depth) {
  int64_t next[26];
  double step[26];
  int count = neighbours(p, voxel, next, step);
  for (int n = 0; n < count; n++)
    if (p->place[next[n]] == UNSEEN) HT_TRY(ht_heap_push(&p->heap, depth + step[n], next[n]));
  return HT_OK;
}

/* Dijkstra from the tube into the branches. */
static ht_status order(pruning *p) {
  int64_t voxels = ht_grid_voxels(&p->vessel->grid);
  for (int64_t v = 0; v < voxels; v++)
    if (p->place[v] == TUBE) HT_TRY(push_around(p, v, 0));
  while (p->heap.count > 0) {
    ht_heap_item item = ht_heap_pop(&p->heap);
    if (p->place[item.voxel] != UNSEEN) continue;
    p->place[item.voxel] = p->count;
    p->voxel[p->count] = item.voxel;
    p->depth[p->count++] = (float)item.key;
    HT_TRY(push_around(p, item.voxel, item.key));
  }
  return HT_OK;
}

static int band_of(const pruning *p, int n) {
  return (int)(p->depth[n] / (band_voxels * p->voxel_mm));
}

/* Connected voxels of one band are a front. */
static void make_fronts(pruning *p) {
  for (int n = 0; n < p->count; n++) {
    p->above[n] = n;
    p->size[n] = 1;
    p->came[n] = -1;
    p->length[n] = INFINITY;
  }
  for (int n = 0; n < p->count; n++) {
    int64_t next[26];
    double step[26];
    int count = neighbours(p, p->voxel[n], next, step);
    for (int m = 0; m < count; m++) {
      int other = p->place[next[m]];
      if (other < 0 || other >= n || band_of(p, other) != band_of(p, n)) continue;
      int a = root_of(p, n), b = root_of(p, other);
      if (a == b) continue;
      p->above[a] = b;
      p->size[b] += p->size[a];
    }
  }
}

/* A front's thickness over its diameter. */
static double diameters_of(const pruning *p, int root) {
  const double *s = p->vessel->grid.spacing_mm;
  double band_mm = band_voxels * p->voxel_mm;
  double area = p->size[root] * s[0] * s[1] * s[2] / band_mm;
  return band_mm / (2 * sqrt(area / HT_PI));
}

/* Takes the front before another: of those that it touches, the nearest to it in depth. */
static void take_before(pruning *p, int root, int before) {
  int now = p->came[root];
  if (before < 0) return;
  if (now < 0 || band_of(p, before) > band_of(p, now) ||
      (band_of(p, before) == band_of(p, now) && p->length[before] < p->length[now]))
    p->came[root] = before;
}

/* The list is in the order of the depth, so the fronts before are known; a step to a corner of
 * thick voxels may leave out a band. */
static void add_lengths(pruning *p) {
  for (int n = 0; n < p->count; n++) {
    int64_t next[26];
    double step[26];
    int root = root_of(p, n), band = band_of(p, n);
    int count = neighbours(p, p->voxel[n], next, step);
    for (int m = 0; m < count; m++) {
      int other = p->place[next[m]], before = -1;
      double length = INFINITY;
      if (other == TUBE) length = 0;
      if (other >= 0 && band_of(p, other) < band) {
        before = root_of(p, other);
        length = p->length[before] + (band - band_of(p, other)) * diameters_of(p, before);
      }
      p->length[root] = fminf(p->length[root], (float)length);
      take_before(p, root, before);
    }
  }
}

/* Tells whether a voxel lies more than a diameter beyond the point at its end. */
static int is_beyond(const pruning *p, int end, int64_t voxel) {
  const ht_way_station *one = &p->way->station[p->way->at_point[end]];
  double out = end == 0 ? -1 : 1, at[3], off[3];
  ht_grid_voxel_position(&p->vessel->grid, voxel, at);
  for (int r = 0; r < 3; r++) off[r] = at[r] - one->centre_mm[r];
  return out * ht_dot(off, one->tangent) > 2 * one->radius_mm + 2 * p->voxel_mm;
}

/* Keeps only a stretch of a diameter beyond the point at an end. */
static void clip_ends(pruning *p) {
  const ht_way *way = p->way;
  int64_t voxels = ht_grid_voxels(&p->vessel->grid);
  for (int64_t v = 0; v < voxels; v++) {
    if (!p->vessel->inside[v]) continue;
    for (int e = 0; e < way->points; e++)
      if (way->is_end[e] && p->station[v] == way->at_point[e] && is_beyond(p, e, v))
        p->vessel->inside[v] = 0;
  }
}

/* ---- what is cut off ---- */

static int is_off(pruning *p, int n, double limit) {
  return p->length[root_of(p, n)] >= limit;
}

/* Makes a piece of connected voxels beyond the limit, with the length of each. */
static void make_pieces(pruning *p, double limit) {
  for (int n = 0; n < p->count; n++) {
    p->piece[n] = n;
    p->far[n] = p->length[root_of(p, n)];
  }
  for (int n = 0; n < p->count; n++) {
    int64_t next[26];
    double step[26];
    int count = is_off(p, n, limit) ? neighbours(p, p->voxel[n], next, step) : 0;
    for (int m = 0; m < count; m++) {
      int other = p->place[next[m]];
      if (other < 0 || other >= n || !is_off(p, other, limit)) continue;
      int a = root_in(p->piece, n), b = root_in(p->piece, other);
      p->piece[a] = b;
      p->far[b] = fmaxf(p->far[a], p->far[b]);
    }
  }
}

static void find_centres(pruning *p) {
  memset(p->centre, 0, (size_t)p->count * sizeof *p->centre);
  for (int n = 0; n < p->count; n++) {
    int root = root_of(p, n);
    double at[3];
    ht_grid_voxel_position(&p->vessel->grid, p->voxel[n], at);
    for (int r = 0; r < 3; r++) p->centre[root][r] += at[r] / p->size[root];
  }
}

static double diameter_mm(const pruning *p, int root) {
  return band_voxels * p->voxel_mm / diameters_of(p, root);
}

static int is_child(const pruning *p, int root) {
  int before = p->came[root];
  return before >= 0 && p->size[root] > least_child * p->size[before];
}

static void count_children(pruning *p) {
  for (int n = 0; n < p->count; n++)
    if (p->above[n] == n && is_child(p, n) && p->children[p->came[n]] < UINT8_MAX)
      p->children[p->came[n]]++;
}

/* Tells whether the front divides, into another branch than the one that leads to `after`. */
static int parts_at(const pruning *p, int front, int after) {
  return p->children[front] > (after >= 0 && is_child(p, after));
}

enum { CHAIN_MOST = 512 };

/* The fronts from one at the cut back to the tube. */
static int chain_of(const pruning *p, int front, int chain[CHAIN_MOST]) {
  int count = 0;
  for (; front >= 0 && count < CHAIN_MOST; front = p->came[front]) chain[count++] = front;
  return count;
}

/* Tells whether the branch has one width around a place in the chain, and does not divide there. */
static int is_tube_at(const pruning *p, const int *chain, int count, int at) {
  double here = p->length[chain[at]], width = diameter_mm(p, chain[at]);
  if (count - at < 2 || p->length[chain[0]] < here + around / 2) return 0;
  for (int c = 0; c < count; c++) {
    double off = p->length[chain[c]] - here, other = diameter_mm(p, chain[c]);
    if (fabs(off) > around) continue;
    if (other > one_width * width || width > one_width * other) return 0;
    if (off > -around / 2 && parts_at(p, chain[c], c > 0 ? chain[c - 1] : -1)) return 0;
  }
  return 1;
}

/* Finds the place of the opening in the chain: the outermost, but not beyond the requested
 * diameters. */
static int opening_in(const pruning *p, const int *chain, int count, double diameters,
                      int *is_tube) {
  int outermost = 0;
  while (outermost < count - 1 && p->length[chain[outermost]] > diameters) outermost++;
  for (int c = outermost; c < count && p->length[chain[c]] >= least_length; c++)
    if ((*is_tube = is_tube_at(p, chain, count, c))) return c;
  *is_tube = 0;
  return outermost;
}

/* Direction from the centre half a diameter nearer to the vessel to the one half a diameter
 * beyond. */
static int direction_at(const pruning *p, const int *chain, int count, int at, double out[3]) {
  double here = p->length[chain[at]];
  int inner = at, outer = at;
  while (inner < count - 1 && p->length[chain[inner]] > here - around) inner++;
  while (outer > 0 && p->length[chain[outer]] < here + around) outer--;
  for (int r = 0; r < 3; r++) out[r] = p->centre[chain[outer]][r] - p->centre[chain[inner]][r];
  return ht_normalise(out);
}

/* The branches in the order of their finding; front of each. */
typedef struct {
  int count, front[HT_SEGMENT_BRANCHES_MAX];
  ht_segment_branch *branch;
} branches;

/* Adds a branch. Two fronts on one chain are the same branch: the one nearer to the vessel
 * stays. */
static void add_branch(const pruning *p, int front, const ht_segment_branch *one, branches *all) {
  for (int b = 0; b < all->count; b++) {
    for (int f = front; f >= 0; f = p->came[f])
      if (f == all->front[b]) return;
    for (int f = all->front[b]; f >= 0; f = p->came[f]) {
      if (f != front) continue;
      all->front[b] = front;
      all->branch[b] = *one;
      return;
    }
  }
  if (all->count == HT_SEGMENT_BRANCHES_MAX) return;
  all->front[all->count] = front;
  all->branch[all->count++] = *one;
}

/* Takes the branch whose piece beyond the front `front` is cut off. */
static void take_branch(const pruning *p, int front, double diameters, branches *all) {
  int chain[CHAIN_MOST], is_tube, count = chain_of(p, front, chain);
  int at = opening_in(p, chain, count, diameters, &is_tube);
  ht_segment_branch one = {.radius_mm = diameter_mm(p, chain[at]) / 2, .is_tube = is_tube};
  memcpy(one.centre_mm, p->centre[chain[at]], sizeof one.centre_mm);
  if (!direction_at(p, chain, count, at, one.direction)) one.is_tube = 0;
  add_branch(p, chain[at], &one, all);
}

static int by_width(const void *left, const void *right) {
  const ht_segment_branch *a = left, *b = right;
  return (a->radius_mm < b->radius_mm) - (a->radius_mm > b->radius_mm);
}

/* Removes the pieces that are long enough, and finds an opening before each. */
static void cut_off(pruning *p, double diameters, ht_segment_report *report) {
  double limit = diameters + beyond_cut;
  branches all = {.branch = report->branch};
  make_pieces(p, limit);
  find_centres(p);
  count_children(p);
  for (int n = 0; n < p->count; n++) {
    int root = root_of(p, n), before = p->came[root];
    if (!is_off(p, n, limit) || p->far[root_in(p->piece, n)] < limit + least_rest) continue;
    if (root == n && before >= 0 && p->length[before] < limit)
      take_branch(p, before, diameters, &all);
    p->vessel->inside[p->voxel[n]] = 0;
  }
  report->branches = all.count;
  qsort(report->branch, (size_t)all.count, sizeof *report->branch, by_width);
}

ht_status ht_prune_branches(const ht_way *way, const int32_t *station, double diameters,
                            ht_mask *vessel, ht_segment_report *report) {
  pruning p = {
      .way = way, .station = station, .vessel = vessel, .voxel_mm = ht_mean_spacing(&vessel->grid)};
  clip_ends(&p);
  ht_status status = pruning_make(&p);
  if (status == HT_OK) status = order(&p);
  if (status == HT_OK) {
    make_fronts(&p);
    add_lengths(&p);
    cut_off(&p, diameters, report);
  }
  pruning_free(&p);
  if (status != HT_OK) return status;
  return ht_mask_keep_piece(vessel, way->station[0].centre_mm, NULL, NULL);
}

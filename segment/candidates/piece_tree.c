#include "segment/candidates/piece_tree.h"
#include "segment/openings/front_tree.h"
#include "segment/voxels/quantile.h"
#include "core/numbers/vector3.h"
#include "segment/voxels/vessel.h"
#include <stdlib.h>
#include <string.h>

enum { ROOTS = 4 };
static const double least_mm = 8; /* prominence of an end */
static const double end_mm = 10;  /* part of its way over which an end's radius is the median */
static const double wide = 0.7;   /* of the first end's radius: least width of an inlet */

typedef struct {
  int64_t voxel;
  double radius_mm;
  int at_border;
  int32_t distance; /* to the root of its way, tenths of a voxel */
} end_place;

typedef struct {
  const ht_mask *mask;
  const ht_grid *whole;
  const float *depth; /* of each voxel: distance to the nearest voxel outside, mm */
  int ends;
  end_place end[HT_PIECE_ENDS];
} search;

/* ---- the fronts' radii ---- */

/* Measures the fronts' radii: that of the circle with the front's area, but at most a quarter more
 * than the largest ball inside the vessel whose centre lies in the front. Where vessels touch or
 * divide, a front covers both. */
static ht_status measure_fronts(const search *s, const ht_front_tree *tree, double **radius_mm) {
  const double more = 1.25;
  HT_TRY(ht_alloc((void **)radius_mm, (size_t)tree->count + 1, sizeof(double), "a vessel's radii"));
  for (int64_t i = 0; i < tree->geodesic.reached.count; i++) {
    double *ball = &(*radius_mm)[tree->of[i]];
    *ball = fmax(*ball, s->depth[tree->geodesic.reached.item[i]]);
  }
  for (int f = 0; f < tree->count; f++)
    (*radius_mm)[f] = fmin(more * (*radius_mm)[f], ht_front_radius_mm(tree, &tree->item[f]));
  return HT_OK;
}

static int front_of(const ht_front_tree *tree, int64_t voxel) {
  int32_t place = tree->geodesic.place[voxel];
  return place >= 0 ? tree->of[place] : -1;
}

static int fronts_before(const ht_front_tree *tree, int front) {
  int count = 0;
  for (int f = front; f >= 0; f = tree->item[f].before) count++;
  return count;
}

/* ---- ends ---- */

static double median(double *values, int count) {
  if (count == 0) return 0;
  ht_sort_values(values, count);
  return values[count / 2];
}

/* Radius over the last stretch of the way to the end, without its cap. */
static double radius_at_end(const ht_front_tree *tree, const double *radius_mm, int front) {
  enum { MOST = 64, CAP = 2 };
  double some[MOST], step = 2 * tree->geodesic.mask->grid.spacing_mm[0];
  int count = 0, at = 0, many = (int)fmin(MOST, fmax(3, end_mm / step));
  for (int f = front; f >= 0 && count < many; f = tree->item[f].before)
    if (at++ >= CAP || tree->item[f].before < 0) some[count++] = radius_mm[f];
  return median(some, count);
}

/* Radius at the tree's root, along the longest way from it. */
static double radius_at_root(const ht_front_tree *tree, const double *radius_mm) {
  enum { MOST = 64, CAP = 2 };
  double some[MOST], step = 2 * tree->geodesic.mask->grid.spacing_mm[0];
  const ht_geodesic *g = &tree->geodesic;
  int front = front_of(tree, g->reached.item[g->reached.count - 1]), count = 0;
  int last = fronts_before(tree, front), many = (int)fmin(MOST, fmax(3, end_mm / step));
  for (int f = front, left = last; f >= 0; f = tree->item[f].before, left--)
    if (left > CAP && left <= CAP + many) some[count++] = radius_mm[f];
  return median(some, count);
}

static int touches_border(const search *s, int64_t voxel) {
  double p[3], at[3], slack = 1.6; /* voxels */
  ht_grid_voxel_position(&s->mask->grid, voxel, p);
  ht_grid_index(s->whole, p, at);
  for (int a = 0; a < 3; a++)
    if (at[a] < slack || at[a] > s->whole->dim[a] - 1 - slack) return 1;
  return 0;
}

static void add_end(search *s, int64_t voxel, double radius_mm) {
  if (s->ends == HT_PIECE_ENDS) return;
  s->end[s->ends++] = (end_place){voxel, radius_mm, touches_border(s, voxel), INT32_MAX};
}

/* A vessel enters a scan at its border: a wide end inside may be an aneurysm. */
static double rank_of(const end_place *end) {
  return end->at_border ? 2 * end->radius_mm : end->radius_mm;
}

static int by_rank(const void *a, const void *b) {
  const end_place *x = a, *y = b;
  if (rank_of(x) != rank_of(y)) return rank_of(x) < rank_of(y) ? 1 : -1;
  return (x->voxel > y->voxel) - (x->voxel < y->voxel);
}

static ht_status take_ends(search *s, const ht_front_tree *tree) {
  ht_summit summits[HT_PIECE_ENDS];
  int count;
  double *radius_mm, voxel = s->mask->grid.spacing_mm[0];
  int32_t least = (int32_t)(HT_STEP_FACE * fmax(6, least_mm / voxel));
  HT_TRY(ht_geodesic_summits(&tree->geodesic, least, HT_PIECE_ENDS - 1, summits, &count));
  HT_TRY(measure_fronts(s, tree, &radius_mm));
  add_end(s, tree->geodesic.reached.item[0], radius_at_root(tree, radius_mm));
  for (int i = 0; i < count; i++)
    add_end(s, summits[i].voxel, radius_at_end(tree, radius_mm, front_of(tree, summits[i].voxel)));
  free(radius_mm);
  qsort(s->end, (size_t)s->ends, sizeof *s->end, by_rank);
  return HT_OK;
}

/* The first end is the place farthest from any. */
static ht_status find_ends(search *s) {
  ht_geodesic g;
  ht_front_tree tree = {0};
  int64_t voxel = 0, voxels = ht_grid_voxels(&s->mask->grid);
  while (voxel < voxels && !s->mask->inside[voxel]) voxel++;
  if (voxel == voxels) return HT_OK;
  ht_status status = ht_geodesic_make(s->mask, &g);
  if (status == HT_OK) status = ht_geodesic_from(&g, voxel, -1);
  if (status == HT_OK) voxel = g.reached.item[g.reached.count - 1];
  ht_geodesic_free(&g);
  HT_TRY(status);
  status = ht_front_tree_from(s->mask, voxel, &tree);
  if (status == HT_OK) status = take_ends(s, &tree);
  ht_front_tree_free(&tree);
  return status;
}

/* ---- ways ---- */

/* Counts the places where the ways to other ends leave the way that `on` marks; each place once,
 * without those near its ends. */
static int count_branches(const search *s, const ht_front_tree *tree, const uint8_t *on, int end,
                          int last, int near) {
  int place[HT_PIECE_ENDS], count = 0;
  for (int e = 0; e < s->ends; e++) {
    int f = front_of(tree, s->end[e].voxel), known = 0;
    if (e == end || f < 0) continue;
    while (f >= 0 && !on[f]) f = tree->item[f].before;
    if (f < 0) continue;
    int at = fronts_before(tree, f);
    for (int p = 0; p < count; p++) known |= abs(place[p] - at) <= near;
    if (!known && at > near && at < last - near) place[count++] = at;
  }
  return count;
}

static ht_status take_way(const search *s, const ht_front_tree *tree, const double *radius_mm,
                          int end, ht_way_of_piece *way) {
  uint8_t *on;
  int front = front_of(tree, s->end[end].voxel), last = fronts_before(tree, front);
  free(way->station);
  memset(way, 0, sizeof *way);
  HT_TRY(ht_alloc((void **)&on, (size_t)tree->count, 1, "a vessel's fronts"));
  ht_status status =
      ht_alloc((void **)&way->station, (size_t)last, sizeof *way->station, "a vessel's centreline");
  for (int f = front, at = last - 1; status == HT_OK && f >= 0; f = tree->item[f].before, at--) {
    on[f] = 1;
    ht_front_centre_mm(tree, &tree->item[f], way->station[at]);
    way->station[at][3] = radius_mm[f];
  }
  if (status == HT_OK) {
    double step = 2 * s->mask->grid.spacing_mm[0];
    way->stations = last;
    way->branches =
        count_branches(s, tree, on, end, last, (int)ceil(s->end[end].radius_mm / step) + 1);
  }
  free(on);
  return status;
}

/* The ways from one wide end to the ends that are not nearer to another. */
static ht_status take_ways(search *s, int root, ht_piece_ways *ways) {
  ht_front_tree tree = {0};
  double *radius_mm = NULL;
  ht_status status = ht_front_tree_from(s->mask, s->end[root].voxel, &tree);
  if (status == HT_OK) status = measure_fronts(s, &tree, &radius_mm);
  for (int e = root + 1; e < s->ends && status == HT_OK; e++) {
    int32_t place = tree.geodesic.place[s->end[e].voxel];
    if (place < 0 || tree.geodesic.distance_of[place] >= s->end[e].distance) continue;
    s->end[e].distance = tree.geodesic.distance_of[place];
    status = take_way(s, &tree, radius_mm, e, &ways->way[e]);
    ways->way[e].at_border[0] = s->end[root].at_border;
    ways->way[e].at_border[1] = s->end[e].at_border;
  }
  free(radius_mm);
  ht_front_tree_free(&tree);
  return status;
}

static ht_status find_ways(search *s, ht_piece_ways *ways) {
  int roots = 0;
  for (int e = 0; e < s->ends && roots < ROOTS; e++) {
    int is_root = s->end[e].at_border && s->end[e].radius_mm >= wide * s->end[0].radius_mm;
    if (e > 0 && !is_root) continue;
    roots++;
    HT_TRY(take_ways(s, e, ways));
  }
  ways->count = s->ends;
  return HT_OK;
}

/* The distance of each voxel of the piece to the nearest outside; beyond the grid there is vessel.
 */
static ht_status measure_depth(const ht_mask *piece, const ht_progress *progress,
                               ht_volume *depth) {
  ht_mask outside = {0};
  int64_t voxels = ht_grid_voxels(&piece->grid);
  HT_TRY(ht_mask_alloc(&piece->grid, &outside));
  for (int64_t v = 0; v < voxels; v++) outside.inside[v] = !piece->inside[v];
  ht_status status = ht_itk_distance(&outside, progress, depth);
  ht_mask_free(&outside);
  return status;
}

ht_status ht_piece_ways_find(const ht_mask *piece, const ht_grid *whole,
                             const ht_progress *progress, ht_piece_ways *ways) {
  search s = {.mask = piece, .whole = whole};
  ht_volume depth = {0};
  memset(ways, 0, sizeof *ways);
  if (ht_mask_count(piece) == ht_grid_voxels(&piece->grid))
    return HT_OK; /* not the shape of a
                     vessel */
  HT_TRY(measure_depth(piece, progress, &depth));
  s.depth = depth.values;
  ht_status status = find_ends(&s);
  if (status == HT_OK) status = find_ways(&s, ways);
  ht_volume_free(&depth);
  return status;
}

void ht_piece_ways_free(ht_piece_ways *ways) {
  for (int i = 0; i < HT_PIECE_ENDS; i++) free(ways->way[i].station);
  memset(ways, 0, sizeof *ways);
}

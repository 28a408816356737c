#include "segment/quality/wall_profile.h"
#include "segment/shape/geodesic.h"
#include "segment/voxels/quantile.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

/* A profile runs from 3 voxels inside to 3 outside, in quarters. */
enum { PER_VOXEL = 4, HALF = 3 * PER_VOXEL, POINTS = 2 * HALF + 1 };

static const double usual_drop = 0.8, missing_part = 0.25; /* of the contrast; of that */
static const double touching_share = 0.6;                  /* of the contrast */
static const double high = 0.8, low = 0.2, half = 0.5;     /* of an edge */
enum { EDGE_REACH = 10 };                                  /* points: an edge farther off is none */

/* Near an opening's plane there is no wall: in nodes and voxels of the scan from the plane, in
 * radii and voxels from its axis. */
static const double plane_nodes = 1.5, plane_voxels = 1, rim_radii = 1.5, rim_voxels = 2;

enum { MISSING = 1, TOUCHING = 2 };

/* A piece of the wall, at one node of the mask. */
typedef struct {
  int64_t node;
  double area_mm2;
  float width_mm, width, offset, level; /* NaN: none. Voxels; share of the contrast */
  uint8_t flags;
} piece;

typedef struct {
  const ht_surroundings *around;
  const ht_mask *mask;
  const ht_openings *openings;
  piece *item;
  int64_t count;
} wall;

/* ---- the wall and its normal ---- */

/* Tells whether a voxel has a solid neighbour. The outside of the grid is none. */
static int is_wall(const ht_mask *mask, const int at[3]) {
  for (int face = 0; face < 6; face++) {
    int to[3] = {at[0], at[1], at[2]};
    to[face / 2] += face % 2 ? 1 : -1;
    if (ht_voxel_in_grid(mask->grid.dim, to) && !mask->inside[ht_voxel_index(mask->grid.dim, to)])
      return 1;
  }
  return 0;
}

static int is_at_opening(const wall *w, const double p[3]) {
  double node_mm = w->mask->grid.spacing_mm[0], voxel_mm = w->around->voxel_mm;
  for (int i = 0; i < w->openings->count; i++) {
    const ht_opening *one = &w->openings->item[i];
    double off[3];
    for (int r = 0; r < 3; r++) off[r] = p[r] - one->centre_mm[r];
    double across_mm = fabs(ht_dot(off, one->normal));
    if (across_mm <= plane_nodes * node_mm + plane_voxels * voxel_mm &&
        ht_opening_side_mm(one, p) <= rim_radii * one->radius_mm + rim_voxels * voxel_mm)
      return 1;
  }
  return 0;
}

/* Out of the vessel, along the mask's axes: away from the centroid of the nodes inside within 3 of
 * the node. 0: none. */
static int normal_at(const ht_mask *mask, const int at[3], double normal[3]) {
  enum { REACH = 3 };
  const int *dim = mask->grid.dim;
  int sum[3] = {0, 0, 0};
  for (int k = -REACH; k <= REACH; k++)
    for (int j = -REACH; j <= REACH; j++)
      for (int i = -REACH; i <= REACH; i++) {
        if (i * i + j * j + k * k > REACH * REACH) continue;
        int to[3] = {at[0] + i, at[1] + j, at[2] + k};
        for (int a = 0; a < 3; a++) to[a] = to[a] < 0 ? 0 : to[a] < dim[a] ? to[a] : dim[a] - 1;
        if (mask->inside[ht_voxel_index(dim, to)]) sum[0] -= i, sum[1] -= j, sum[2] -= k;
      }
  for (int a = 0; a < 3; a++) normal[a] = sum[a];
  return ht_normalise(normal);
}

/* Area of the node's faces to solid nodes as seen along the normal, and how far along it their
 * centres lie from the node's (means by area), both in nodes. */
static double faces_at(const ht_mask *mask, const int at[3], const double normal[3], double *out) {
  double area = 0, along = 0;
  for (int face = 0; face < 6; face++) {
    int a = face / 2, sign = face % 2 ? 1 : -1, to[3] = {at[0], at[1], at[2]};
    to[a] += sign;
    if (!ht_voxel_in_grid(mask->grid.dim, to) || mask->inside[ht_voxel_index(mask->grid.dim, to)])
      continue;
    double seen = fmax(0, sign * normal[a]);
    area += seen;
    along += seen * 0.5 * seen;
  }
  *out = area > 0 ? along / area : 0;
  return area;
}

/* ---- one profile ---- */

/* Shares of the contrast along the normal from the wall; returns the length of a voxel along it, 0
 * where the scan has no values or no contrast there. */
static double profile_at(const wall *w, const double wall_mm[3], const double normal[3],
                         double share[POINTS]) {
  const ht_surroundings *around = w->around;
  const ht_grid *grid = &around->scan->grid;
  double along[3], index[3], at[3], level[2], voxel_mm = 0;
  ht_grid_from_lps(grid, normal, along);
  for (int a = 0; a < 3; a++) voxel_mm += pow(along[a] * grid->spacing_mm[a], 2);
  voxel_mm = sqrt(voxel_mm);
  ht_grid_index(grid, wall_mm, index);
  ht_surroundings_level(around, index, level);
  double contrast = level[0] - level[1], least = 0.1 * (around->level[0] - around->level[1]);
  if (!(contrast > least)) return 0;
  for (int n = 0; n < POINTS; n++) {
    double far_mm = voxel_mm * (n - HALF) / PER_VOXEL;
    for (int a = 0; a < 3; a++) at[a] = index[a] + far_mm * along[a] / grid->spacing_mm[a];
    share[n] = (ht_volume_sample(around->scan, at) - level[1]) / contrast;
    if (!isfinite(share[n])) return 0;
  }
  return voxel_mm;
}

/* Point where the profile falls through `to`, at or after a point; NaN: it does not. */
static double falls_after(const double share[POINTS], int from, double to) {
  for (int n = from; n + 1 < POINTS; n++)
    if (share[n] >= to && share[n + 1] < to) return n + (share[n] - to) / (share[n] - share[n + 1]);
  return NAN;
}

/* Point where the profile falls through `to`, before a point; NaN: it does not. */
static double falls_before(const double share[POINTS], int from, double to) {
  for (int n = from; n > 0; n--)
    if (share[n - 1] >= to && share[n] < to)
      return n - 1 + (share[n - 1] - to) / (share[n - 1] - share[n]);
  return NAN;
}

static void read_edge(const double share[POINTS], double voxel_mm, piece *to) {
  double after = falls_after(share, HALF, half), before = falls_before(share, HALF, half);
  double edge = isnan(after) || fabs(before - HALF) < fabs(after - HALF) ? before : after;
  to->width = to->width_mm = to->offset = NAN;
  if (!(fabs(edge - HALF) <= EDGE_REACH)) return;
  to->offset = (float)((HALF - edge) / PER_VOXEL);
  double inner = falls_before(share, (int)ceil(edge), high);
  double outer = falls_after(share, (int)floor(edge), low);
  if (!isfinite(inner) || !isfinite(outer)) return;
  to->width = (float)((outer - inner) / PER_VOXEL);
  to->width_mm = (float)(voxel_mm * to->width);
}

static void read_profile(const double share[POINTS], double voxel_mm, piece *to) {
  double least = INFINITY;
  for (int n = HALF + 1; n <= HALF + 2 * PER_VOXEL; n++) least = fmin(least, share[n]);
  if (share[HALF - PER_VOXEL] - share[HALF + PER_VOXEL] < missing_part * usual_drop)
    to->flags |= MISSING;
  if (least >= touching_share) to->flags |= TOUCHING;
  to->level = (float)share[HALF];
  read_edge(share, voxel_mm, to);
}

/* Measures the wall at a node; area 0: no wall, or no values there. */
static void look_at(const wall *w, piece *to) {
  const ht_grid *grid = &w->mask->grid;
  int at[3];
  double p[3], along[3], normal[3], out, share[POINTS], node_mm = grid->spacing_mm[0];
  ht_voxel_place(grid->dim, to->node, at);
  ht_grid_voxel_position(grid, to->node, p);
  if (is_at_opening(w, p) || !normal_at(w->mask, at, along)) return;
  double area = faces_at(w->mask, at, along, &out);
  ht_grid_to_lps(grid, along, normal);
  for (int r = 0; r < 3; r++) p[r] += out * node_mm * normal[r];
  double voxel_mm = profile_at(w, p, normal, share);
  if (!(voxel_mm > 0)) return;
  to->area_mm2 = area * node_mm * node_mm;
  read_profile(share, voxel_mm, to);
}

/* ---- all of it ---- */

static ht_status find_wall(wall *w) {
  const int *dim = w->mask->grid.dim;
  int64_t nodes = ht_grid_voxels(&w->mask->grid), count = 0;
  for (int fill = 0; fill < 2; fill++) {
    count = 0;
    for (int64_t v = 0; v < nodes; v++) {
      int at[3];
      if (!w->mask->inside[v]) continue;
      ht_voxel_place(dim, v, at);
      if (!is_wall(w->mask, at)) continue;
      if (fill) w->item[count] = (piece){.node = v};
      count++;
    }
    if (!fill)
      HT_TRY(ht_alloc((void **)&w->item, (size_t)count + 1, sizeof *w->item, "the mask's wall"));
  }
  w->count = count;
  return HT_OK;
}

static float value_of(const piece *one, int which) {
  const float value[] = {one->width_mm, one->width, one->offset, one->level};
  return value[which];
}

static ht_status find_medians(const wall *w, ht_mask_quality *quality) {
  double *const median[] = {&quality->edge_mm, &quality->edge_voxels, &quality->offset_voxels,
                            &quality->level};
  float *value;
  HT_TRY(ht_alloc((void **)&value, (size_t)w->count + 1, sizeof *value, "the mask's wall"));
  ht_status status = HT_OK;
  for (int which = 0; which < 4 && status == HT_OK; which++) {
    int64_t count = 0;
    for (int64_t i = 0; i < w->count; i++) {
      float one = value_of(&w->item[i], which);
      if (w->item[i].area_mm2 > 0 && isfinite(one)) value[count++] = one;
    }
    if (count > 0) status = ht_quantile(value, NULL, count, count, 0.5, median[which]);
  }
  free(value);
  return status;
}

static double share_with(const wall *w, int flag, double area_mm2) {
  double with = 0;
  for (int64_t i = 0; i < w->count; i++)
    if (w->item[i].flags & flag) with += w->item[i].area_mm2;
  return area_mm2 > 0 ? with / area_mm2 : NAN;
}

/* ---- patches ---- */

typedef struct {
  double area_mm2, sum[3]; /* of positions by area */
} heap;

/* The 26-connected piece of a node; taken out of `marked`. area[]: of the nodes, in the order of
 * the wall. */
static ht_status take_patch(const wall *w, ht_mask *marked, int64_t first, ht_stack *stack,
                            heap *found) {
  *found = (heap){0};
  stack->count = 0;
  marked->inside[first] = 0;
  HT_TRY(ht_stack_push(stack, first));
  for (int64_t n = 0; n < stack->count; n++) {
    int64_t next[26], lo = 0, hi = w->count - 1, node = stack->item[n];
    while (lo < hi) { /* its piece of the wall: these are in the order of their nodes */
      int64_t middle = (lo + hi) / 2;
      if (w->item[middle].node < node)
        lo = middle + 1;
      else
        hi = middle;
    }
    double p[3], area = w->item[lo].area_mm2;
    ht_grid_voxel_position(&w->mask->grid, node, p);
    found->area_mm2 += area;
    for (int r = 0; r < 3; r++) found->sum[r] += area * p[r];
    int neighbours = ht_vessel_neighbours(marked, node, next, NULL);
    for (int k = 0; k < neighbours; k++) {
      marked->inside[next[k]] = 0;
      HT_TRY(ht_stack_push(stack, next[k]));
    }
  }
  return HT_OK;
}

/* The largest connected piece of the wall with a flag. */
static ht_status find_patch(const wall *w, int flag, ht_quality_patch *patch) {
  ht_mask marked = {0};
  ht_stack stack = {0};
  ht_status status = ht_mask_alloc(&w->mask->grid, &marked);
  for (int64_t i = 0; i < w->count && status == HT_OK; i++)
    marked.inside[w->item[i].node] = w->item[i].area_mm2 > 0 && (w->item[i].flags & flag);
  for (int64_t i = 0; i < w->count && status == HT_OK; i++) {
    heap found;
    if (!marked.inside[w->item[i].node]) continue;
    status = take_patch(w, &marked, w->item[i].node, &stack, &found);
    if (status != HT_OK || found.area_mm2 <= patch->area_mm2) continue;
    patch->area_mm2 = found.area_mm2;
    for (int r = 0; r < 3; r++) patch->at.centre_mm[r] = found.sum[r] / found.area_mm2;
  }
  free(stack.item);
  ht_mask_free(&marked);
  return status;
}

ht_status ht_wall_profile(const ht_surroundings *around, const ht_mask *mask,
                          const ht_openings *openings, ht_mask_quality *quality, double *area_mm2) {
  wall w = {around, mask, openings, NULL, 0};
  *area_mm2 = 0;
  ht_status status = find_wall(&w);
  if (status == HT_OK) {
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t i = 0; i < w.count; i++) look_at(&w, &w.item[i]);
    for (int64_t i = 0; i < w.count; i++) *area_mm2 += w.item[i].area_mm2;
    quality->missing_share = share_with(&w, MISSING, *area_mm2);
    quality->touching_share = share_with(&w, TOUCHING, *area_mm2);
    status = find_medians(&w, quality);
  }
  if (status == HT_OK) status = find_patch(&w, MISSING, &quality->missing);
  if (status == HT_OK) status = find_patch(&w, TOUCHING, &quality->touching);
  free(w.item);
  return status;
}

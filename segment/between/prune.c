#include "prune.h"
#include "heap.h"
#include "neighbour.h"
#include "units.h"
#include "vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double band_voxels = 1.5;
static const double tube_radii = 1.3, tube_voxels = 1.5; /* the larger: the way's own tube */

enum { UNSEEN = -1, TUBE = -2 };

/* Voxels of the branches in the order of their depth behind the tube's wall. */
typedef struct {
  const ht_way *way;
  const int32_t *station;
  ht_mask *vessel;
  double voxel_mm;
  int32_t *place; /* [voxels] in the list; TUBE, UNSEEN; owned, as are the others */
  int count;
  int64_t *voxel; /* [count] */
  float *depth;   /* [count] mm */
  int32_t *above; /* [count] union-find: of one band and connected */
  int32_t *size;  /* [count] voxels of the root's front */
  float *length;  /* [count] of the root: diameters travelled up to it */
  ht_heap heap;
} pruning;

static void pruning_free(pruning *p) {
  free(p->place);
  free(p->voxel);
  free(p->depth);
  free(p->above);
  free(p->size);
  free(p->length);
  free(p->heap.item);
}

static int root_of(pruning *p, int n) {
  while (p->above[n] != n) n = p->above[n] = p->above[p->above[n]];
  return n;
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

/* The list is in the order of the depth, so the fronts before are known; a step to a corner of
 * thick voxels may leave out a band. */
static void add_lengths(pruning *p) {
  for (int n = 0; n < p->count; n++) {
    int64_t next[26];
    double step[26];
    int root = root_of(p, n), band = band_of(p, n);
    int count = neighbours(p, p->voxel[n], next, step);
    for (int m = 0; m < count; m++) {
      int other = p->place[next[m]];
      double length = INFINITY;
      if (other == TUBE) length = 0;
      if (other >= 0 && band_of(p, other) < band) {
        int before = root_of(p, other);
        length = p->length[before] + (band - band_of(p, other)) * diameters_of(p, before);
      }
      p->length[root] = fminf(p->length[root], (float)length);
    }
  }
}

/* Does a voxel lie farther behind the point at its end than a diameter? */
static int is_beyond(const pruning *p, int end, int64_t voxel) {
  const ht_way_station *one = &p->way->station[p->way->at_point[end]];
  double out = end == 0 ? -1 : 1, at[3], off[3];
  ht_grid_voxel_position(&p->vessel->grid, voxel, at);
  for (int r = 0; r < 3; r++) off[r] = at[r] - one->centre_mm[r];
  return out * ht_dot(off, one->tangent) > 2 * one->radius_mm + 2 * p->voxel_mm;
}

/* Behind the point at an end only a stretch of a diameter is kept. */
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

ht_status ht_prune(const ht_way *way, const int32_t *station, double diameters, ht_mask *vessel) {
  pruning p = {
      .way = way, .station = station, .vessel = vessel, .voxel_mm = ht_mean_spacing(&vessel->grid)};
  clip_ends(&p);
  ht_status status = pruning_make(&p);
  if (status == HT_OK) status = order(&p);
  if (status == HT_OK) {
    make_fronts(&p);
    add_lengths(&p);
    for (int n = 0; n < p.count; n++)
      if (p.length[root_of(&p, n)] >= diameters) vessel->inside[p.voxel[n]] = 0;
  }
  pruning_free(&p);
  if (status != HT_OK) return status;
  return ht_mask_keep_piece(vessel, way->station[0].centre_mm, NULL, NULL);
}

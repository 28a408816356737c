#include "segment/openings/blood_beyond.h"
#include "segment/shape/flood.h"
#include "segment/shape/neighbour.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

static const double dim = 0.6, bright = 1.2; /* half contrasts below the level, above the blood */
static const double reach_radii = 3, reach_voxels = 8;
static const double reached = 0.85;    /* of the reach: the blood goes on */
static const double least_width = 0.5; /* of the end's */
enum { RIM = 2 };                      /* voxels of blurred wall around the mask */
static const double mouth = RIM + 1.5; /* voxels beyond the end's radius: the rim may be crossed */

enum { DARK = 0, BLOOD = 1, NEAR = 2, INSIDE = 4, SEEN = 8 };

/* The part of the scan around the end. */
typedef struct {
  const ht_volume *scan;
  const ht_mask *mask;
  const ht_opening *end;
  double voxel_mm, reach_mm, least, most; /* of the blood's values */
  int first[3], size[3];
  uint8_t *kind; /* [voxels]; owned, as is the other */
  ht_stack voxels;
} around;

static int in_box(const around *a, const int at[3], int64_t *voxel) {
  int place[3];
  for (int r = 0; r < 3; r++) place[r] = at[r] - a->first[r];
  *voxel = ht_voxel_index(a->size, place);
  return ht_voxel_in_grid(a->size, place);
}

static void place_of(const around *a, int64_t voxel, double position[3]) {
  int at[3];
  ht_voxel_place(a->size, voxel, at);
  for (int r = 0; r < 3; r++) at[r] += a->first[r];
  ht_grid_voxel_position(&a->scan->grid, ht_voxel_index(a->scan->grid.dim, at), position);
}

static double distance_of(const around *a, int64_t voxel) {
  double position[3];
  place_of(a, voxel, position);
  return ht_distance(position, a->end->centre_mm);
}

/* The scan's mean in the mask over the values above `least`. */
static double mean_above(const around *a, double least) {
  double sum = 0, count = 0, position[3];
  for (int64_t v = 0; v < ht_grid_voxels(&a->mask->grid); v++) {
    int at[3];
    if (!a->mask->inside[v]) continue;
    ht_grid_voxel_position(&a->mask->grid, v, position);
    double value = a->scan->values[ht_grid_nearest(&a->scan->grid, position, at)];
    if (value >= least) sum += value, count++;
  }
  return count > 0 ? sum / count : least;
}

/* Sets the values of blood: those in the vessel's blurred rim do not count for its contrast. */
static void find_values(around *a, double lower) {
  double half = mean_above(a, mean_above(a, lower)) - lower;
  a->least = lower - dim * half;
  a->most = lower + half + bright * half;
}

static void mark_inside(around *a) {
  double position[3];
  for (int64_t v = 0; v < ht_grid_voxels(&a->mask->grid); v++) {
    int at[3];
    int64_t voxel;
    if (!a->mask->inside[v]) continue;
    ht_grid_voxel_position(&a->mask->grid, v, position);
    ht_grid_nearest(&a->scan->grid, position, at);
    if (in_box(a, at, &voxel)) a->kind[voxel] = INSIDE;
  }
}

static void mark_blood(around *a) {
  int64_t voxels = (int64_t)a->size[0] * a->size[1] * a->size[2];
  for (int64_t v = 0; v < voxels; v++) {
    int at[3];
    ht_voxel_place(a->size, v, at);
    for (int r = 0; r < 3; r++) at[r] += a->first[r];
    double value = a->scan->values[ht_voxel_index(a->scan->grid.dim, at)];
    if (value >= a->least && value <= a->most) a->kind[v] |= BLOOD;
  }
}

/* Marks the rim of the mask, layer by layer. */
static ht_status mark_rim(around *a) {
  int64_t voxels = (int64_t)a->size[0] * a->size[1] * a->size[2], from = 0;
  for (int64_t v = 0; v < voxels; v++)
    if (a->kind[v] & INSIDE) HT_TRY(ht_stack_push(&a->voxels, v));
  for (int layer = 0; layer < RIM; layer++) {
    int64_t to = a->voxels.count;
    for (; from < to; from++) {
      int at[3], next[3];
      ht_voxel_place(a->size, a->voxels.item[from], at);
      for (int n = 0; n < HT_NEIGHBOURS; n++) {
        if (!ht_neighbour(a->size, at, n, next)) continue;
        int64_t voxel = ht_voxel_index(a->size, next);
        if (a->kind[voxel] & (INSIDE | NEAR)) continue;
        a->kind[voxel] |= NEAR;
        HT_TRY(ht_stack_push(&a->voxels, voxel));
      }
    }
  }
  return HT_OK;
}

/* Returns 1 where the blood may be followed: beyond the rim, and through it at the end. */
static int is_open(const around *a, int64_t voxel) {
  if (!(a->kind[voxel] & BLOOD) || (a->kind[voxel] & (INSIDE | SEEN))) return 0;
  double mm = distance_of(a, voxel);
  return a->kind[voxel] & NEAR ? mm < a->end->radius_mm + mouth * a->voxel_mm : mm < a->reach_mm;
}

/* Follows the blood from the end through voxels that share a face. */
static ht_status follow(around *a) {
  int64_t voxels = (int64_t)a->size[0] * a->size[1] * a->size[2];
  a->voxels.count = 0;
  for (int64_t v = 0; v < voxels; v++)
    if (a->kind[v] & INSIDE && distance_of(a, v) < a->end->radius_mm + a->voxel_mm)
      HT_TRY(ht_stack_push(&a->voxels, v));
  for (int64_t i = 0; i < a->voxels.count; i++) {
    int at[3], next[3];
    ht_voxel_place(a->size, a->voxels.item[i], at);
    for (int side = 0; side < 6; side++) {
      memcpy(next, at, sizeof next);
      next[side / 2] += side % 2 ? 1 : -1;
      if (!ht_voxel_in_grid(a->size, next)) continue;
      int64_t voxel = ht_voxel_index(a->size, next);
      if (!is_open(a, voxel)) continue;
      a->kind[voxel] |= SEEN;
      HT_TRY(ht_stack_push(&a->voxels, voxel));
    }
  }
  return HT_OK;
}

/* Returns 1 where the blood followed reaches far enough, and is wide enough. */
static int goes_on(const around *a, double beyond_mm[3]) {
  const double *s = a->scan->grid.spacing_mm, start = a->end->radius_mm + RIM * a->voxel_mm;
  double farthest = 0, volume = 0, least = least_width * a->end->radius_mm, count = 0;
  for (int64_t i = 0; i < a->voxels.count; i++) {
    if (a->kind[a->voxels.item[i]] & (INSIDE | NEAR)) continue;
    farthest = fmax(farthest, distance_of(a, a->voxels.item[i]));
    volume += s[0] * s[1] * s[2];
  }
  memset(beyond_mm, 0, 3 * sizeof *beyond_mm);
  for (int64_t i = 0; i < a->voxels.count; i++) {
    double at[3];
    place_of(a, a->voxels.item[i], at);
    if (ht_distance(at, a->end->centre_mm) < (start + farthest) / 2) continue;
    for (int r = 0; r < 3; r++) beyond_mm[r] = (count * beyond_mm[r] + at[r]) / (count + 1);
    count++;
  }
  return farthest > start + reached * (a->reach_mm - start) &&
         volume > HT_PI * least * least * (farthest - start);
}

static void make_box(around *a) {
  const ht_grid *grid = &a->scan->grid;
  double index[3];
  ht_grid_index(grid, a->end->centre_mm, index);
  for (int r = 0; r < 3; r++) {
    double room = a->reach_mm / grid->spacing_mm[r] + 1;
    a->first[r] = (int)fmax(0, fmin(grid->dim[r] - 1, floor(index[r] - room)));
    int last = (int)fmax(0, fmin(grid->dim[r] - 1, ceil(index[r] + room)));
    a->size[r] = last - a->first[r] + 1;
  }
}

ht_status ht_blood_beyond(const ht_volume *scan, const ht_mask *mask, const ht_opening *end,
                          double lower, double beyond_mm[3], int *beyond) {
  const double *s = scan->grid.spacing_mm;
  around a = {.scan = scan, .mask = mask, .end = end, .voxel_mm = fmax(s[0], fmax(s[1], s[2]))};
  a.reach_mm = end->radius_mm + fmax(reach_radii * end->radius_mm, reach_voxels * a.voxel_mm);
  make_box(&a);
  *beyond = 0;
  size_t voxels = (size_t)a.size[0] * (size_t)a.size[1] * (size_t)a.size[2];
  HT_TRY(ht_alloc((void **)&a.kind, voxels, 1, "what lies beyond an end"));
  find_values(&a, lower);
  mark_inside(&a);
  mark_blood(&a);
  ht_status status = mark_rim(&a);
  if (status == HT_OK) status = follow(&a);
  if (status == HT_OK) *beyond = goes_on(&a, beyond_mm);
  free(a.kind);
  free(a.voxels.item);
  return status;
}

#include "segment/openings/ball.h"
#include "segment/shape/axis.h"
#include "segment/shape/flood.h"
#include "core/numbers/vector3.h"
#include "core/numbers/units.h"
#include <stdlib.h>
#include <string.h>

enum { SMALLEST_PATCH = 12, MOST_STEPS = 60 };

static const double shell = 2.5; /* voxels: the scan's voxels make the ball's surface rough */
static const double beyond =
    6; /* voxels beyond it: somebody drew on the mask, and the vessel does not end there */
static const double clear = 0.75; /* voxels between a section and it */
static const double back = 3,
                    back_voxels = 15; /* radii or voxels inward of it that the axis is fitted to */
static const double least_back = 0.7, most_change = 1.3; /* a radius at this distance inward, of the
                                                            cut's */
static const double sharpest = 0.5, steepest = 0.4;      /* radius over that of a bend; taper */
static const double most_turn_degrees = 20;              /* of the axis in half a radius */
static const double widest = 1.6; /* largest section of the patch; beyond it the ball grazes a
                                     wall */

typedef struct {
  const ht_mask *mask;
  double centre_mm[3], radius_mm;
  uint8_t *mark; /* [voxels] 1: of a patch that was seen */
  ht_stack todo;
} ball;

/* One patch of the ball's outermost voxels. */
typedef struct {
  int64_t count;
  double sum_mm[3], farthest_mm; /* from the ball's centre */
} patch;

static double from_centre(const ball *b, const double p[3], double off[3]) {
  for (int r = 0; r < 3; r++) off[r] = p[r] - b->centre_mm[r];
  return ht_length(off);
}

static int is_outermost(const ball *b, int64_t voxel, double p[3]) {
  double off[3];
  if (!b->mask->inside[voxel] || b->mark[voxel]) return 0;
  ht_grid_voxel_position(&b->mask->grid, voxel, p);
  return from_centre(b, p, off) > b->radius_mm - shell * b->mask->grid.spacing_mm[0];
}

static ht_status take_voxel(ball *b, int64_t voxel, patch *found) {
  double p[3], off[3];
  if (!is_outermost(b, voxel, p)) return HT_OK;
  b->mark[voxel] = 1;
  found->count++;
  found->farthest_mm = fmax(found->farthest_mm, from_centre(b, p, off));
  for (int r = 0; r < 3; r++) found->sum_mm[r] += p[r];
  return ht_stack_push(&b->todo, voxel);
}

static ht_status follow_patch(ball *b, int64_t seed, patch *found) {
  const int *dim = b->mask->grid.dim;
  *found = (patch){0};
  HT_TRY(take_voxel(b, seed, found));
  while (b->todo.count > 0) {
    int at[3], next[3];
    ht_voxel_place(dim, b->todo.item[--b->todo.count], at);
    for (int k = 0; k < 27; k++) {
      for (int a = 0, rest = k; a < 3; a++, rest /= 3) next[a] = at[a] + rest % 3 - 1;
      if (ht_voxel_in_grid(dim, next)) HT_TRY(take_voxel(b, ht_voxel_index(dim, next), found));
    }
  }
  return HT_OK;
}

/* Length over which an axis is fitted. */
static double fit_length_mm(const ht_mask *mask, double radius_mm) {
  return fmax(back * radius_mm, back_voxels * mask->grid.spacing_mm[0]);
}

static int is_turned_little(const double *a, const double *b) {
  return ht_dot(a, b) > cos(most_turn_degrees * HT_PI / 180);
}

/* The distance from the ball's centre to the farthest point of the section across the axis. */
static double farthest(const ball *b, const ht_axis *axis) {
  double off[3], away = from_centre(b, axis->centre_mm, off), along = ht_dot(off, axis->direction);
  double across = sqrt(fmax(0, away * away - along * along)) + axis->radius_mm;
  return hypot(along, across);
}

/* Moves the axis inward until its section is whole, and fits it there. *found: 0 where it is not a
 * vessel's. */
static ht_status move_in(const ball *b, ht_axis *axis, int *found) {
  double voxel = b->mask->grid.spacing_mm[0];
  double back_mm = fit_length_mm(b->mask, axis->radius_mm);
  *found = 1;
  for (int step = 0; step < MOST_STEPS && *found; step++) {
    double over = farthest(b, axis) - (b->radius_mm - clear * voxel);
    if (over <= 0 && step > 0) return HT_OK; /* at first it is the ball's normal */
    double move = fmin(fmax(over, voxel / 2), axis->radius_mm);
    for (int r = 0; r < 3; r++) axis->centre_mm[r] -= move * axis->direction[r];
    HT_TRY(ht_axis_fit(b->mask, back_mm, axis, found));
  }
  *found = 0;
  return HT_OK;
}

/* Tells whether a vessel may have the axis, and the axis is about the same half a radius farther
 * in. It is not where the ball leaves a stub. */
static ht_status is_steady(const ht_mask *mask, const ht_axis *axis, int *is) {
  ht_axis inner = *axis;
  int found;
  for (int r = 0; r < 3; r++) inner.centre_mm[r] -= 0.5 * axis->radius_mm * axis->direction[r];
  HT_TRY(ht_axis_fit(mask, fit_length_mm(mask, axis->radius_mm), &inner, &found));
  double bend = ht_length(axis->bend) * axis->radius_mm;
  *is = found && bend < sharpest && fabs(axis->growth) < steepest &&
        is_turned_little(inner.direction, axis->direction);
  return HT_OK;
}

/* Tells whether the vessel continues inward with about one width, and is the patch's. */
static ht_status is_vessel(const ball *b, const ht_axis *axis, double patch_radius_mm, int *is) {
  double off[3], behind, here;
  double away = from_centre(b, axis->centre_mm, off);
  HT_TRY(ht_axis_section(b->mask, axis, 0, &here, NULL));
  HT_TRY(ht_axis_section(b->mask, axis, -least_back * axis->radius_mm, &behind, NULL));
  *is = here > 0 && behind > here / most_change && behind < most_change * here &&
        patch_radius_mm < widest * here + b->mask->grid.spacing_mm[0] &&
        away > b->radius_mm - 3 * here - shell * b->mask->grid.spacing_mm[0];
  return HT_OK;
}

static void add(const ht_axis *axis, double voxel_mm, ht_ends *ends) {
  ht_end *end = &ends->item[ends->count++];
  memset(end, 0, sizeof *end);
  end->kind = 2 * axis->radius_mm < HT_END_LEAST_ACROSS * voxel_mm ? HT_END_THIN : HT_END_OPEN;
  memcpy(end->opening.centre_mm, axis->centre_mm, sizeof axis->centre_mm);
  memcpy(end->opening.normal, axis->direction, sizeof axis->direction);
  memcpy(end->opening.direction, axis->direction, sizeof axis->direction);
  end->opening.radius_mm = axis->radius_mm;
  end->opening.area_mm2 = HT_PI * axis->radius_mm * axis->radius_mm;
}

static ht_status examine(const ball *b, const patch *found, ht_ends *ends) {
  double voxel = b->mask->grid.spacing_mm[0], off[3];
  ht_axis axis = {.growth = 0};
  int is = 0;
  int drawn_beyond = found->farthest_mm > b->radius_mm + beyond * voxel;
  if (drawn_beyond || found->count < shell * SMALLEST_PATCH || ends->count == HT_OPENINGS_MAX)
    return HT_OK;
  for (int r = 0; r < 3; r++) axis.centre_mm[r] = found->sum_mm[r] / (double)found->count;
  from_centre(b, axis.centre_mm, off);
  memcpy(axis.direction, off, sizeof off);
  axis.radius_mm = sqrt((double)found->count / shell / HT_PI) * voxel;
  double patch_radius_mm = axis.radius_mm;
  if (!ht_normalise(axis.direction)) return HT_OK;
  HT_TRY(move_in(b, &axis, &is));
  if (is) HT_TRY(is_vessel(b, &axis, patch_radius_mm, &is));
  if (is) HT_TRY(is_steady(b->mask, &axis, &is));
  if (is && ht_dot(axis.direction, off) > 0) add(&axis, voxel, ends);
  return HT_OK;
}

static ht_status all_patches(ball *b, ht_ends *ends) {
  int64_t voxels = ht_grid_voxels(&b->mask->grid);
  HT_TRY(ht_alloc((void **)&b->mark, (size_t)voxels, 1, "the vessel at the region's ball"));
  for (int64_t v = 0; v < voxels; v++) {
    patch found;
    double p[3];
    if (!is_outermost(b, v, p)) continue;
    HT_TRY(follow_patch(b, v, &found));
    HT_TRY(examine(b, &found, ends));
  }
  return HT_OK;
}

ht_status ht_ends_at_ball(const ht_mask *mask, const double centre_mm[3], double radius_mm,
                          ht_ends *ends) {
  ball b = {.mask = mask, .radius_mm = radius_mm};
  memcpy(b.centre_mm, centre_mm, sizeof b.centre_mm);
  memset(ends, 0, sizeof *ends);
  ht_status status = all_patches(&b, ends);
  free(b.mark);
  free(b.todo.item);
  if (status != HT_OK) memset(ends, 0, sizeof *ends);
  return status;
}

ht_status ht_end_is_steady(const ht_mask *mask, const ht_opening *end, int *is) {
  ht_axis axis = {.radius_mm = end->radius_mm};
  memcpy(axis.centre_mm, end->centre_mm, sizeof axis.centre_mm);
  memcpy(axis.direction, end->direction, sizeof axis.direction);
  HT_TRY(ht_axis_fit(mask, fit_length_mm(mask, end->radius_mm), &axis, is));
  *is = *is && is_turned_little(axis.direction, end->direction);
  return *is ? is_steady(mask, &axis, is) : HT_OK;
}

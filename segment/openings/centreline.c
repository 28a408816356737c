#include "segment/openings/centreline.h"
#include "segment/shape/axis.h"
#include "segment/openings/border.h"
#include "segment/shape/geodesic.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

enum { FIRST_REACH = 6, LAST_REACH = 96 };

static const double farthest_mm = 10;
static const double long_enough =
    4; /* variance along the vessel / across it: 3.5 radii of a tube */
static const double fit_radii = 2;

/* ---- its rough direction ---- */

/* Mean and covariance of the positions reached, mm. */
static void spread_of(const ht_geodesic *g, double mean[3], double spread[3][3]) {
  double count = (double)g->reached.count;
  memset(mean, 0, 3 * sizeof(double));
  memset(spread, 0, 9 * sizeof(double));
  for (int pass = 0; pass < 2; pass++) {
    for (int64_t i = 0; i < g->reached.count; i++) {
      double p[3];
      ht_grid_voxel_position(&g->mask->grid, g->reached.item[i], p);
      for (int r = 0; r < 3 && !pass; r++) mean[r] += p[r] / count;
      for (int r = 0; r < 3 && pass; r++)
        for (int c = 0; c < 3; c++) spread[r][c] += (p[r] - mean[r]) * (p[c] - mean[c]) / count;
    }
  }
}

/* The direction of the largest spread, by powers of the matrix; its share of the rest's mean. */
static double longest(double spread[3][3], double direction[3]) {
  double total = spread[0][0] + spread[1][1] + spread[2][2], most = 0;
  int widest = 0;
  for (int a = 1; a < 3; a++)
    if (spread[a][a] > spread[widest][widest]) widest = a;
  memcpy(direction, spread[widest], 3 * sizeof(double));
  for (int i = 0; i < 50; i++) {
    double next[3];
    for (int r = 0; r < 3; r++) next[r] = ht_dot(spread[r], direction);
    most = sqrt(ht_dot(next, next) / fmax(ht_dot(direction, direction), 1e-300));
    memcpy(direction, next, sizeof next);
    if (!ht_normalise(direction)) return 0;
  }
  return most / fmax((total - most) / 2, 1e-12);
}

static ht_status rough_axis(ht_geodesic *g, int64_t voxel, ht_axis *axis, int *found) {
  for (int reach = FIRST_REACH; reach <= LAST_REACH; reach = reach * 5 / 4 + 1) {
    double spread[3][3], ratio;
    HT_TRY(ht_geodesic_from(g, voxel, HT_STEP_FACE * reach));
    spread_of(g, axis->centre_mm, spread);
    ratio = longest(spread, axis->direction);
    double across = (spread[0][0] + spread[1][1] + spread[2][2]) / (2 + ratio);
    axis->radius_mm = 2 * sqrt(across); /* of a disc: variance r^2 / 4 along each axis */
    *found = ratio >= long_enough;
    if (*found) return HT_OK;
  }
  return HT_OK;
}

/* ---- the centreline ---- */

/* The point's place along the axis counts, its place across it does not. */
static void slide_to(const double position_mm[3], ht_axis *axis) {
  double along = 0;
  for (int r = 0; r < 3; r++) along += (position_mm[r] - axis->centre_mm[r]) * axis->direction[r];
  for (int r = 0; r < 3; r++) axis->centre_mm[r] += along * axis->direction[r];
}

/* Fits the axis to the sections on one side: `way` 1 those downstream, -1 those upstream. */
static ht_status fit_side(const ht_mask *mask, const ht_axis *rough, int way, ht_axis *side,
                          int *found) {
  *side = *rough;
  for (int r = 0; r < 3; r++) side->direction[r] *= way;
  HT_TRY(ht_axis_fit(mask, fit_radii * rough->radius_mm, side, found));
  for (int r = 0; r < 3; r++) side->direction[r] *= way;
  if (*found && ht_dot(side->direction, rough->direction) < 0.5) *found = 0;
  return HT_OK;
}

static ht_status fit_both(const ht_mask *mask, ht_axis *axis) {
  ht_axis side[2];
  int found[2];
  HT_TRY(fit_side(mask, axis, 1, &side[0], &found[0]));
  HT_TRY(fit_side(mask, axis, -1, &side[1], &found[1]));
  if (!found[0] && !found[1]) return HT_OK;
  for (int r = 0; r < 3; r++) axis->direction[r] = axis->centre_mm[r] = 0;
  for (int k = 0; k < 2; k++)
    for (int r = 0; r < 3 && found[k]; r++) {
      axis->direction[r] += side[k].direction[r];
      axis->centre_mm[r] += side[k].centre_mm[r] / (found[0] && found[1] ? 2 : 1);
    }
  ht_normalise(axis->direction);
  return HT_OK;
}

ht_status ht_centreline_at(const ht_mask *mask, const double position_mm[3], double centre_mm[3],
                           double direction[3]) {
  ht_geodesic g;
  ht_axis axis = {.radius_mm = 0};
  double away;
  int found = 0;
  int64_t voxel = ht_mask_nearest(mask, position_mm, &away);
  if (voxel < 0 || away > farthest_mm)
    return ht_fail(
        HT_ERR_OPENINGS,
        "no vessel is within %g mm of [%.1f, %.1f, %.1f]: move the point onto the vessel",
        farthest_mm, position_mm[0], position_mm[1], position_mm[2]);
  ht_status status = ht_geodesic_make(mask, &g);
  if (status == HT_OK) status = rough_axis(&g, voxel, &axis, &found);
  ht_geodesic_free(&g);
  HT_TRY(status);
  if (!found)
    return ht_fail(HT_ERR_OPENINGS,
                   "the vessel at [%.1f, %.1f, %.1f] has no direction (a ball, or where several "
                   "meet): move the point, or give a plane",
                   position_mm[0], position_mm[1], position_mm[2]);
  slide_to(position_mm, &axis);
  HT_TRY(fit_both(mask, &axis));
  double off_mm = ht_distance(position_mm, axis.centre_mm);
  double reach_mm = axis.radius_mm + mask->grid.spacing_mm[0];
  if (off_mm > fmax(reach_mm, away + 0.5 * reach_mm))
    return ht_fail(HT_ERR_OPENINGS,
                   "the direction of the vessel at [%.1f, %.1f, %.1f] cannot be told: it is too "
                   "short there, or meets a wider one (the nearest that has a direction passes "
                   "%.1f mm off, with a radius of %.1f mm); give a plane there ('centre_mm' and "
                   "'normal', or a Plane of 3D Slicer) instead of a point",
                   position_mm[0], position_mm[1], position_mm[2], off_mm, axis.radius_mm);
  memcpy(centre_mm, axis.centre_mm, sizeof axis.centre_mm);
  memcpy(direction, axis.direction, sizeof axis.direction);
  return HT_OK;
}

/* ---- which way is out ---- */

static ht_status cut_copy(const ht_mask *mask, const double centre_mm[3], const double normal[3],
                          ht_mask *cut) {
  ht_opening opening;
  HT_TRY(ht_mask_alloc(&mask->grid, cut));
  memcpy(cut->inside, mask->inside, (size_t)ht_grid_voxels(&mask->grid));
  ht_status status = ht_openings_cut(cut, centre_mm, normal, 0, &opening);
  if (status != HT_OK) ht_mask_free(cut);
  return status;
}

ht_status ht_openings_face_out(const ht_mask *mask, const double centre_mm[3],
                               const double (*others_mm)[3], int others, double normal[3],
                               int *turned) {
  int64_t removed[2], places[2] = {0, 0};
  *turned = 0;
  for (int side = 0; side < 2; side++) {
    double out[3], away;
    ht_mask cut;
    for (int r = 0; r < 3; r++) out[r] = side ? -normal[r] : normal[r];
    HT_TRY(cut_copy(mask, centre_mm, out, &cut));
    removed[side] = ht_mask_count(mask) - ht_mask_count(&cut);
    for (int o = 0; o < others; o++) {
      int64_t voxel = ht_mask_nearest(mask, others_mm[o], &away);
      places[side] += voxel >= 0 && !cut.inside[voxel];
    }
    ht_mask_free(&cut);
  }
  *turned = places[1] < places[0] || (places[1] == places[0] && removed[1] < removed[0]);
  for (int r = 0; r < 3 && *turned; r++) normal[r] = -normal[r];
  return HT_OK;
}

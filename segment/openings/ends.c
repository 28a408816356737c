#include "segment/openings/ends.h"
#include "segment/shape/axis.h"
#include "segment/shape/fronts.h"
#include "core/numbers/vector3.h"
#include "core/numbers/units.h"
#include <stdlib.h>
#include <string.h>

enum {
  SUMMITS = 128,
  LEAST_PROMINENCE = 60,
  FIRST_REACH = 48,
  LAST_REACH = 1536,
  MOST_STEPS = 12,
  WALK = 16
};

static const double tube_length = 3;                /* radii of one width that make a vessel, */
static const double flat_length = 1.5;              /* and inward of a flat end */
static const double enough = 5, enough_voxels = 30; /* radii: the end of the search */
static const double grown = 1.05; /* growth over half a radius; below it the front fills the
                                     vessel */
static const double narrow = 0.75, wide = 1.35;    /* of a band to those before */
static const double narrowest = 0.6, widest = 1.8; /* of a band to the first */
static const double margin = 0.2; /* radii inside of it, so that oblique sections do not leave it */
static const double full = 0.97, slack = 0.1;             /* of a section; voxels */
static const double bulb_width = 1.25, bulb_length = 2.5; /* a blunt end: its width over that inward
                                                             of it */
static const double least_neck = 0.7; /* of the widest front: a narrower neck inward of a round end
                                         makes it a dome */
static const double other_axis = 1.5; /* ratio of its radius to the fronts' */
static const double steepest = 0.25;  /* taper that is carried on to the end */

/* The bands of fronts that are one tube: from where they fill it to where it ends, and its width.
 */
typedef struct {
  int first, settled, last;
  double radius; /* voxels */
  double peak;   /* the widest band from the tip to where the tube ends, */
  double neck;   /* and the narrowest from where the front has settled on */
  int decided;   /* longer fronts would not change the result */
} tube;

/* ---- whether a tube follows the tip ---- */

static double smooth_radius(const ht_fronts *f, int b) {
  double sum = 0;
  int low = b > 0 ? b - 1 : b, high = b + 1 < f->count ? b + 1 : b;
  for (int k = low; k <= high; k++) sum += f->radius[k];
  return sum / (high - low + 1);
}

/* The first band that grows no more; fronts->count where there is none. */
static int first_filled(const ht_fronts *f) {
  for (int b = 1; b < f->count; b++) {
    double radius = smooth_radius(f, b);
    int ahead = b + (int)fmax(2, round(0.5 * radius));
    if (ahead >= f->count) return f->count;
    if (smooth_radius(f, ahead) <= grown * radius) return b;
  }
  return f->count;
}

static tube tube_of(const ht_fronts *f, int reach) {
  tube t = {.first = first_filled(f)};
  int ended = f->count < reach;
  if (t.first >= f->count) {
    t.first = t.settled = t.last = f->count - 1;
    t.radius = smooth_radius(f, t.first);
    t.decided = ended;
    return t;
  }
  /* A front that begins in the middle of an end bulges, and is wider at first. */
  t.settled = t.first + (int)round(0.75 * smooth_radius(f, t.first));
  if (t.settled >= f->count) t.settled = f->count - 1;
  t.radius = t.neck = smooth_radius(f, t.settled);
  for (int b = 0; b <= t.settled; b++) t.peak = fmax(t.peak, smooth_radius(f, b));
  double mean = t.radius;
  for (t.last = t.settled; t.last < f->count; t.last++) {
    double r = smooth_radius(f, t.last);
    if (f->pieces[t.last] > 1 || r < narrow * mean || r > wide * mean) break;
    if (r < narrowest * t.radius || r > widest * t.radius) break;
    if (t.last - t.first > fmax(enough * t.radius, enough_voxels)) break;
    mean = 0.9 * mean + 0.1 * r;
    t.peak = fmax(t.peak, r);
    t.neck = fmin(t.neck, r);
  }
  t.decided = t.last < f->count || ended;
  return t;
}

static ht_status follow(ht_geodesic *g, int64_t tip, ht_fronts *fronts, tube *t) {
  for (int reach = FIRST_REACH;; reach *= 2) {
    HT_TRY(ht_fronts_from(g, tip, reach, fronts));
    *t = tube_of(fronts, reach);
    if (t->decided || reach >= LAST_REACH) return HT_OK;
    ht_fronts_free(fronts);
  }
}

/* ---- where it is cut ---- */

/* A rough axis: through the fronts' centroids, pointing out. */
static int rough_axis(const ht_mask *mask, const ht_fronts *f, const tube *t, int64_t tip,
                      ht_axis *axis) {
  int inner = t->settled + (int)round(1.5 * t->radius);
  double from[3], outer[3];
  if (inner >= t->last) inner = t->last - 1;
  ht_grid_position(&mask->grid, f->centre[t->settled], axis->centre_mm);
  memcpy(outer, axis->centre_mm, sizeof outer);
  if (inner <= t->settled + 1) { /* too short: from the tip */
    inner = t->settled;
    ht_grid_voxel_position(&mask->grid, tip, outer);
  }
  ht_grid_position(&mask->grid, f->centre[inner], from);
  for (int r = 0; r < 3; r++) axis->direction[r] = outer[r] - from[r];
  axis->radius_mm = t->radius * mask->grid.spacing_mm[0];
  return ht_normalise(axis->direction);
}

/* The sections from the axis' centre outward. */
typedef struct {
  double cut_mm; /* the outermost full one */
  double end_mm; /* the first that is less than a third as wide; the vessel ends there */
  int ends;      /* 1: there is such a section; 0: end_mm is how far it was looked for */
} profile;

/* One step outward, to a section of this radius; 1: the vessel ends there. */
static int step_out(const ht_axis *axis, double here, double along, double radius, double voxel,
                    int *is_full, profile *out) {
  double growth = fmax(-steepest, fmin(0, axis->growth));
  double expected = fmin(here, axis->radius_mm) + growth * along;
  *is_full &= radius >= full * expected - slack * voxel;
  if (*is_full) out->cut_mm = along;
  if (radius > 0.35 * expected) return 0;
  out->end_mm = along;
  out->ends = 1;
  return 1;
}

/* Walks as far as `limit_mm`; with `to_cut` no farther than the sections are full: then only cut_mm
 * is known. Takes several sections at a time, to use all cores. */
static ht_status walk_out(const ht_mask *mask, const ht_axis *axis, double limit_mm, int to_cut,
                          profile *out) {
  double along[WALK], radius[WALK], here = 0, voxel = mask->grid.spacing_mm[0], next = 0;
  int is_full = 1, ended = 0;
  *out = (profile){0, limit_mm, 0};
  while (next < limit_mm && !ended) {
    int count = 0;
    for (; next < limit_mm && count < WALK; next += voxel / 2) along[count++] = next;
    HT_TRY(ht_axis_sections(mask, axis, along, count, radius, NULL));
    if (along[0] == 0) here = radius[0];
    for (int n = 0; n < count && !ended; n++) {
      ended = step_out(axis, here, along[n], radius[n], voxel, &is_full, out);
      ended |= to_cut && !is_full;
    }
  }
  return HT_OK;
}

static ht_status walk_to_end(const ht_mask *mask, const ht_axis *axis, profile *out) {
  return walk_out(mask, axis, 8 * axis->radius_mm, 0, out);
}

/* Moves the axis along a bend, half a radius at a time, while sections are full. *back_mm: length
 * of the tube inward of the axis' centre. */
static ht_status march_out(const ht_mask *mask, double *back_mm, ht_axis *axis, profile *out) {
  double voxel = mask->grid.spacing_mm[0];
  for (int step = 0; step < MOST_STEPS; step++) {
    ht_axis next = *axis;
    int found;
    double most = 0.5 * axis->radius_mm, inside = margin * axis->radius_mm;
    HT_TRY(walk_out(mask, axis, fmin(most + inside + voxel, 8 * axis->radius_mm), 1, out));
    double move = fmin(out->cut_mm - inside, most);
    if (move < voxel / 2) break;
    HT_TRY(ht_axis_section(mask, axis, move, &next.radius_mm, next.centre_mm));
    for (int r = 0; r < 3; r++) next.direction[r] += move * axis->bend[r];
    ht_normalise(next.direction);
    HT_TRY(ht_axis_fit(mask, *back_mm + move, &next, &found));
    if (!found) break;
    *axis = next;
    *back_mm += move;
  }
  return walk_to_end(mask, axis, out);
}

/* Tells whether a round end is wider than the vessel 2.5 radii inward of it. */
static ht_status is_bulb(const ht_mask *mask, const ht_axis *axis, double behind_mm, int *bulb) {
  double behind, back = fmin(behind_mm, bulb_length * axis->radius_mm);
  HT_TRY(ht_axis_section(mask, axis, -back, &behind, NULL));
  *bulb = axis->radius_mm > bulb_width * behind;
  return HT_OK;
}

static ht_status kind_of(const ht_mask *mask, const tube *t, const profile *p, const ht_axis *axis,
                         double behind_mm, ht_end_kind *kind) {
  double voxel_mm = mask->grid.spacing_mm[0], length = t->last - t->first;
  int flat = p->ends && p->end_mm - p->cut_mm <= 1.5 * voxel_mm + 0.15 * axis->radius_mm, bulb = 0;
  if (!flat) HT_TRY(is_bulb(mask, axis, behind_mm, &bulb));
  bulb |= !flat && t->neck < least_neck * t->peak;
  *kind = 2 * axis->radius_mm < HT_END_LEAST_ACROSS * voxel_mm ? HT_END_THIN : HT_END_OPEN;
  if (bulb ||
      length < (flat ? flat_length * t->radius : tube_length * fmax(t->radius, 0.85 * t->peak)))
    *kind = HT_END_BLIND;
  return HT_OK;
}

/* Tells whether the fitted axis is that of the tip's tube. In a spur on a wide vessel it may run
 * off. */
static int belongs(const ht_mask *mask, const ht_axis *axis, const tube *t, int64_t tip) {
  double voxel = mask->grid.spacing_mm[0], radius = t->radius * voxel, p[3];
  ht_grid_voxel_position(&mask->grid, tip, p);
  for (int r = 0; r < 3; r++) p[r] -= axis->centre_mm[r];
  double most = (t->settled + 2) * voxel + 2 * radius;
  return axis->radius_mm < other_axis * radius + voxel &&
         radius < other_axis * axis->radius_mm + voxel && ht_dot(p, p) < most * most &&
         ht_dot(p, axis->direction) > -2 * voxel;
}

static void describe(const ht_axis *axis, ht_end_kind kind, ht_end *end) {
  memset(end, 0, sizeof *end);
  end->kind = kind;
  memcpy(end->opening.centre_mm, axis->centre_mm, sizeof axis->centre_mm);
  memcpy(end->opening.normal, axis->direction, sizeof axis->direction);
  memcpy(end->opening.direction, axis->direction, sizeof axis->direction);
  end->opening.radius_mm = axis->radius_mm;
  end->opening.area_mm2 = HT_PI * axis->radius_mm * axis->radius_mm;
}

static ht_status examine(const ht_mask *mask, const ht_fronts *f, const tube *t, int64_t tip,
                         ht_end *end) {
  double voxel = mask->grid.spacing_mm[0];
  ht_axis axis;
  profile out;
  ht_end_kind kind;
  int found = 0;
  int usable = rough_axis(mask, f, t, tip, &axis);
  describe(&axis, HT_END_BLIND, end);
  ht_grid_position(&mask->grid, f->centre[t->first], end->opening.centre_mm);
  if (!usable || t->last - t->first < flat_length * t->radius) return HT_OK;
  double behind = voxel * fmax(3, t->last - t->settled);
  HT_TRY(ht_axis_fit(mask, behind, &axis, &found));
  if (!found) return HT_OK;
  HT_TRY(march_out(mask, &behind, &axis, &out));
  HT_TRY(kind_of(mask, t, &out, &axis, behind, &kind));
  HT_TRY(ht_axis_section(mask, &axis, 0, &axis.radius_mm, NULL));
  if (belongs(mask, &axis, t, tip)) describe(&axis, kind, end);
  return HT_OK;
}

/* ---- the list ---- */

static int is_near(const ht_opening *a, const ht_opening *b) {
  return ht_distance(a->centre_mm, b->centre_mm) < fmax(a->radius_mm, b->radius_mm);
}

static int is_known(const ht_openings *known, const ht_ends *ends, const ht_opening *one) {
  for (int i = 0; i < known->count; i++)
    if (is_near(&known->item[i], one)) return 1;
  for (int i = 0; i < ends->count; i++)
    if (is_near(&ends->item[i].opening, one)) return 1;
  return 0;
}

/* Orders the ends: open ones first, widest first. */
static void insert(ht_ends *ends, const ht_end *end) {
  int at;
  if (ends->count == HT_OPENINGS_MAX) return;
  for (at = ends->count++; at > 0; at--) {
    const ht_end *before = &ends->item[at - 1];
    if (before->kind < end->kind ||
        (before->kind == end->kind && before->opening.radius_mm >= end->opening.radius_mm))
      break;
    ends->item[at] = *before;
  }
  ends->item[at] = *end;
}

/* Tells whether a blind end is a bulge that a person would see. */
static int is_worth_telling(const ht_end *end, const ht_summit *summit, double voxel_mm) {
  double radius = end->opening.radius_mm / voxel_mm;
  return end->kind != HT_END_BLIND ||
         (radius >= 2 && summit->prominence >= 0.75 * HT_STEP_FACE * radius);
}

static int is_on_border(const ht_mask *mask, int64_t voxel) {
  int at[3];
  ht_voxel_place(mask->grid.dim, voxel, at);
  for (int a = 0; a < 3; a++)
    if (at[a] == 0 || at[a] == mask->grid.dim[a] - 1) return 1;
  return 0;
}

/* Tells whether the vessel leaves through the border between the tip and the place where the front
 * fills it. It is then an opening there, whose farthest voxel lies next to the border. */
static int leaves_there(const ht_geodesic *g, const tube *t) {
  for (int64_t i = 0; i < g->reached.count; i++) {
    int64_t voxel = g->reached.item[i];
    if (g->distance_of[i] >= HT_STEP_FACE * (t->settled + 1)) break;
    if (is_on_border(g->mask, voxel)) return 1;
  }
  return 0;
}

/* A tip at the plane of an opening inside the mask. */
static int is_at_plane(const ht_mask *mask, const ht_openings *known, int64_t tip) {
  double voxel = mask->grid.spacing_mm[0];
  for (int i = 0; i < known->count; i++) {
    const ht_opening *one = &known->item[i];
    double p[3];
    ht_grid_voxel_position(&mask->grid, tip, p);
    for (int r = 0; r < 3; r++) p[r] -= one->centre_mm[r];
    double out = ht_dot(p, one->normal), across = sqrt(fmax(0, ht_dot(p, p) - out * out));
    if (fabs(out) < 2 * voxel && across < 1.5 * one->radius_mm + voxel) return 1;
  }
  return 0;
}

static ht_status add_end(ht_geodesic *g, const ht_summit *summit, const ht_openings *known,
                         ht_ends *ends) {
  ht_fronts fronts = {0};
  ht_end end;
  tube t = {0};
  if (is_on_border(g->mask, summit->voxel)) return HT_OK;
  if (is_at_plane(g->mask, known, summit->voxel)) return HT_OK;
  ht_status status = follow(g, summit->voxel, &fronts, &t);
  int leaves = status == HT_OK && leaves_there(g, &t);
  if (status == HT_OK) status = examine(g->mask, &fronts, &t, summit->voxel, &end);
  ht_fronts_free(&fronts);
  HT_TRY(status);
  if (!leaves && is_worth_telling(&end, summit, g->mask->grid.spacing_mm[0]) &&
      !is_known(known, ends, &end.opening))
    insert(ends, &end);
  return HT_OK;
}

/* The vessel voxel nearest to an opening; the first one where none is known; -1: no vessel. */
static int64_t root_voxel(const ht_mask *mask, const ht_openings *known) {
  const int64_t voxels = ht_grid_voxels(&mask->grid);
  if (known->count > 0) return ht_mask_nearest(mask, known->item[0].centre_mm, NULL);
  for (int64_t v = 0; v < voxels; v++)
    if (mask->inside[v]) return v;
  return -1;
}

/* Finds the summits. Where no opening is known, the root is an end itself: the place farthest from
 * any. */
static ht_status find_summits(ht_geodesic *g, const ht_openings *known, ht_summit *summits,
                              int *count) {
  int64_t root = root_voxel(g->mask, known);
  *count = 0;
  if (root < 0) return HT_OK;
  HT_TRY(ht_geodesic_from(g, root, -1));
  if (known->count == 0) {
    root = g->reached.item[g->reached.count - 1];
    HT_TRY(ht_geodesic_from(g, root, -1));
  }
  HT_TRY(ht_geodesic_summits(g, LEAST_PROMINENCE, SUMMITS, summits, count));
  if (known->count == 0 && *count > 0)
    summits[(*count)++] = (ht_summit){root, summits[0].prominence};
  return HT_OK;
}

ht_status ht_ends_find(const ht_mask *mask, const ht_openings *known, ht_ends *ends) {
  ht_geodesic g;
  ht_summit summits[SUMMITS + 1];
  int count = 0;
  memset(ends, 0, sizeof *ends);
  ht_status status = ht_geodesic_make(mask, &g);
  if (status == HT_OK) status = find_summits(&g, known, summits, &count);
  for (int i = 0; i < count && status == HT_OK; i++) status = add_end(&g, &summits[i], known, ends);
  ht_geodesic_free(&g);
  if (status != HT_OK) memset(ends, 0, sizeof *ends);
  return status;
}

/* ---- a branch that was cut off ---- */

ht_status ht_end_at_branch(const ht_mask *mask, const double centre_mm[3],
                           const double direction[3], double radius_mm, ht_opening *opening) {
  const double least_turn = 0.8; /* cosine of 37 degrees */
  ht_axis given = {.radius_mm = radius_mm};
  ht_end end;
  int found;
  memcpy(given.centre_mm, centre_mm, sizeof given.centre_mm);
  memcpy(given.direction, direction, sizeof given.direction);
  ht_axis axis = given;
  HT_TRY(ht_axis_fit(mask, 2 * radius_mm, &axis, &found));
  if (found) HT_TRY(ht_axis_section(mask, &axis, 0, &axis.radius_mm, NULL));
  int agrees = found && ht_dot(axis.direction, given.direction) > least_turn &&
               ht_distance(axis.centre_mm, given.centre_mm) < radius_mm &&
               axis.radius_mm < other_axis * radius_mm && radius_mm < other_axis * axis.radius_mm;
  describe(agrees ? &axis : &given, HT_END_OPEN, &end);
  *opening = end.opening;
  return HT_OK;
}

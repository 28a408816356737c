#include "export/sac/sac_find.h"
#include "export/sac/sac_tube.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Height above the tube from which the wall stands out, in radii and in spacings. Less is a vessel
 * that is not round: one half as wide again as high stands out by 0.22. */
static const double out_radii = 0.3, out_spacings = 1.5;

/* Thresholds of a clear sac (sac_find.h). */
static const double least_radii = 0.5, least_spacings = 4, least_wall = 1.3;
static const double stump_aspect = 2, stump_bottleneck = 1.1;
static const double least_neck_spacings = 8, least_parent_spacings = 10;

/* Height of the neck's plane above the tube, in radii: one voxel on the coarsest lattice that
 * counts, as the wall rounds an edge over a voxel. The plane is searched in steps of `neck_step`. A
 * neck lies on the parent where more than `rim_on_tube` of its rim is within `on_tube` radii of the
 * tube. */
static const double neck_above = 0.2, neck_step = 0.05, on_tube = 0.05, rim_on_tube = 0.1;

/* Accuracy of the plane's height, in radii. A waist ends where the area is `waist_growth` times the
 * least. */
static const double neck_within = 1e-3, waist_growth = 1.02;

enum { PIECES = 8 };

/* A piece of the wall that stands out. */
typedef struct {
  int32_t root;
  int64_t points;
  double highest; /* out of the tube, mm */
  double radius;  /* of the tube below its highest point, mm */
  int has_opening;
} piece;

typedef struct {
  ht_sac_vessel in;
  ht_tube_ball *ball; /* the tubes' balls */
  int64_t balls;
  float *out_mm;    /* [points] out of the tubes */
  float *radius_mm; /* [points] of the nearest tube */
  int32_t *parent;  /* [points] forest of the pieces; -1: does not stand out */
} finder;

static void finder_free(finder *f) {
  free(f->ball);
  free(f->out_mm);
  free(f->radius_mm);
  free(f->parent);
}

/* ---- the tubes ---- */

static void stand_out(finder *f, int64_t p) {
  const float *point = f->in.surface->point_mm + 3 * p;
  const double at_mm[3] = {point[0], point[1], point[2]};
  double out_mm;
  int64_t nearest = ht_tube_nearest(f->ball, f->balls, at_mm, &out_mm);
  f->out_mm[p] = (float)out_mm;
  f->radius_mm[p] = (float)f->ball[nearest].radius_mm;
}

static ht_status measure_out(finder *f) {
  size_t points = (size_t)f->in.surface->points;
  HT_TRY(ht_alloc((void **)&f->out_mm, points, sizeof(float), "the vessel's tubes"));
  HT_TRY(ht_alloc((void **)&f->radius_mm, points, sizeof(float), "the vessel's tubes"));
  HT_TRY(ht_alloc((void **)&f->parent, points, sizeof(int32_t), "the vessel's tubes"));
#pragma omp parallel for schedule(static)
  for (int64_t p = 0; p < f->in.surface->points; p++) {
    stand_out(f, p);
    double bound = fmax(out_radii * f->radius_mm[p], out_spacings * f->in.spacing_mm);
    f->parent[p] = f->out_mm[p] > bound ? (int32_t)p : -1;
  }
  return HT_OK;
}

/* ---- the pieces ---- */

static int32_t root_of(finder *f, int32_t p) {
  while (f->parent[p] != p) p = f->parent[p] = f->parent[f->parent[p]];
  return p;
}

static void edge_points(const finder *f, int64_t edge, int32_t point[2]) {
  const int32_t *corner = f->in.surface->triangle + edge / 3 * 3;
  point[0] = corner[edge % 3], point[1] = corner[(edge + 1) % 3];
}

static void join_pieces(finder *f) {
  for (int64_t e = 0; e < f->in.links->edges; e++) {
    int32_t p[2];
    edge_points(f, e, p);
    if (f->parent[p[0]] < 0 || f->parent[p[1]] < 0) continue;
    int32_t a = root_of(f, p[0]), b = root_of(f, p[1]);
    f->parent[a > b ? a : b] = a > b ? b : a;
  }
}

static void count_point(const finder *f, int64_t p, piece *to) {
  to->points++;
  if (f->out_mm[p] <= to->highest) return;
  to->highest = f->out_mm[p];
  to->radius = f->radius_mm[p];
}

/* Fills by_root, [points], with the pieces at their roots. */
static void count_pieces(finder *f, piece *by_root) {
  for (int32_t p = 0; p < f->in.surface->points; p++) {
    if (f->parent[p] < 0) continue;
    int32_t root = root_of(f, p);
    by_root[root].root = root;
    count_point(f, p, &by_root[root]);
  }
  for (int64_t e = 0; e < f->in.links->edges; e++) {
    int32_t p[2];
    edge_points(f, e, p);
    for (int i = 0; i < 2 && f->in.links->mate[e] < 0; i++)
      if (f->parent[p[i]] >= 0) by_root[root_of(f, p[i])].has_opening = 1;
  }
}

/* The largest pieces without an opening that are high enough, largest first; returns how many. */
static int choose_pieces(const finder *f, const piece *by_root, piece chosen[PIECES]) {
  int count = 0;
  for (int64_t p = 0; p < f->in.surface->points; p++) {
    const piece *one = &by_root[p];
    double least = fmax(least_radii * one->radius, least_spacings * f->in.spacing_mm);
    if (one->points == 0 || one->has_opening || one->highest < least) continue;
    if (count == PIECES && chosen[PIECES - 1].points >= one->points) continue;
    int at = count < PIECES ? count++ : PIECES - 1;
    for (; at > 0 && chosen[at - 1].points < one->points; at--) chosen[at] = chosen[at - 1];
    chosen[at] = *one;
  }
  return count;
}

static ht_status find_pieces(finder *f, piece chosen[PIECES], int *count) {
  piece *by_root;
  join_pieces(f);
  HT_TRY(ht_alloc((void **)&by_root, (size_t)f->in.surface->points, sizeof *by_root, "the sac"));
  count_pieces(f, by_root);
  memset(chosen, 0, PIECES * sizeof *chosen);
  *count = choose_pieces(f, by_root, chosen);
  free(by_root);
  return HT_OK;
}

/* ---- the neck ---- */

static void add_area(const finder *f, int64_t t, double sum[3]) {
  double d[3], e[3], area[3];
  const int32_t *corner = f->in.surface->triangle + 3 * t;
  const float *p[3];
  for (int i = 0; i < 3; i++) p[i] = f->in.surface->point_mm + 3 * (int64_t)corner[i];
  for (int r = 0; r < 3; r++) d[r] = p[1][r] - p[0][r], e[r] = p[2][r] - p[0][r];
  ht_cross(d, e, area);
  for (int r = 0; r < 3; r++) sum[r] += area[r];
}

/* The vector area of a piece and the middle of its edge. */
static ht_neck_plane first_plane(finder *f, int32_t root) {
  ht_neck_plane plane = {{0}, {0}};
  double count = 0;
  for (int64_t t = 0; t < f->in.surface->triangles; t++) {
    int in = 0;
    const int32_t *corner = f->in.surface->triangle + 3 * t;
    for (int i = 0; i < 3; i++) in += f->parent[corner[i]] >= 0 && root_of(f, corner[i]) == root;
    if (in == 3) add_area(f, t, plane.normal);
    if (in == 0 || in == 3) continue;
    count++;
    for (int n = 0; n < 9; n++)
      plane.origin_mm[n % 3] += f->in.surface->point_mm[3 * (int64_t)corner[n / 3] + n % 3] / 3.0;
  }
  for (int r = 0; r < 3 && count > 0; r++) plane.origin_mm[r] /= count;
  ht_normalise(plane.normal);
  return plane;
}

static ht_neck_plane moved(const ht_neck_plane *plane, double by_mm) {
  ht_neck_plane to = *plane;
  for (int r = 0; r < 3; r++) to.origin_mm[r] += by_mm * plane->normal[r];
  return to;
}

static int lies_on_tube(const finder *f, const ht_sac_mesh *sac) {
  int64_t on = 0, first = sac->points - sac->rim;
  for (int64_t k = first; k < sac->points; k++)
    on += ht_sac_value(sac, f->out_mm, k) < on_tube * ht_sac_value(sac, f->radius_mm, k);
  return (double)on > rim_on_tube * (double)sac->rim;
}

/* Cuts at a plane. *held = 0, and no sac, where the plane does not cut one off or lies on the
 * parent. The normal may not turn round. */
static ht_status try_plane(const finder *f, const ht_neck_plane *plane, ht_sac_mesh *sac,
                           int *held) {
  ht_status status = ht_sac_cut(f->in.surface, f->in.links, plane, sac);
  *held = status == HT_OK && ht_dot(sac->neck.normal, plane->normal) > 0 && !lies_on_tube(f, sac);
  if (!*held) ht_sac_mesh_free(sac);
  return status == HT_ERR_CASE ? HT_OK : status;
}

/* The height of the plane above the top of the tube: the mean along the rim, with the ball nearest
 * to each of its points. A plane that leans along the tube has about the same mean. */
static double clearance_of(const finder *f, const ht_sac_mesh *sac) {
  double sum = 0, whole_mm = 0, out_mm;
  int64_t first = sac->points - sac->rim;
  for (int64_t k = 0; k < sac->rim; k++) {
    const double *a = sac->point_mm + 3 * (first + k);
    const double *b = sac->point_mm + 3 * (first + (k + 1) % sac->rim);
    const ht_tube_ball *near = &f->ball[ht_tube_nearest(f->ball, f->balls, a, &out_mm)];
    double from[3], length_mm = ht_distance(a, b);
    for (int r = 0; r < 3; r++) from[r] = sac->neck.origin_mm[r] - near->centre_mm[r];
    sum += length_mm * (ht_dot(from, sac->neck.normal) - near->radius_mm);
    whole_mm += length_mm;
  }
  return whole_mm > 0 ? sum / whole_mm : 0;
}

typedef struct {
  int held;
  ht_neck_plane plane;
  double clear_mm, area_mm2;
} trial;

static ht_status try_at(const finder *f, const ht_neck_plane *from, double by_mm, trial *at) {
  ht_sac_mesh sac;
  at->plane = moved(from, by_mm);
  HT_TRY(try_plane(f, &at->plane, &sac, &at->held));
  if (!at->held) return HT_OK;
  at->plane = sac.neck;
  at->area_mm2 = sac.neck_area_mm2;
  at->clear_mm = clearance_of(f, &sac);
  ht_sac_mesh_free(&sac);
  return HT_OK;
}

/* Moves a plane up to the first one that cuts a sac off. */
static ht_status first_that_holds(const finder *f, double step_mm, double reach_mm, trial *at) {
  double up = 0;
  for (double gone = 0; gone <= reach_mm; gone += step_mm, up = step_mm) {
    HT_TRY(try_at(f, &at->plane, up, at));
    if (at->held) return HT_OK;
  }
  return HT_OK;
}

/* Moves a plane that holds to `wanted_mm` above the tube; where that does not hold, to the nearest
 * height that does. */
static ht_status settle(const finder *f, double wanted_mm, double within_mm, trial *at) {
  double step_mm = wanted_mm - at->clear_mm;
  int is_blocked = 0;
  for (int i = 0; i < 20 && fabs(step_mm) > within_mm; i++) {
    trial next;
    HT_TRY(try_at(f, &at->plane, step_mm, &next));
    is_blocked |= !next.held;
    if (next.held) *at = next;
    step_mm = is_blocked ? step_mm / 2 : wanted_mm - at->clear_mm;
  }
  return HT_OK;
}

/* Moves the lowest plane up to the middle of the first waist: the mean of the heights at which the
 * area is within 2 % of the least, weighted by how far it is below that. Without a waist the plane
 * stays. */
static ht_status find_waist(const finder *f, double step_mm, double reach_mm,
                            ht_neck_plane *plane) {
  enum { STEPS = 64 };
  double area_mm2[STEPS], least_mm2 = INFINITY, sum = 0, weight = 0;
  trial at = {.plane = *plane};
  int steps = 0;
  for (; steps < STEPS && steps * step_mm <= reach_mm; steps++) {
    HT_TRY(try_at(f, &at.plane, steps > 0 ? step_mm : 0, &at));
    if (!at.held) return HT_OK;
    area_mm2[steps] = at.area_mm2;
    least_mm2 = fmin(least_mm2, at.area_mm2);
    if (at.area_mm2 > waist_growth * least_mm2) break;
  }
  if (!(at.area_mm2 > waist_growth * least_mm2)) return HT_OK;
  for (int i = 0; i < steps; i++) {
    double below = fmax(0, waist_growth * least_mm2 - area_mm2[i]);
    sum += below * i * step_mm;
    weight += below;
  }
  *plane = moved(plane, sum / weight);
  return HT_OK;
}

static ht_status find_neck(finder *f, const piece *one, ht_neck_plane *plane, int *held) {
  double step_mm = neck_step * one->radius, depth_mm = one->highest;
  trial at = {.plane = first_plane(f, one->root)};
  HT_TRY(first_that_holds(f, step_mm, 0.5 * depth_mm, &at));
  *held = at.held;
  *plane = at.plane;
  if (!*held) return HT_OK;
  HT_TRY(settle(f, neck_above * one->radius, neck_within * one->radius, &at));
  *plane = at.plane;
  return find_waist(f, step_mm, 0.6 * depth_mm, plane);
}

/* ---- is it clear? ---- */

static int is_clear(const finder *f, const piece *one, const ht_sac_shape *s) {
  double least_mm = fmax(least_radii * one->radius, least_spacings * f->in.spacing_mm);
  int is_stump = s->aspect_ratio > stump_aspect && s->bottleneck_factor < stump_bottleneck;
  return s->height_mm >= least_mm && s->area_mm2 >= least_wall * s->neck_area_mm2 && !is_stump;
}

/* Tells whether the lattice resolves the sac: steps of voxels on a coarse wall look like one. */
static int is_resolved(const finder *f, const piece *one, const ht_sac_shape *s) {
  return s->neck_width_mm >= least_neck_spacings * f->in.spacing_mm &&
         2 * one->radius >= least_parent_spacings * f->in.spacing_mm;
}

/* Tells whether the sac holds the end of a branch that was closed as wall. */
static int holds_closed_end(const finder *f, const ht_sac_mesh *sac) {
  for (int o = 0; f->in.openings && o < f->in.openings->count; o++) {
    const ht_opening *end = &f->in.openings->item[o];
    double near_mm = end->radius_mm + f->in.spacing_mm;
    if (end->role != HT_ROLE_WALL) continue;
    for (int64_t p = 0; p < sac->points - sac->rim; p++)
      if (ht_distance(sac->point_mm + 3 * p, end->centre_mm) < near_mm) return 1;
  }
  return 0;
}

static void say_coarse(const finder *f, const piece *one, const ht_sac_shape *s,
                       ht_sac_search *search) {
  const double neck = s->neck_width_mm / f->in.spacing_mm;
  const double parent = 2 * one->radius / f->in.spacing_mm;
  const double times = fmax(least_neck_spacings / neck, least_parent_spacings / parent);
  snprintf(search->why, sizeof search->why,
           "a bulge of %.*f mm3 has %.1f lattice nodes across its neck and %.1f across its vessel: "
           "a sac needs %.0f and %.0f; set %.2f times the --nodes-across",
           s->volume_mm3 < 10 ? 1 : 0, s->volume_mm3, neck, parent, least_neck_spacings,
           least_parent_spacings, ceil(100 * times) / 100);
}

static ht_status try_piece(finder *f, const piece *one, ht_sac_mesh *sac, ht_sac_search *search) {
  ht_neck_plane plane;
  ht_sac_shape shape;
  int *found = &search->found;
  HT_TRY(find_neck(f, one, &plane, found));
  if (!*found) return HT_OK;
  HT_TRY(try_plane(f, &plane, sac, found));
  if (!*found) return HT_OK;
  ht_status status = ht_sac_measure(sac, &shape);
  *found = status == HT_OK && is_clear(f, one, &shape) && !holds_closed_end(f, sac);
  if (*found && !is_resolved(f, one, &shape)) {
    if (!search->why[0]) say_coarse(f, one, &shape, search); /* of the largest only */
    *found = 0;
  }
  if (!*found) ht_sac_mesh_free(sac);
  return status == HT_ERR_CASE ? HT_OK : status;
}

static ht_status search_pieces(finder *f, ht_sac_mesh *sac, ht_sac_search *search) {
  piece chosen[PIECES];
  int count = 0;
  HT_TRY(find_pieces(f, chosen, &count));
  for (int i = 0; i < count && !search->found; i++) HT_TRY(try_piece(f, &chosen[i], sac, search));
  search->others = search->found ? count - 1 : count;
  if (search->found) search->why[0] = 0;
  if (search->found || search->why[0]) return HT_OK;
  snprintf(search->why, sizeof search->why, "%s",
           count == 0 ? "nothing stands out of the vessel along its centrelines by half its radius"
                      : "what stands out of the vessel has no neck, or is a branch or its stump");
  return HT_OK;
}

ht_status ht_sac_find(const ht_sac_vessel *vessel, ht_sac_mesh *sac, ht_sac_search *search) {
  finder f = {.in = *vessel};
  memset(sac, 0, sizeof *sac);
  *search = (ht_sac_search){.why = "the vessel has no centreline from an inlet to an outlet"};
  ht_status status = ht_tube_balls(vessel, &f.ball, &f.balls);
  if (status == HT_OK && f.balls > 0) {
    search->why[0] = 0;
    status = measure_out(&f);
    if (status == HT_OK) status = search_pieces(&f, sac, search);
  }
  finder_free(&f);
  return status;
}

#include "app/measure/section_place.h"
#include "core/numbers/vector3.h"
#include <stdio.h>
#include <string.h>

/* Distance from the vessel at which a point still means it, mm. */
static const double slack_mm = 5;

enum { ROUNDS = 24 };
static const double turned_enough = 1e-10; /* 1 - cos of the angle between two rounds */

/* Cosine of the angle by which a plane may turn away from the first guess: in a sac or a junction
 * the wall is no tube, and its normals may lead anywhere. */
static const double least_same = 0.9; /* 26 degrees */

/* ---- the middle of the vessel at a point ---- */

static int64_t nearest_point(const ht_surface *wall, const double place_mm[3]) {
  int64_t nearest = -1;
  double least2 = INFINITY;
  for (int64_t p = 0; p < wall->points; p++) {
    double away2 = 0;
    for (int r = 0; r < 3; r++) {
      const double off = wall->point_mm[3 * p + r] - place_mm[r];
      away2 += off * off;
    }
    if (away2 < least2) least2 = away2, nearest = p;
  }
  return nearest;
}

/* Distance at which a ray meets a triangle beyond `after_mm`; INFINITY: it does not (Moeller &
 * Trumbore, J. Graph. Tools 2 (1997) 21). */
static double meet(const ht_surface *wall, int64_t t, const double from[3], const double ray[3],
                   double after_mm) {
  const float *p[3];
  double side[2][3], off[3], h[3], q[3];
  for (int k = 0; k < 3; k++) p[k] = wall->point_mm + 3 * (int64_t)wall->triangle[3 * t + k];
  for (int r = 0; r < 3; r++) {
    side[0][r] = (double)p[1][r] - p[0][r];
    side[1][r] = (double)p[2][r] - p[0][r];
    off[r] = from[r] - p[0][r];
  }
  ht_cross(ray, side[1], h);
  const double a = ht_dot(side[0], h);
  if (a == 0) return INFINITY;
  const double u = ht_dot(off, h) / a;
  ht_cross(off, side[0], q);
  const double v = ht_dot(ray, q) / a;
  if (u < 0 || v < 0 || u + v > 1) return INFINITY;
  const double far_mm = ht_dot(side[1], q) / a;
  return far_mm > after_mm ? far_mm : INFINITY;
}

/* Moves a place to the middle between the wall nearest to it and the wall opposite. Returns half of
 * their distance; 0: nothing is opposite, and the place stays. */
static double centre(const ht_results *of, double place_mm[3]) {
  double half_mm = 0;
  for (int round = 0; round < 3; round++) {
    const int64_t near = nearest_point(&of->wall, place_mm);
    double from[3], ray[3], far_mm = INFINITY;
    if (near < 0) return 0;
    for (int r = 0; r < 3; r++) {
      from[r] = of->wall.point_mm[3 * near + r];
      ray[r] = -of->wall.normal[3 * near + r];
    }
    for (int64_t t = 0; t < of->wall.triangles; t++)
      far_mm = fmin(far_mm, meet(&of->wall, t, from, ray, of->flow.grid.spacing_mm[0] / 2));
    if (!isfinite(far_mm)) return half_mm;
    half_mm = far_mm / 2;
    for (int r = 0; r < 3; r++) place_mm[r] = from[r] + half_mm * ray[r];
  }
  return half_mm;
}

static int is_outside(const ht_results *of, const double place_mm[3]) {
  const int64_t near = nearest_point(&of->wall, place_mm);
  double out = 0;
  for (int r = 0; r < 3 && near >= 0; r++)
    out += (place_mm[r] - of->wall.point_mm[3 * near + r]) * of->wall.normal[3 * near + r];
  return out > 0;
}

/* The mean velocity of the nodes within `reach_mm`; returns 0 where nothing flows. */
static int stream(const ht_results *of, const double place_mm[3], double reach_mm,
                  double direction[3]) {
  const ht_grid *grid = &of->flow.grid;
  const int reach = (int)ceil(reach_mm / grid->spacing_mm[0]);
  int middle[3], at[3];
  direction[0] = direction[1] = direction[2] = 0;
  ht_grid_nearest(grid, place_mm, middle);
  for (at[2] = middle[2] - reach; at[2] <= middle[2] + reach; at[2]++)
    for (at[1] = middle[1] - reach; at[1] <= middle[1] + reach; at[1]++)
      for (at[0] = middle[0] - reach; at[0] <= middle[0] + reach; at[0]++) {
        double here_mm[3];
        const int64_t node = ht_flow_node_at(&of->flow, at);
        if (node < 0) continue;
        ht_grid_voxel_position(grid, ht_voxel_index(grid->dim, at), here_mm);
        if (ht_distance(here_mm, place_mm) > reach_mm) continue;
        for (int r = 0; r < 3; r++) direction[r] += of->flow.velocity_m_s[3 * node + r];
      }
  return ht_normalise(direction);
}

/* The place at a position along the centreline; beyond its ends the last one. */
static void station_place(const ht_results *of, double along_mm, double place_mm[3]) {
  int next = 1;
  while (next < of->stations - 1 && of->station[next].along_mm < along_mm) next++;
  const ht_station *a = &of->station[next - 1], *b = &of->station[next];
  const double length_mm = b->along_mm - a->along_mm;
  const double part = length_mm > 0 ? fmin(1, fmax(0, (along_mm - a->along_mm) / length_mm)) : 0;
  for (int r = 0; r < 3; r++)
    place_mm[r] = a->centre_mm[r] + part * (b->centre_mm[r] - a->centre_mm[r]);
}

/* Finds the direction of the centreline, over the vessel's width, where a place is next to it;
 * returns 0 where it is not. */
static int path_direction(const ht_results *of, const double place_mm[3], double reach_mm,
                          double direction[3]) {
  double away_mm, from[3], to[3];
  int next;
  const double along_mm = ht_station_position(of, place_mm, &away_mm, &next);
  if (!isfinite(along_mm) || away_mm > reach_mm) return 0;
  station_place(of, along_mm - reach_mm, from);
  station_place(of, along_mm + reach_mm, to);
  for (int r = 0; r < 3; r++) direction[r] = to[r] - from[r];
  return ht_normalise(direction);
}

/* ---- the section ---- */

static ht_status cut_at(const ht_results *of, const double point_mm[3], const double normal[3],
                        ht_placed_section *to) {
  ht_plane_cut_free(&to->cut);
  HT_TRY(ht_plane_cut_make(&of->wall, point_mm, normal, &to->cut));
  ht_plane_section_find(&to->cut, &to->section);
  memcpy(to->axis, to->cut.normal, sizeof to->axis);
  if (to->section.contour >= 0)
    (void)ht_plane_section_axis(&to->cut, &to->section, &of->wall, to->axis);
  return HT_OK;
}

/* Turns the plane until it is across the vessel; it stays where it would turn far. */
static ht_status turn_across(const ht_results *of, const double point_mm[3], double normal[3],
                             ht_placed_section *to) {
  const double guess[3] = {normal[0], normal[1], normal[2]};
  for (int round = 0; round < ROUNDS; round++) {
    HT_TRY(cut_at(of, point_mm, normal, to));
    if (to->section.contour < 0) return HT_OK;
    const double turned = 1 - fabs(ht_dot(to->axis, to->cut.normal));
    memcpy(normal, to->axis, sizeof(double[3]));
    if (fabs(ht_dot(normal, guess)) < least_same) {
      memcpy(normal, guess, sizeof guess);
      return cut_at(of, point_mm, guess, to);
    }
    if (turned < turned_enough) return HT_OK;
  }
  return HT_OK;
}

static int is_open(const ht_placed_section *placed) {
  return placed->section.contour >= 0 && placed->cut.contour[placed->section.contour].is_open;
}

/* Refuses a section that is open: the plane leaves the vessel. */
static ht_status refuse_open(const ht_results *of, const ht_placed_section *placed) {
  const ht_contour *open = &placed->cut.contour[placed->section.contour];
  double end_mm[3], distance_mm = 0;
  ht_plane_place(&placed->cut, placed->cut.point[open->first].at, end_mm);
  const int opening = ht_placed_nearest(&of->placed.openings, end_mm, &distance_mm);
  const char *name = opening >= 0 ? of->placed.openings.item[opening].name : "";
  return ht_fail(
      HT_ERR_USAGE,
      "the plane leaves the vessel through its opening%s%s%s, so its section is not "
      "whole (where a branch begins, it may lie along the plane): move the plane further "
      "into the vessel, or turn it",
      *name ? " '" : "", name, *name ? "'" : "");
}

/* Refuses a point in the extension beyond an opening; HT_OK: it lies in none. */
static ht_status check_beyond(const ht_results *of, const double given_mm[3]) {
  double distance_mm, beyond_mm = 0;
  const int nearest = ht_placed_nearest(&of->placed.openings, given_mm, &distance_mm);
  if (nearest < 0) return HT_OK;
  const ht_opening *opening = &of->placed.openings.item[nearest];
  for (int r = 0; r < 3; r++)
    beyond_mm += (given_mm[r] - opening->centre_mm[r]) * opening->normal[r];
  if (beyond_mm < 0 || ht_opening_side_mm(opening, given_mm) > opening->radius_mm) return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "(%g, %g, %g) mm lies %.3g mm beyond the opening '%s', where the vessel of this "
                 "case ends: move the point further back than that",
                 given_mm[0], given_mm[1], given_mm[2], beyond_mm, opening->name);
}

static ht_status refuse_empty(const ht_results *of, const double given_mm[3]) {
  char away[80] = "";
  const int64_t near = nearest_point(&of->wall, given_mm);
  const float *at = of->wall.point_mm + 3 * near;
  HT_TRY(check_beyond(of, given_mm));
  if (near >= 0)
    snprintf(away, sizeof away, ": its nearest wall is %.3g mm away, at %.4g,%.4g,%.4g",
             ht_distance((const double[3]){at[0], at[1], at[2]}, given_mm), at[0], at[1], at[2]);
  return ht_fail(HT_ERR_USAGE,
                 "the plane at (%g, %g, %g) mm cuts no vessel within %g mm of this point%s. "
                 "Positions are LPS, mm (3D Slicer shows RAS: change the sign of the first two)",
                 given_mm[0], given_mm[1], given_mm[2], slack_mm, away);
}

static ht_status check_section(const ht_results *of, const double given_mm[3],
                               const ht_placed_section *to) {
  if (to->section.contour < 0 || to->section.away_mm > slack_mm) return refuse_empty(of, given_mm);
  return is_open(to) ? refuse_open(of, to) : HT_OK;
}

/* Makes an open section parallel to the opening next to it, which may be oblique. */
static ht_status close_at_opening(const ht_results *of, const double point_mm[3],
                                  ht_placed_section *to) {
  double distance_mm;
  const int nearest = ht_placed_nearest(&of->placed.openings, point_mm, &distance_mm);
  if (!is_open(to) || nearest < 0) return HT_OK;
  const ht_opening *opening = &of->placed.openings.item[nearest];
  if (distance_mm > 2 * opening->radius_mm) return HT_OK;
  HT_TRY(cut_at(of, point_mm, opening->normal, to));
  snprintf(to->remark, sizeof to->remark, "next to the opening '%s' the section is parallel to it",
           opening->name);
  return HT_OK;
}

/* Places a section across the vessel at a point. */
static ht_status place_across(const ht_results *of, const double given_mm[3],
                              ht_placed_section *to) {
  double middle_mm[3], normal[3];
  const int outside = is_outside(of, given_mm);
  const int64_t near = nearest_point(&of->wall, given_mm);
  memcpy(middle_mm, given_mm, sizeof middle_mm);
  if (near >= 0 && outside) {
    const float *at = of->wall.point_mm + 3 * near;
    const double away_mm = ht_distance((const double[3]){at[0], at[1], at[2]}, given_mm);
    if (away_mm > slack_mm) return check_section(of, given_mm, to);
    snprintf(to->remark, sizeof to->remark,
             "the point is %.2g mm outside the vessel; the section is that next to it", away_mm);
  }
  const double half_mm = centre(of, middle_mm);
  const double reach_mm = fmax(half_mm, 1.5 * of->flow.grid.spacing_mm[0]);
  if (path_direction(of, middle_mm, reach_mm, normal)) {
    HT_TRY(cut_at(of, outside ? middle_mm : given_mm, normal, to));
  } else {
    if (!stream(of, middle_mm, reach_mm, normal)) normal[0] = normal[1] = 0, normal[2] = 1;
    HT_TRY(turn_across(of, middle_mm, normal, to));
    if (!outside) HT_TRY(turn_across(of, given_mm, normal, to));
  }
  HT_TRY(close_at_opening(of, outside ? middle_mm : given_mm, to));
  return check_section(of, given_mm, to);
}

/* Says where a plane cuts far more than the section across the vessel at its point. */
static ht_status tell_along(const ht_results *of, const double point_mm[3], ht_placed_section *to) {
  const double most = 1.5; /* a plane at 45 degrees has 1.4 times the area */
  ht_placed_section across = {.section = {.contour = -1}};
  const size_t told = strlen(to->remark);
  ht_status status = place_across(of, point_mm, &across);
  const double across_mm2 = across.section.area_mm2;
  if (status == HT_OK && to->section.area_mm2 > most * across_mm2)
    snprintf(
        to->remark + told, sizeof to->remark - told,
        "%sacross the vessel at this point the section has %.4g mm2: this plane runs along the "
        "vessel, or through a junction or a sac",
        told ? "; " : "", across_mm2);
  ht_placed_section_free(&across);
  return status == HT_ERR_MEMORY ? status : HT_OK;
}

static ht_status place_plane(const ht_results *of, const ht_measure_place *place,
                             ht_placed_section *to) {
  if (!place->has_normal) return place_across(of, place->point_mm, to);
  HT_TRY(cut_at(of, place->point_mm, place->normal, to));
  HT_TRY(check_section(of, place->point_mm, to));
  if (to->section.away_mm > 0)
    snprintf(to->remark, sizeof to->remark,
             "the point is %.2g mm outside the vessel; the section is the nearest in its plane",
             to->section.away_mm);
  return tell_along(of, place->point_mm, to);
}

/* ---- the centreline ---- */

static ht_status place_station(const ht_results *of, double along_mm, ht_placed_section *to) {
  const int last = of->stations - 1;
  double at_mm[3];
  if (last < 1)
    return ht_fail(HT_ERR_NOT_FOUND,
                   "%s has no centreline (centreline.csv): give a point with --plane", of->folder);
  if (along_mm < of->station[0].along_mm || along_mm > of->station[last].along_mm)
    return ht_fail(HT_ERR_USAGE, "--station %g: the centreline goes from %g to %g mm", along_mm,
                   of->station[0].along_mm, of->station[last].along_mm);
  station_place(of, along_mm, at_mm);
  return place_across(of, at_mm, to);
}

double ht_station_position(const ht_results *results, const double place_mm[3], double *away_mm,
                           int *next) {
  double along_mm = NAN;
  *away_mm = INFINITY;
  *next = 0;
  for (int i = 1; i < results->stations; i++) {
    const ht_station *a = &results->station[i - 1], *b = &results->station[i];
    double way[3], off[3], at_mm[3];
    for (int r = 0; r < 3; r++) {
      way[r] = b->centre_mm[r] - a->centre_mm[r];
      off[r] = place_mm[r] - a->centre_mm[r];
    }
    const double part = fmin(1, fmax(0, ht_dot(off, way) / fmax(ht_dot(way, way), 1e-12)));
    for (int r = 0; r < 3; r++) at_mm[r] = a->centre_mm[r] + part * way[r];
    const double away = ht_distance(at_mm, place_mm);
    if (away >= *away_mm) continue;
    *away_mm = away;
    *next = i;
    along_mm = a->along_mm + part * (b->along_mm - a->along_mm);
  }
  return along_mm;
}

/* ---- all ---- */

ht_status ht_section_place(const ht_results *results, const ht_measure_place *place,
                           ht_placed_section *placed) {
  *placed = (ht_placed_section){.section = {.contour = -1}};
  ht_status status = place->kind == HT_AT_STATION ? place_station(results, place->along_mm, placed)
                                                  : place_plane(results, place, placed);
  if (status != HT_OK) ht_placed_section_free(placed);
  return status;
}

ht_status ht_section_place_beside(const ht_results *results, const ht_placed_section *placed,
                                  double along_mm, ht_placed_section *beside) {
  double at_mm[3];
  memset(beside, 0, sizeof *beside);
  ht_plane_place(&placed->cut, placed->section.centroid, at_mm);
  for (int r = 0; r < 3; r++) at_mm[r] += along_mm * placed->axis[r];
  ht_status status = cut_at(results, at_mm, placed->cut.normal, beside);
  if (status == HT_OK) status = check_section(results, at_mm, beside);
  if (status != HT_OK) ht_placed_section_free(beside);
  return status;
}

void ht_placed_section_free(ht_placed_section *placed) {
  if (!placed) return;
  ht_plane_cut_free(&placed->cut);
  memset(placed, 0, sizeof *placed);
}

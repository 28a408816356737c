#include "segment/openings/main_path.h"
#include "segment/openings/axis_way.h"
#include "core/work/jobs.h"
#include "segment/shape/section.h"
#include "segment/openings/slab.h"
#include "segment/openings/steady_radius.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

enum { STATIONS_MOST = 500, WINDOW_MOST = 64 };

/* Radii of an opening within which sections are parallel to its plane. */
static const double parallel_radii = 1.25;

/* Half-width of a branch's mouth: radii of the branch, plus a voxel. */
static const double mouth_radii = 1.3;

/* A section has a part of a sac or of another vessel where its area exceeds those of the vessel
 * around it (steady_radius.h) by this factor and its centroid lies this number of radii off the
 * axis. The two go together: a fifth more area that lies a radius off the axis moves the centroid
 * by 0.17. Figures: docs/notes/vessel/centreline.md. A vessel that is wider all around is still a
 * vessel. */
static const double wide_area = 1.2, aside_radii = 0.15;

/* A point of the centreline on its way to a station. */
typedef struct {
  double centre[3], direction[3]; /* LPS: mm, unit, along the vessel */
  double normal[3];               /* LPS, unit; of the section's plane */
  double centroid[3];             /* of the section, LPS mm */
  double radius_mm;               /* about that of the vessel */
  double area_mm2;
  int is_wide;      /* the section is larger than those of the vessel around it */
  int is_mixed;     /* and lies to one side */
  double to_across; /* of the plane's area to that across the vessel */
  int64_t voxels, *voxel;
  ht_slab slab;
} point;

/* First front, off the way, of a vessel to another opening. */
typedef struct {
  double centre_mm[3], radius_mm;
} branch;

typedef struct {
  const ht_mask *mask;
  const ht_opening *end[2]; /* inlet, outlet */
  point *item;
  int count, room;
  branch branch[HT_OPENINGS_MAX];
  int branches;
} line;

static void point_free(point *at) {
  free(at->voxel);
  ht_slab_free(&at->slab);
}

static void line_free(line *l) {
  for (int i = 0; i < l->count; i++) point_free(&l->item[i]);
  free(l->item);
}

static double spacing(const line *l) {
  return l->mask->grid.spacing_mm[0];
}

/* ---- the centreline ---- */

static const ht_opening *widest_outlet(const ht_openings *openings) {
  const ht_opening *widest = NULL;
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (one->role != HT_ROLE_OUTLET) continue;
    if (!widest || one->radius_mm > widest->radius_mm) widest = one;
  }
  return widest;
}

static ht_status add(line *l, const double centre_mm[3], double radius_mm) {
  if (l->count == l->room) {
    int room = 2 * l->room + 256;
    point *larger = realloc(l->item, (size_t)room * sizeof *larger);
    if (!larger) return ht_fail(HT_ERR_MEMORY, "not enough memory for the centreline");
    l->item = larger;
    l->room = room;
  }
  point *to = &l->item[l->count++];
  *to = (point){.radius_mm = radius_mm, .to_across = 1};
  memcpy(to->centre, centre_mm, sizeof to->centre);
  return HT_OK;
}

/* Adds points every two voxels from the last one on, up to and including `to_mm`. */
static ht_status add_straight(line *l, const double to_mm[3], double radius_mm) {
  double from[3], at[3];
  memcpy(from, l->item[l->count - 1].centre, sizeof from);
  int steps = (int)fmax(1, round(ht_distance(from, to_mm) / (2 * spacing(l))));
  for (int k = 1; k <= steps; k++) {
    for (int r = 0; r < 3; r++) at[r] = from[r] + (to_mm[r] - from[r]) * k / steps;
    HT_TRY(add(l, at, radius_mm));
  }
  return HT_OK;
}

/* A voxel inside the vessel. */
static void end_point(const line *l, int end, double at[3]) {
  for (int r = 0; r < 3; r++)
    at[r] = l->end[end]->centre_mm[r] - spacing(l) * l->end[end]->normal[r];
}

/* The fronts from the outlet back to the inlet, in `way`; returns their number. */
static int walk_back(const ht_front_tree *tree, const ht_opening *outlet, int *way) {
  int count = 0;
  for (int at = ht_front_at(tree, outlet->centre_mm); at >= 0; at = tree->item[at].before)
    way[count++] = at;
  return count;
}

/* Draws straight lines near an opening: a front is not whole there, and the opening's plane looks
 * like wall. */
static ht_status add_way(line *l, const ht_axis_way *way) {
  double at[3];
  int first = 1;
  end_point(l, 0, at);
  HT_TRY(add(l, at, l->end[0]->radius_mm));
  for (int k = 0; k < way->count; k++) {
    const double *here = way->at_mm[k];
    double radius_mm = way->radius_mm[k];
    if (!ht_front_whole_at(l->mask, here, l->end[0]) ||
        !ht_front_whole_at(l->mask, here, l->end[1]))
      continue;
    HT_TRY(first ? add_straight(l, here, radius_mm) : add(l, here, radius_mm));
    first = 0;
  }
  end_point(l, 1, at);
  return add_straight(l, at, l->end[1]->radius_mm);
}

static ht_status add_axis(line *l, const ht_front_tree *tree, const int *way, int fronts) {
  ht_axis_way axis;
  ht_status status = ht_axis_way_find(tree, way, fronts, l->end[1]->centre_mm, &axis);
  if (status == HT_OK) status = add_way(l, &axis);
  ht_axis_way_free(&axis);
  return status;
}

/* Finds the branches, from the other openings back to the way. */
static ht_status find_branches(line *l, const ht_openings *openings, const ht_front_tree *tree,
                               const int *way, int fronts) {
  uint8_t *on_way;
  HT_TRY(ht_alloc((void **)&on_way, (size_t)tree->count, 1, "the centreline"));
  for (int k = 0; k < fronts; k++) on_way[way[k]] = 1;
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (one == l->end[0] || one == l->end[1]) continue;
    int at = ht_front_at(tree, one->centre_mm);
    if (at < 0 || on_way[at]) continue;
    while (tree->item[at].before >= 0 && !on_way[tree->item[at].before]) at = tree->item[at].before;
    branch *to = &l->branch[l->branches++];
    to->radius_mm = one->radius_mm;
    ht_front_centre_mm(tree, &tree->item[at], to->centre_mm);
  }
  free(on_way);
  return HT_OK;
}

static ht_status follow(line *l, const ht_openings *openings) {
  const double no_outflow[HT_OPENINGS_MAX] = {0};
  ht_front_tree tree;
  int *way = NULL;
  ht_status status = ht_front_tree_make(l->mask, openings, no_outflow, &tree);
  if (status == HT_OK && tree.count > 0) {
    status = ht_alloc((void **)&way, (size_t)tree.count, sizeof *way, "the centreline");
    int fronts = status == HT_OK ? walk_back(&tree, l->end[1], way) : 0;
    if (fronts > 0) status = add_axis(l, &tree, way, fronts);
    if (fronts > 0 && status == HT_OK) status = find_branches(l, openings, &tree, way, fronts);
  }
  free(way);
  ht_front_tree_free(&tree);
  return status;
}

/* ---- smoothing ---- */

/* Number of points, of which there is one every two voxels, in about `radii` radii. */
static int window_at(const line *l, int i, double radii) {
  double points = radii * l->item[i].radius_mm / (2 * spacing(l));
  return (int)fmin(WINDOW_MOST, fmax(1, points));
}

static double weight_of(int window, int k) {
  double m = window;
  return 3 * (3 * m * m + 3 * m - 1 - 5.0 * k * k) / ((2 * m - 1) * (2 * m + 1) * (2 * m + 3));
}

/* Each centre moves onto the parabola through those within `radii` radii to both sides, which does
 * not cut a bend's corner as their mean does (Savitzky & Golay, Anal. Chem. 36 (1964) 1627). */
static ht_status smooth(line *l, double radii) {
  double(*to)[3];
  HT_TRY(ht_alloc((void **)&to, (size_t)l->count, sizeof *to, "the centreline"));
  for (int i = 0; i < l->count; i++) {
    int window = window_at(l, i, radii);
    if (window > i) window = i;
    if (window > l->count - 1 - i) window = l->count - 1 - i;
    for (int k = -window; k <= window; k++)
      for (int r = 0; r < 3; r++) to[i][r] += weight_of(window, k) * l->item[i + k].centre[r];
  }
  for (int i = 0; i < l->count; i++) memcpy(l->item[i].centre, to[i], sizeof to[i]);
  free(to);
  return HT_OK;
}

static int is_near_end(const line *l, const point *at, int end) {
  const ht_opening *opening = l->end[end];
  double reach_mm = fmax(parallel_radii * opening->radius_mm, ht_opening_overhang_mm(opening));
  return ht_distance(at->centre, opening->centre_mm) < reach_mm;
}

/* A section near an opening is parallel to its plane, which may cut the vessel obliquely. */
static int is_at_end(const line *l, point *at, int end) {
  const ht_opening *opening = l->end[end];
  if (!is_near_end(l, at, end)) return 0;
  for (int r = 0; r < 3; r++) {
    at->normal[r] = (end ? 1 : -1) * opening->normal[r];
    at->direction[r] = (end ? 1 : -1) * opening->direction[r];
  }
  at->to_across = fabs(ht_dot(opening->normal, opening->direction));
  return 1;
}

/* Sets each point's direction over a diameter. */
static void set_directions(line *l) {
  for (int i = 0; i < l->count; i++) {
    point *at = &l->item[i];
    int window = window_at(l, i, 1);
    int from = i > window ? i - window : 0;
    int to = i + window < l->count ? i + window : l->count - 1;
    at->to_across = 1;
    if (is_at_end(l, at, 0) || is_at_end(l, at, 1)) continue;
    for (int r = 0; r < 3; r++) at->direction[r] = l->item[to].centre[r] - l->item[from].centre[r];
    ht_normalise(at->direction);
    memcpy(at->normal, at->direction, sizeof at->normal);
  }
}

/* ---- sections ---- */

/* Every second pixel, which is half a voxel wide, of each row and column. */
static ht_status take_voxels(const ht_mask *mask, const ht_sheet *sheet, const ht_section *section,
                             point *at) {
  HT_TRY(ht_alloc((void **)&at->voxel, (size_t)section->count, sizeof *at->voxel, "a section"));
  for (int n = 0; n < section->size[0] * section->size[1]; n++) {
    int i = section->low[0] + n % section->size[0], j = section->low[1] + n / section->size[0];
    int place[3];
    if (!section->inside[n] || i % 2 != 0 || j % 2 != 0) continue;
    for (int a = 0; a < 3; a++)
      place[a] = (int)lround(sheet->base[a] + i * sheet->step[0][a] + j * sheet->step[1][a]);
    if (!ht_voxel_in_grid(mask->grid.dim, place)) continue;
    int64_t voxel = ht_voxel_index(mask->grid.dim, place);
    if (mask->inside[voxel]) at->voxel[at->voxels++] = voxel;
  }
  return HT_OK;
}

/* Shift of a section's slab along the vessel: the mask ends at the openings, and half a voxel more
 * keeps the slab off its last layer. The flow is the same over this distance. */
static double slab_shift(const line *l, const point *at) {
  double clear_mm = (HT_SLAB_REACH + 0.5) * spacing(l);
  for (int end = 0; end < 2; end++) {
    double inwards = end ? -1 : 1, inside_mm = 0;
    if (!is_near_end(l, at, end)) continue;
    for (int r = 0; r < 3; r++)
      inside_mm += (l->end[end]->centre_mm[r] - at->centre[r]) * l->end[end]->normal[r];
    if (inside_mm < clear_mm) return inwards * (clear_mm - inside_mm) / at->to_across;
  }
  return 0;
}

/* Pixels by which a sheet is shifted off the point: on the axis of a vessel along the lattice a rim
 * of pixels would lie half-way between voxels, and count as inside. Of a pipe 16 nodes across that
 * is 6 % of the area. */
static const double shift = 0.25;

/* The section at a point: its area, its centroid, its voxels and its slab where `whole`. Without a
 * section the area is 0. */
static ht_status cross(const line *l, point *at, int whole) {
  double pixel_mm = spacing(l) / 2, across[2][3], first[3], off[2], away;
  double limit = at->radius_mm / pixel_mm + 2;
  ht_section section;
  at->area_mm2 = 0;
  memcpy(at->centroid, at->centre, sizeof at->centroid);
  if (ht_length(at->normal) == 0) return HT_OK;
  ht_span_across(at->normal, across);
  for (int r = 0; r < 3; r++)
    first[r] = at->centre[r] + shift * pixel_mm * (across[0][r] + across[1][r]);
  ht_sheet sheet = ht_sheet_across(&l->mask->grid, first, across, pixel_mm);
  HT_TRY(ht_section_find(l->mask, &sheet, limit, &section, &away));
  ht_status status = HT_OK;
  if (away <= limit && section.count > 0) {
    at->area_mm2 = (double)section.count * pixel_mm * pixel_mm * at->to_across;
    ht_section_centroid(&section, off);
    if (whole) status = take_voxels(l->mask, &sheet, &section, at);
    if (whole && status == HT_OK)
      status = ht_slab_find(l->mask, &sheet, &section, at->direction, slab_shift(l, at), &at->slab);
    for (int r = 0; r < 3; r++)
      at->centroid[r] +=
          first[r] - at->centre[r] + pixel_mm * (off[0] * across[0][r] + off[1] * across[1][r]);
  }
  ht_section_free(&section);
  return status;
}

typedef struct {
  line *l;
  int whole, failed;
} crossing;

static void cross_one(void *user, int i) {
  crossing *c = user;
  if (cross(c->l, &c->l->item[i], c->whole) == HT_OK) return;
#pragma omp atomic write
  c->failed = 1;
}

static ht_status cross_all(line *l, int whole) {
  crossing c = {l, whole, 0};
  HT_TRY(ht_jobs_spread(l->count, cross_one, &c));
  return c.failed ? ht_fail(HT_ERR_MEMORY, "not enough memory for the sections of the vessel")
                  : HT_OK;
}

/* ---- which sections are the vessel's ---- */

static void judge(line *l, const double *radius, const double *steady) {
  for (int i = 0; i < l->count; i++) {
    point *at = &l->item[i];
    double off_mm = ht_distance(at->centroid, at->centre);
    at->is_wide = radius[i] * radius[i] > wide_area * steady[i] * steady[i];
    at->is_mixed = at->is_wide && off_mm > aside_radii * steady[i];
  }
}

static ht_status judge_all(line *l) {
  double *along;
  size_t count = (size_t)l->count;
  HT_TRY(ht_alloc((void **)&along, 3 * count, sizeof *along, "the centreline"));
  double *radius = along + count, *steady = radius + count;
  for (int i = 0; i < l->count; i++) {
    const point *at = &l->item[i];
    radius[i] = at->area_mm2 > 0 ? sqrt(at->area_mm2 / HT_PI) : at->radius_mm;
    if (i > 0) along[i] = along[i - 1] + ht_distance(at[-1].centre, at->centre);
  }
  ht_steady_radius(l->count, along, radius, steady);
  judge(l, radius, steady);
  free(along);
  return HT_OK;
}

/* Moves the points onto the centroids, where the section may be the vessel's. */
static ht_status centre(line *l) {
  HT_TRY(cross_all(l, 0));
  HT_TRY(judge_all(l));
  for (int i = 0; i < l->count; i++)
    if (!l->item[i].is_wide) memcpy(l->item[i].centre, l->item[i].centroid, sizeof(double[3]));
  HT_TRY(smooth(l, 1));
  set_directions(l);
  return HT_OK;
}

/* ---- the throat ---- */

static int larger(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static ht_status median_area(const line *l, double *median) {
  double *area;
  HT_TRY(ht_alloc((void **)&area, (size_t)l->count, sizeof *area, "the centreline"));
  for (int i = 0; i < l->count; i++) area[i] = l->item[i].area_mm2;
  qsort(area, (size_t)l->count, sizeof *area, larger);
  *median = area[l->count / 2];
  free(area);
  return HT_OK;
}

/* The narrowest point within; 0: none. */
static int narrowest(const line *l) {
  int least = 0;
  for (int i = 1; i < l->count - 1; i++) {
    const point *at = &l->item[i];
    if (at->is_wide || !(at->area_mm2 > 0)) continue;
    if (least == 0 || at->area_mm2 < l->item[least].area_mm2) least = i;
  }
  return least;
}

/* A part of the way from one point to the next. */
static point between(const point *from, const point *to, double share) {
  point at = *from;
  at.voxel = NULL;
  at.voxels = 0;
  at.slab = (ht_slab){0};
  for (int r = 0; r < 3; r++) {
    at.centre[r] += share * (to->centre[r] - from->centre[r]);
    at.direction[r] += share * (to->direction[r] - from->direction[r]);
    at.normal[r] += share * (to->normal[r] - from->normal[r]);
  }
  ht_normalise(at.direction);
  ht_normalise(at.normal);
  return at;
}

/* Moves the narrowest point to the least section. Points are two voxels apart, and a short throat
 * may lie between two; the move is at most halfway to the neighbours. Only in a vessel with a
 * narrowing: else the least section is that of a few pixels. */
static ht_status move_to_throat(line *l) {
  const double narrow = 0.75; /* of the area, as in export/beat/gradient.h */
  enum { QUARTERS = 2 };
  double median;
  int least = narrowest(l);
  HT_TRY(median_area(l, &median));
  if (least == 0 || l->item[least].area_mm2 > narrow * median) return HT_OK;
  const point from = l->item[least];
  for (int k = -QUARTERS; k <= QUARTERS; k++) {
    point at = between(&from, &l->item[k < 0 ? least - 1 : least + 1], 0.25 * abs(k));
    if (k == 0) continue;
    HT_TRY(cross(l, &at, 1));
    int is_less = at.voxels > 0 && at.area_mm2 < l->item[least].area_mm2;
    point_free(is_less ? &l->item[least] : &at);
    if (is_less) l->item[least] = at;
  }
  return HT_OK;
}

/* ---- the path ---- */

static void thin_out(line *l) {
  int stride = (l->count + STATIONS_MOST - 1) / STATIONS_MOST, kept = 0;
  for (int i = 0; i < l->count; i++)
    if (i % stride == 0 || i == l->count - 1) l->item[kept++] = l->item[i];
  if (kept > STATIONS_MOST) l->item[--kept - 1] = l->item[l->count - 1];
  l->count = kept;
}

/* Marks the sections. A section next to one with a part of something else grazes that. */
static void mark_sections(const line *l, ht_vessel_path *path) {
  for (int i = 0, s = 0; i < l->count; i++) {
    const point *at = &l->item[i];
    if (at->voxels == 0) continue;
    int before = i > 0 && at[-1].is_mixed, behind = i + 1 < l->count && at[1].is_mixed;
    path->station[s++].is_mixed = at->is_mixed || before || behind;
  }
}

static void mark_branches(const line *l, ht_vessel_path *path) {
  for (int b = 0; b < l->branches; b++) {
    const branch *from = &l->branch[b];
    int nearest = 0;
    for (int s = 1; s < path->stations; s++)
      if (ht_distance(path->station[s].centre_mm, from->centre_mm) <
          ht_distance(path->station[nearest].centre_mm, from->centre_mm))
        nearest = s;
    for (int s = 0; s < path->stations; s++) {
      double away_mm = fabs(path->station[s].along_mm - path->station[nearest].along_mm);
      if (away_mm <= mouth_radii * from->radius_mm + spacing(l)) path->station[s].is_mixed = 1;
    }
  }
}

/* Room for the stations and the voxels of all points. */
static ht_status make_room(const line *l, ht_vessel_path *path) {
  const char *what = "the centreline";
  size_t count = (size_t)l->count, voxels = 1, slabs = 1;
  for (int i = 0; i < l->count; i++) {
    voxels += (size_t)l->item[i].voxels;
    slabs += (size_t)l->item[i].slab.count;
  }
  HT_TRY(ht_alloc((void **)&path->station, count, sizeof *path->station, what));
  HT_TRY(ht_alloc((void **)&path->normal, count, sizeof *path->normal, what));
  HT_TRY(ht_alloc((void **)&path->first, count + 1, sizeof *path->first, what));
  HT_TRY(ht_alloc((void **)&path->voxel, voxels, sizeof *path->voxel, what));
  HT_TRY(ht_alloc((void **)&path->flow_first, count + 1, sizeof *path->flow_first, what));
  HT_TRY(ht_alloc((void **)&path->flow_voxel, slabs, sizeof *path->flow_voxel, what));
  return ht_alloc((void **)&path->flow_mm2, slabs, sizeof *path->flow_mm2, what);
}

static void add_station(const point *from, ht_vessel_path *path) {
  int n = path->stations++;
  int64_t first = path->first[n], flow_first = path->flow_first[n];
  size_t slabs = (size_t)from->slab.count;
  ht_station *to = &path->station[n];
  *to = (ht_station){.area_mm2 = from->area_mm2};
  memcpy(to->centre_mm, from->centre, sizeof to->centre_mm);
  memcpy(to->direction, from->direction, sizeof to->direction);
  memcpy(path->normal[n], from->normal, sizeof path->normal[n]);
  if (n > 0) to->along_mm = to[-1].along_mm + ht_distance(to[-1].centre_mm, to->centre_mm);
  memcpy(path->voxel + first, from->voxel, (size_t)from->voxels * sizeof *from->voxel);
  path->first[n + 1] = first + from->voxels;
  path->flow_first[n + 1] = flow_first + from->slab.count;
  if (slabs == 0) return;
  memcpy(path->flow_voxel + flow_first, from->slab.voxel, slabs * sizeof *path->flow_voxel);
  memcpy(path->flow_mm2 + flow_first, from->slab.weight_mm2, slabs * sizeof *path->flow_mm2);
}

static ht_status make_path(const line *l, ht_vessel_path *path) {
  path->grid = l->mask->grid;
  HT_TRY(make_room(l, path));
  for (int i = 0; i < l->count; i++)
    if (l->item[i].voxels > 0) add_station(&l->item[i], path);
  mark_sections(l, path);
  mark_branches(l, path);
  return HT_OK;
}

ht_status ht_main_path_find(const ht_mask *mask, const ht_openings *openings,
                            ht_vessel_path *path) {
  line l = {.mask = mask, .end = {ht_openings_main_inlet(openings), widest_outlet(openings)}};
  ht_status status = HT_OK;
  memset(path, 0, sizeof *path);
  if (!l.end[0] || !l.end[1]) return HT_OK;
  HT_TRY_DONE(follow(&l, openings));
  if (l.count < 2) goto done;
  HT_TRY_DONE(smooth(&l, 2));
  set_directions(&l);
  HT_TRY_DONE(centre(&l));
  thin_out(&l);
  HT_TRY_DONE(cross_all(&l, 1));
  HT_TRY_DONE(judge_all(&l));
  HT_TRY_DONE(move_to_throat(&l));
  status = make_path(&l, path);
done:
  line_free(&l);
  if (status != HT_OK) ht_vessel_path_free(path);
  return status;
}

#include "export/measure/plane_section.h"
#include "core/numbers/symmetric.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

/* ---- the contours ---- */

/* An edge of the wall that the plane cuts: its two points, the smaller number first. */
typedef uint64_t edge;

/* A triangle's part of a contour. */
typedef struct {
  edge start, end;
  int is_taken;
} piece;

typedef struct {
  const ht_surface *surface;
  ht_plane_cut *cut;
  double *distance; /* [points] from the plane, mm */
  piece *item;      /* by `start` */
  edge *end;        /* [count] all ends, sorted */
  int count, room;
} cutting;

static edge edge_of(int32_t a, int32_t b) {
  return a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
}

static int is_above(const cutting *c, int32_t point) {
  return c->distance[point] >= 0;
}

/* Adds the part in a triangle, one of whose corners lies alone on its side of the plane. */
static ht_status add_piece(cutting *c, const int32_t corner[3]) {
  int above = 0, alone = 0;
  for (int k = 0; k < 3; k++) above += is_above(c, corner[k]);
  if (above == 0 || above == 3) return HT_OK;
  while (is_above(c, corner[alone]) != (above == 1)) alone++;
  if (c->count == c->room) {
    int room = 2 * c->room + 256;
    piece *larger = realloc(c->item, (size_t)room * sizeof *larger);
    if (!larger) return ht_fail(HT_ERR_MEMORY, "not enough memory for a section of the wall");
    c->item = larger;
    c->room = room;
  }
  const edge next = edge_of(corner[alone], corner[(alone + 1) % 3]);
  const edge before = edge_of(corner[alone], corner[(alone + 2) % 3]);
  c->item[c->count++] = above == 1 ? (piece){next, before, 0} : (piece){before, next, 0};
  return HT_OK;
}

static int by_edge(const void *a, const void *b) {
  const edge x = *(const edge *)a, y = *(const edge *)b;
  return (x > y) - (x < y);
}

static int by_start(const void *a, const void *b) {
  return by_edge(&((const piece *)a)->start, &((const piece *)b)->start);
}

static ht_contour_point point_on(const cutting *c, edge on) {
  ht_contour_point point = {.from = (int32_t)(on >> 32), .to = (int32_t)(uint32_t)on};
  const float *a = c->surface->point_mm + 3 * (int64_t)point.from,
              *b = c->surface->point_mm + 3 * (int64_t)point.to;
  const double from = c->distance[point.from], to = c->distance[point.to];
  point.part = from / (from - to);
  double off[3];
  for (int r = 0; r < 3; r++) off[r] = a[r] + point.part * (b[r] - a[r]) - c->cut->point_mm[r];
  for (int k = 0; k < 2; k++) point.at[k] = ht_dot(off, c->cut->across[k]);
  return point;
}

static double area_of(const ht_contour_point *point, int count) {
  double twice = 0;
  for (int i = 0; i < count; i++) {
    const double *a = point[i].at, *b = point[(i + 1) % count].at;
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return twice / 2;
}

static void share_lengths(ht_contour_point *point, int count, int is_open) {
  for (int i = 0; i + is_open < count; i++) {
    ht_contour_point *a = &point[i], *b = &point[(i + 1) % count];
    const double half_mm = hypot(b->at[0] - a->at[0], b->at[1] - a->at[1]) / 2;
    a->length_mm += half_mm;
    b->length_mm += half_mm;
  }
}

/* Follows a contour from a piece on. */
static void follow(cutting *c, piece *from) {
  ht_plane_cut *cut = c->cut;
  ht_contour *contour = &cut->contour[cut->contours++];
  edge end = from->start;
  *contour = (ht_contour){.first = cut->points};
  for (piece *at = from; at && !at->is_taken;) {
    const piece key = {.start = at->end};
    at->is_taken = 1;
    cut->point[cut->points++] = point_on(c, at->start);
    end = at->end;
    at = bsearch(&key, c->item, (size_t)c->count, sizeof *c->item, by_start);
  }
  contour->is_open = end != from->start;
  if (contour->is_open) cut->point[cut->points++] = point_on(c, end);
  contour->count = cut->points - contour->first;
  share_lengths(cut->point + contour->first, contour->count, contour->is_open);
  contour->area_mm2 = area_of(cut->point + contour->first, contour->count);
}

static ht_status link_pieces(cutting *c) {
  const size_t count = (size_t)c->count;
  if (count == 0) return HT_OK;
  HT_TRY(ht_alloc((void **)&c->end, count + 1, sizeof *c->end, "a section of the wall"));
  HT_TRY(ht_alloc((void **)&c->cut->point, 2 * count + 1, sizeof *c->cut->point, "a section"));
  HT_TRY(ht_alloc((void **)&c->cut->contour, count + 1, sizeof *c->cut->contour, "a section"));
  for (int i = 0; i < c->count; i++) c->end[i] = c->item[i].end;
  qsort(c->end, count, sizeof *c->end, by_edge);
  qsort(c->item, count, sizeof *c->item, by_start);
  for (int i = 0; i < c->count; i++) /* open ones begin where nothing ends */
    if (!bsearch(&c->item[i].start, c->end, count, sizeof *c->end, by_edge)) follow(c, &c->item[i]);
  for (int i = 0; i < c->count; i++)
    if (!c->item[i].is_taken) follow(c, &c->item[i]);
  return HT_OK;
}

static ht_status cut_triangles(cutting *c) {
  const ht_surface *surface = c->surface;
  HT_TRY(ht_alloc((void **)&c->distance, (size_t)surface->points + 1, sizeof *c->distance,
                  "a section of the wall"));
  for (int64_t p = 0; p < surface->points; p++) {
    double off[3];
    for (int r = 0; r < 3; r++) off[r] = surface->point_mm[3 * p + r] - c->cut->point_mm[r];
    c->distance[p] = ht_dot(off, c->cut->normal);
  }
  for (int64_t t = 0; t < surface->triangles; t++) HT_TRY(add_piece(c, surface->triangle + 3 * t));
  return link_pieces(c);
}

ht_status ht_plane_cut_make(const ht_surface *surface, const double point_mm[3],
                            const double normal[3], ht_plane_cut *cut) {
  cutting c = {.surface = surface, .cut = cut};
  memset(cut, 0, sizeof *cut);
  memcpy(cut->point_mm, point_mm, sizeof cut->point_mm);
  memcpy(cut->normal, normal, sizeof cut->normal);
  if (!ht_normalise(cut->normal))
    return ht_fail(HT_ERR_USAGE, "a plane's normal (%g, %g, %g) has no direction", normal[0],
                   normal[1], normal[2]);
  const double *n = cut->normal;
  if (n[0] < 0 || (n[0] == 0 && (n[1] < 0 || (n[1] == 0 && n[2] < 0))))
    for (int r = 0; r < 3; r++) cut->normal[r] = 0 - cut->normal[r];
  ht_span_across(cut->normal, cut->across);
  ht_status status = cut_triangles(&c);
  free(c.distance), free(c.item), free(c.end);
  if (status != HT_OK) ht_plane_cut_free(cut);
  return status;
}

void ht_plane_cut_free(ht_plane_cut *cut) {
  if (!cut) return;
  free(cut->point), free(cut->contour);
  memset(cut, 0, sizeof *cut);
}

void ht_plane_place(const ht_plane_cut *cut, const double at[2], double place_mm[3]) {
  for (int r = 0; r < 3; r++)
    place_mm[r] = cut->point_mm[r] + at[0] * cut->across[0][r] + at[1] * cut->across[1][r];
}

/* ---- which of them is the vessel's ---- */

static int contains(const ht_plane_cut *cut, const ht_contour *contour, const double at[2]) {
  const ht_contour_point *point = cut->point + contour->first;
  int inside = 0;
  for (int i = 0, j = contour->count - 1; i < contour->count; j = i++) {
    const double *a = point[i].at, *b = point[j].at;
    if ((a[1] > at[1]) != (b[1] > at[1]) &&
        at[0] < (b[0] - a[0]) * (at[1] - a[1]) / (b[1] - a[1]) + a[0])
      inside = !inside;
  }
  return inside;
}

static double line_away(const ht_plane_cut *cut, const ht_contour *contour, const double at[2]) {
  const ht_contour_point *point = cut->point + contour->first;
  double least2 = INFINITY;
  for (int i = 0; i + contour->is_open < contour->count; i++) {
    const double *a = point[i].at, *b = point[(i + 1) % contour->count].at;
    const double along[2] = {b[0] - a[0], b[1] - a[1]}, off[2] = {at[0] - a[0], at[1] - a[1]};
    const double length2 = along[0] * along[0] + along[1] * along[1];
    double part = length2 > 0 ? (off[0] * along[0] + off[1] * along[1]) / length2 : 0;
    part = fmin(1, fmax(0, part));
    const double x = off[0] - part * along[0], y = off[1] - part * along[1];
    least2 = fmin(least2, x * x + y * y);
  }
  return sqrt(least2);
}

/* The smallest contour that contains a place; -1: none. `outer`: of those around a vessel. */
static int innermost(const ht_plane_cut *cut, const double at[2], int outer, int but) {
  int found = -1;
  for (int i = 0; i < cut->contours; i++) {
    const ht_contour *one = &cut->contour[i];
    if (i == but || (outer && one->area_mm2 < 0) || !contains(cut, one, at)) continue;
    if (found < 0 || fabs(one->area_mm2) < fabs(cut->contour[found].area_mm2)) found = i;
  }
  return found;
}

static int nearest(const ht_plane_cut *cut, const double at[2], double *away_mm) {
  int found = -1;
  *away_mm = INFINITY;
  for (int i = 0; i < cut->contours; i++) {
    const double away = line_away(cut, &cut->contour[i], at);
    if (away < *away_mm) *away_mm = away, found = i;
  }
  return found;
}

/* The outer contour that a contour belongs to. */
static int outer_of(const ht_plane_cut *cut, int contour) {
  const ht_contour *one = &cut->contour[contour];
  if (one->area_mm2 >= 0 || one->is_open) return contour;
  const int around = innermost(cut, cut->point[one->first].at, 1, contour);
  return around >= 0 ? around : contour;
}

int ht_plane_section_has(const ht_plane_cut *cut, const ht_plane_section *section, int contour) {
  return section->contour >= 0 && outer_of(cut, contour) == section->contour;
}

/* Adds a contour's part of the section's first moments. */
static void add_moments(const ht_plane_cut *cut, const ht_contour *contour, double moment[2]) {
  const ht_contour_point *point = cut->point + contour->first;
  for (int i = 0; i < contour->count; i++) {
    const double *a = point[i].at, *b = point[(i + 1) % contour->count].at;
    const double turn = a[0] * b[1] - a[1] * b[0];
    for (int k = 0; k < 2; k++) moment[k] += turn * (a[k] + b[k]) / 6;
  }
}

static void sum_up(const ht_plane_cut *cut, ht_plane_section *section) {
  double moment[2] = {0, 0};
  for (int i = 0; i < cut->contours; i++) {
    const ht_contour *one = &cut->contour[i];
    if (!ht_plane_section_has(cut, section, i)) {
      section->others += one->area_mm2 >= 0 || one->is_open;
      continue;
    }
    section->area_mm2 += one->area_mm2;
    for (int k = 0; k < one->count; k++)
      section->perimeter_mm += cut->point[one->first + k].length_mm;
    add_moments(cut, one, moment);
  }
  for (int k = 0; k < 2 && section->area_mm2 > 0; k++)
    section->centroid[k] = moment[k] / section->area_mm2;
}

void ht_plane_section_find(const ht_plane_cut *cut, ht_plane_section *section) {
  const double here[2] = {0, 0};
  *section = (ht_plane_section){.contour = -1};
  if (cut->contours == 0) return;
  int found = innermost(cut, here, 0, -1);
  if (found < 0 || cut->contour[found].area_mm2 < 0) found = nearest(cut, here, &section->away_mm);
  section->contour = outer_of(cut, found);
  sum_up(cut, section);
}

double ht_plane_section_away(const ht_plane_cut *cut, const ht_plane_section *section,
                             const double at[2]) {
  double away = INFINITY;
  int inside = 0;
  for (int i = 0; i < cut->contours; i++)
    if (ht_plane_section_has(cut, section, i)) inside ^= contains(cut, &cut->contour[i], at);
  for (int i = 0; i < cut->contours && !inside; i++)
    if (ht_plane_section_has(cut, section, i))
      away = fmin(away, line_away(cut, &cut->contour[i], at));
  return inside ? 0 : away;
}

int ht_plane_section_is_other(const ht_plane_cut *cut, const ht_plane_section *section,
                              const double at[2], double away_mm) {
  for (int i = 0; i < cut->contours; i++)
    if (!ht_plane_section_has(cut, section, i) &&
        (contains(cut, &cut->contour[i], at) || line_away(cut, &cut->contour[i], at) < away_mm))
      return 1;
  return 0;
}

/* ---- another surface ---- */

/* Ends of the part of a triangle in the plane, in the order that has the inside on the left;
 * returns 0 where there is none. */
static int cut_corners(const ht_plane_cut *cut, const float corner[3][3], double end[2][2]) {
  double off[3][3], distance[3];
  int above = 0, alone = 0;
  for (int k = 0; k < 3; k++) {
    for (int r = 0; r < 3; r++) off[k][r] = corner[k][r] - cut->point_mm[r];
    distance[k] = ht_dot(off[k], cut->normal);
    above += distance[k] >= 0;
  }
  if (above == 0 || above == 3) return 0;
  while ((distance[alone] >= 0) != (above == 1)) alone++;
  for (int e = 0; e < 2; e++) {
    const int other = (alone + 1 + (e ^ (above == 2))) % 3;
    const double part = distance[alone] / (distance[alone] - distance[other]);
    for (int k = 0; k < 2; k++) {
      const double a = ht_dot(off[alone], cut->across[k]), b = ht_dot(off[other], cut->across[k]);
      end[e][k] = a + part * (b - a);
    }
  }
  return 1;
}

/* Distance of a place from the section's contours, from inside or outside. */
static double rim_away(const ht_plane_cut *cut, const ht_plane_section *section, const double at[2],
                       int of_others) {
  double away = INFINITY;
  for (int i = 0; i < cut->contours; i++)
    if (ht_plane_section_has(cut, section, i) != of_others)
      away = fmin(away, line_away(cut, &cut->contour[i], at));
  return away;
}

int ht_plane_section_outline(const ht_plane_cut *cut, const ht_plane_section *section,
                             const ht_triangles *surface, double reach_mm, double *area_mm2) {
  double twice = 0, gap[2] = {0, 0}, length = 0;
  for (int t = 0; t < surface->count; t++) {
    double end[2][2];
    if (!cut_corners(cut, (const float(*)[3])surface->corner[t], end)) continue;
    const double middle[2] = {(end[0][0] + end[1][0]) / 2, (end[0][1] + end[1][1]) / 2};
    const double away = rim_away(cut, section, middle, 0);
    if (away > reach_mm || away > rim_away(cut, section, middle, 1)) continue;
    twice += end[0][0] * end[1][1] - end[0][1] * end[1][0];
    for (int k = 0; k < 2; k++) gap[k] += end[1][k] - end[0][k];
    length += hypot(end[1][0] - end[0][0], end[1][1] - end[0][1]);
  }
  const double found = fabs(twice) / 2;
  if (!(length > 0) || hypot(gap[0], gap[1]) > 1e-3 * length) return 0;
  if (found < section->area_mm2 / 2 || found > section->area_mm2 * 2) return 0;
  *area_mm2 = found;
  return 1;
}

/* ---- the wall around it ---- */

static double value_at(const float *values, int components, const ht_contour_point *point) {
  double sum = 0;
  for (int c = 0; c < components; c++) {
    const double from = values[(int64_t)point->from * components + c];
    const double to = values[(int64_t)point->to * components + c];
    const double one = from + point->part * (to - from);
    sum += one * one;
    if (components == 1) return one;
  }
  return sqrt(sum);
}

void ht_plane_section_wall(const ht_plane_cut *cut, const ht_plane_section *section,
                           const float *values, int components, double *mean, double *highest) {
  double sum = 0, length = 0;
  *highest = -INFINITY;
  for (int i = 0; i < cut->contours; i++) {
    const ht_contour *one = &cut->contour[i];
    if (!ht_plane_section_has(cut, section, i)) continue;
    for (int k = 0; k < one->count; k++) {
      const ht_contour_point *point = &cut->point[one->first + k];
      const double value = value_at(values, components, point);
      sum += point->length_mm * value;
      length += point->length_mm;
      *highest = fmax(*highest, value);
    }
  }
  *mean = length > 0 ? sum / length : NAN;
  if (!(length > 0)) *highest = NAN;
}

int ht_plane_section_axis(const ht_plane_cut *cut, const ht_plane_section *section,
                          const ht_surface *surface, double axis[3]) {
  double m[3][3] = {{0}}, turn[3][3], sum[3] = {0, 0, 0}, length = 0;
  for (int i = 0; i < cut->contours; i++) {
    const ht_contour *one = &cut->contour[i];
    if (!ht_plane_section_has(cut, section, i)) continue;
    for (int k = 0; k < one->count; k++) {
      const ht_contour_point *point = &cut->point[one->first + k];
      const float *a = surface->normal + 3 * (int64_t)point->from,
                  *b = surface->normal + 3 * (int64_t)point->to;
      double n[3];
      for (int r = 0; r < 3; r++) n[r] = a[r] + point->part * (b[r] - a[r]);
      for (int r = 0; r < 9; r++) m[r / 3][r % 3] += point->length_mm * n[r / 3] * n[r % 3];
      for (int r = 0; r < 3; r++) sum[r] += point->length_mm * n[r];
      length += point->length_mm;
    }
  }
  for (int r = 0; r < 9 && length > 0; r++) m[r / 3][r % 3] -= sum[r / 3] * sum[r % 3] / length;
  ht_diagonalise(3, &m[0][0], &turn[0][0]);
  int least = 0;
  for (int k = 1; k < 3; k++)
    if (m[k][k] < m[least][least]) least = k;
  const double next =
      fmin(m[(least + 1) % 3][(least + 1) % 3], m[(least + 2) % 3][(least + 2) % 3]);
  if (!(m[least][least] < next / 2)) return 0;
  for (int r = 0; r < 3; r++) axis[r] = turn[r][least];
  return 1;
}

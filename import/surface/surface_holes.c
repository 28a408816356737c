#include "import/surface/surface_holes.h"
#include "import/surface/surface_ends.h"
#include "import/surface/surface_mask.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "core/vessel/volume.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* An edge as its triangle runs along it. */
typedef struct {
  float from[3], to[3];
  int of;     /* the triangle */
  int turned; /* to < from: for the search of the same edge of another triangle */
} edge;

/* One end of a boundary edge. */
typedef struct {
  float at[3];
  int of;
} edge_end;

typedef struct {
  ht_stl *surface;
  edge *open;     /* [count] edges of one triangle */
  edge_end *ends; /* [2 count] sorted by place */
  int *loop;      /* [count] number of the loop, from 1; 0: none yet */
  int count, loops;
} rims;

static int by_place(const float a[3], const float b[3]) {
  for (int r = 0; r < 3; r++)
    if (a[r] != b[r]) return a[r] < b[r] ? -1 : 1;
  return 0;
}

static int by_edge(const void *left, const void *right) {
  const edge *a = left, *b = right;
  int order = by_place(a->turned ? a->to : a->from, b->turned ? b->to : b->from);
  return order ? order : by_place(a->turned ? a->from : a->to, b->turned ? b->from : b->to);
}

static int by_end(const void *left, const void *right) {
  const edge_end *a = left, *b = right;
  int order = by_place(a->at, b->at);
  return order ? order : a->of - b->of;
}

/* ---- loops ---- */

static ht_status no_manifold(const edge *at) {
  return ht_fail(
      HT_ERR_FORMAT,
      "the surface has an edge of three or more triangles, at [%.2f, %.2f, %.2f] mm, and "
      "holes: which of them are open ends cannot be told; repair it, or close its ends, "
      "in the program that made it",
      (double)at->from[0], (double)at->from[1], (double)at->from[2]);
}

/* Keeps the edges of one triangle. */
static ht_status find_open(rims *r) {
  const ht_stl *surface = r->surface;
  edge *list;
  int64_t count = 0;
  HT_TRY(ht_alloc((void **)&list, 3 * (size_t)surface->triangles, sizeof *list,
                  "the edges of the surface"));
  for (int t = 0; t < surface->triangles; t++)
    for (int c = 0; c < 3; c++) {
      edge *one = &list[count];
      memcpy(one->from, surface->corner[t][c], sizeof one->from);
      memcpy(one->to, surface->corner[t][(c + 1) % 3], sizeof one->to);
      one->of = t;
      one->turned = by_place(one->to, one->from) < 0;
      count += by_place(one->from, one->to) != 0;
    }
  qsort(list, (size_t)count, sizeof *list, by_edge);
  r->open = list;
  for (int64_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && by_edge(&list[i], &list[end]) == 0;) end++;
    if ((end - i) % 2 && end - i > 1) return no_manifold(&list[i]);
    if (end - i == 1) list[r->count++] = list[i];
  }
  return HT_OK;
}

static void list_ends(rims *r) {
  for (int i = 0; i < 2 * r->count; i++) {
    edge_end *one = &r->ends[i];
    one->of = i / 2;
    memcpy(one->at, i % 2 ? r->open[i / 2].to : r->open[i / 2].from, sizeof one->at);
  }
  qsort(r->ends, 2 * (size_t)r->count, sizeof *r->ends, by_end);
}

/* The next edge of the loop at a place; -1: all there have a loop. */
static int next_at(const rims *r, const float at[3]) {
  int low = 0, high = 2 * r->count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (by_place(r->ends[middle].at, at) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < 2 * r->count && by_place(r->ends[low].at, at) == 0; low++)
    if (!r->loop[r->ends[low].of]) return r->ends[low].of;
  return -1;
}

/* Every place has an even number of edges, so that a walk ends where it began. */
static void find_loops(rims *r) {
  for (int i = 0; i < r->count; i++) {
    if (r->loop[i]) continue;
    r->loops++;
    float at[3];
    memcpy(at, r->open[i].to, sizeof at);
    for (int e = i; e >= 0; e = next_at(r, at)) {
      r->loop[e] = r->loops;
      if (e != i)
        memcpy(at, by_place(r->open[e].from, at) == 0 ? r->open[e].to : r->open[e].from, sizeof at);
    }
  }
}

/* ---- caps ---- */

/* Mean of the edges' middles by their length, then the middle of the area. */
static void measure(const rims *r, int loop, ht_opening *hole) {
  double total = 0, about[3] = {0, 0, 0}, centre[3] = {0, 0, 0};
  for (int pass = 0; pass < 3; pass++)
    for (int i = 0; i < r->count; i++) {
      double p[3], q[3], way[3], area[3];
      if (r->loop[i] != loop) continue;
      for (int k = 0; k < 3; k++) p[k] = r->open[i].from[k], q[k] = r->open[i].to[k];
      for (int k = 0; k < 3; k++) way[k] = q[k] - p[k];
      double length = ht_length(way);
      if (pass == 0) {
        for (int k = 0; k < 3; k++) about[k] += length * (p[k] + q[k]) / 2;
        total += length;
        continue;
      }
      for (int k = 0; k < 3; k++) p[k] -= about[k] / total, q[k] -= about[k] / total;
      ht_cross(p, q, area);
      if (pass == 1)
        for (int k = 0; k < 3; k++) hole->normal[k] -= area[k] / 2;
      else
        for (int k = 0; k < 3; k++) centre[k] -= ht_dot(area, hole->normal) / 2 * (p[k] + q[k]) / 3;
    }
  hole->area_mm2 = ht_length(hole->normal);
  double square = hole->area_mm2 * hole->area_mm2;
  for (int k = 0; k < 3; k++)
    hole->centre_mm[k] = about[k] / total + (square > 0 ? centre[k] / square : 0);
  hole->radius_mm = sqrt(hole->area_mm2 / HT_PI);
  ht_normalise(hole->normal);
}

static ht_status add_caps(const rims *r, const ht_openings *holes) {
  ht_stl *surface = r->surface;
  if (r->count > INT_MAX - surface->triangles)
    return ht_fail(HT_ERR_MEMORY, "not enough memory for the triangles");
  void *larger =
      realloc(surface->corner, (size_t)(surface->triangles + r->count) * sizeof *surface->corner);
  if (!larger) return ht_fail(HT_ERR_MEMORY, "not enough memory for the triangles");
  surface->corner = larger;
  for (int i = 0; i < r->count; i++) {
    float(*to)[3] = surface->corner[surface->triangles++];
    memcpy(to[0], r->open[i].to, sizeof *to);
    memcpy(to[1], r->open[i].from, sizeof *to);
    for (int k = 0; k < 3; k++) to[2][k] = (float)holes->item[r->loop[i] - 1].centre_mm[k] + 0.f;
  }
  return HT_OK;
}

/* ---- is it the end of a vessel? ---- */

/* Tells whether a place is inside, `depth` radii inward of the plane, along the vessel
 * (hole->direction). */
static int holds(const rims *r, int same_way, const ht_opening *hole, const double rim[3],
                 double across, double depth) {
  double at[3], back = depth * hole->radius_mm / ht_dot(hole->direction, hole->normal);
  for (int k = 0; k < 3; k++)
    at[k] = hole->centre_mm[k] + across * rim[k] - back * hole->direction[k];
  return ht_stl_holds(r->surface, same_way, at);
}

/* Tells whether a vessel lies inward of the hole; at a quarter of the edges at most it may be wider
 * or narrower. */
static int has_vessel(const rims *r, int same_way, int loop, const ht_opening *hole) {
  const double depth[2] = {0.25, 0.75};
  const int places = 24;
  int edges = 0, met = 0, wrong[2] = {0, 0}, asked = 0;
  for (int i = 0; i < r->count; i++) edges += r->loop[i] == loop;
  int step = (edges + places - 1) / places;
  for (int i = 0; i < r->count; i++) {
    double rim[3];
    if (r->loop[i] != loop || met++ % step) continue;
    for (int k = 0; k < 3; k++)
      rim[k] = ((double)r->open[i].from[k] + r->open[i].to[k]) / 2 - hole->centre_mm[k];
    asked++;
    for (int d = 0; d < 2; d++)
      wrong[d] += holds(r, same_way, hole, rim, 1.35, depth[d]) ||
                  !holds(r, same_way, hole, rim, 0.7, depth[d]);
  }
  return 4 * wrong[0] <= asked && 4 * wrong[1] <= asked;
}

static ht_status no_end(const ht_opening *hole) {
  return ht_fail(HT_ERR_FORMAT,
                 "the surface is not closed: it has a hole %.3g mm wide at [%.2f, %.2f, %.2f] mm, "
                 "behind which no vessel of that width lies. Fill it in the program that made the "
                 "surface; the open ends of vessels may stay: they become openings",
                 2 * hole->radius_mm, hole->centre_mm[0], hole->centre_mm[1], hole->centre_mm[2]);
}

/* The vessel's direction at the hole, from the faces around it. */
static void find_direction(const rims *r, int loop, ht_opening *hole) {
  const double most_oblique = 0.5;
  double faces[3][3] = {{0}}, axis[3];
  for (int i = 0; i < r->count; i++) {
    double u[3], v[3], normal[3];
    if (r->loop[i] != loop) continue;
    const float(*p)[3] = (const float(*)[3])r->surface->corner[r->open[i].of];
    for (int k = 0; k < 3; k++) u[k] = (double)p[1][k] - p[0][k], v[k] = (double)p[2][k] - p[0][k];
    ht_cross(u, v, normal);
    if (!ht_normalise(normal)) continue;
    for (int k = 0; k < 3; k++) u[k] = (double)r->open[i].to[k] - r->open[i].from[k];
    for (int k = 0; k < 9; k++) faces[k / 3][k % 3] += ht_length(u) * normal[k / 3] * normal[k % 3];
  }
  ht_axis_of_faces(faces, hole->normal, axis);
  if (ht_dot(axis, hole->normal) > most_oblique)
    memcpy(hole->direction, axis, sizeof hole->direction);
}

/* Turns the plane across the vessel, where the cut is not. */
static void straighten(ht_opening *hole) {
  const double oblique = 0.9962; /* cosine of 5 degrees */
  double cosine = ht_dot(hole->direction, hole->normal);
  if (cosine < oblique) {
    memcpy(hole->normal, hole->direction, sizeof hole->normal);
    hole->area_mm2 *= cosine;
    hole->radius_mm *= sqrt(cosine);
  }
  memcpy(hole->direction, hole->normal, sizeof hole->direction);
}

/* Turns the plane out of the vessel and moves it inward of all of its edges. */
static ht_status settle(const rims *r, int same_way, int loop, ht_opening *hole) {
  const double none[3] = {0, 0, 0}, least_mm = 0.05;
  double back = 0;
  if (!(hole->radius_mm > least_mm)) return no_end(hole);
  memcpy(hole->direction, hole->normal, sizeof hole->direction);
  if (!holds(r, same_way, hole, none, 0, 0.5))
    for (int k = 0; k < 3; k++) hole->normal[k] *= -1;
  memcpy(hole->direction, hole->normal, sizeof hole->direction);
  find_direction(r, loop, hole);
  if (!has_vessel(r, same_way, loop, hole)) return no_end(hole);
  straighten(hole);
  for (int i = 0; i < r->count; i++) {
    double off[3];
    if (r->loop[i] != loop) continue;
    for (int k = 0; k < 3; k++) off[k] = r->open[i].from[k] - hole->centre_mm[k];
    back = fmin(back, ht_dot(off, hole->normal));
  }
  for (int k = 0; k < 3; k++) hole->centre_mm[k] += back * hole->normal[k];
  return HT_OK;
}

static ht_status close_all(rims *r, ht_openings *holes) {
  int same_way, before = r->surface->triangles;
  find_loops(r);
  if (r->loops > HT_OPENINGS_MAX)
    return ht_fail(HT_ERR_FORMAT,
                   "the surface is not closed: it has %d holes, more than the %d openings of a "
                   "vessel: fill them in the program that made it",
                   r->loops, HT_OPENINGS_MAX);
  for (int n = 1; n <= r->loops; n++) measure(r, n, &holes->item[holes->count++]);
  HT_TRY(add_caps(r, holes));
  ht_status status = ht_stl_check_closed(r->surface, &same_way);
  for (int n = 1; n <= r->loops && status == HT_OK; n++)
    status = settle(r, same_way, n, &holes->item[n - 1]);
  if (status != HT_OK) r->surface->triangles = before;
  return status;
}

ht_status ht_stl_close_holes(ht_stl *surface, ht_openings *holes) {
  rims r = {.surface = surface};
  memset(holes, 0, sizeof *holes);
  if (surface->triangles > INT_MAX / 3)
    return ht_fail(HT_ERR_FORMAT, "the surface has %d triangles, too many", surface->triangles);
  ht_status status = find_open(&r);
  if (status == HT_OK && r.count > 0) {
    status = ht_alloc((void **)&r.ends, 2 * (size_t)r.count, sizeof *r.ends, "the open ends");
    if (status == HT_OK)
      status = ht_alloc((void **)&r.loop, (size_t)r.count, sizeof *r.loop, "the open ends");
    if (status == HT_OK) list_ends(&r);
    if (status == HT_OK) status = close_all(&r, holes);
  }
  free(r.open);
  free(r.ends);
  free(r.loop);
  return status;
}

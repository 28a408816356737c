#include "import/surface/surface_ends.h"
#include "import/surface/surface_mask.h"
#include "core/numbers/vector3.h"
#include "core/vessel/volume.h"
#include "core/numbers/units.h"
#include <stdlib.h>
#include <string.h>

/* Number of candidates, the largest, that are searched inward of their plane. */
enum { CANDIDATES = 100, RIM_POINTS = 24, VOXEL_SURFACE = 1000, ROUNDS = 12 };

static const double flat = 1e-4; /* of the surface's length: how far off its plane a corner is */
static const double same_plane = .9; /* cosine, of triangles whose corners lie in the plane */
static const double sliver = 4;      /* slacks: a triangle less high has no direction of its own */
static const double rounded = 2;     /* times the last digit of the numbers: slack at least */
/* area^2 / (2 pi polar moment), at least: 1 of a disc, 0.95 of a square, 0.8 of an ellipse and 0.76
 * of a rectangle of 2 : 1. A ragged rim does not count in it. */
static const double roundest = 0.78;
static const double oblique = 0.9962, most_oblique = 0.5; /* cosines of 5 and 60 degrees */
static const double least_mm = 0.1;                       /* radius */

/* An edge of triangle `of`; those of two neighbours are the same. */
typedef struct {
  float from[3], to[3];
  int of;
} edge;

typedef struct {
  const ht_stl *surface;
  int same_way;
  double (*normal)[3]; /* [triangles] unit; 0 of triangles without area */
  double *area;        /* [triangles] */
  int (*beside)[3];    /* [triangles] neighbours over each edge; -1: none, or several */
  int *region;         /* [triangles] 0: in none yet */
  int *queue;          /* [triangles] to do */
  double slack;        /* mm */
} mesh;

typedef struct {
  double area, radius, moment;          /* of mm4, polar */
  double centre[3], normal[3], axis[3]; /* axis: that of the vessel at the end, on the normal's
                                           side */
  double rim[RIM_POINTS][3];            /* some of its middles, from the centre */
  int points, edges;
} patch;

/* ---- neighbours ---- */

static int by_place(const void *left, const void *right) {
  const edge *a = left, *b = right;
  for (int i = 0; i < 6; i++) {
    float p = i < 3 ? a->from[i] : a->to[i - 3], q = i < 3 ? b->from[i] : b->to[i - 3];
    if (p != q) return p < q ? -1 : 1;
  }
  return 0;
}

static edge edge_of(const ht_stl *surface, int of, int side) {
  const float *a = surface->corner[of / 3][side], *b = surface->corner[of / 3][(side + 1) % 3];
  int turned = memcmp(a, b, 3 * sizeof *a) > 0; /* any order that both neighbours find */
  edge one = {.of = of};
  memcpy(one.from, turned ? b : a, sizeof one.from);
  memcpy(one.to, turned ? a : b, sizeof one.to);
  return one;
}

static ht_status find_neighbours(mesh *m) {
  edge *list;
  int64_t count = 3 * (int64_t)m->surface->triangles;
  HT_TRY(ht_alloc((void **)&list, (size_t)count, sizeof *list, "the edges of the surface"));
  for (int64_t i = 0; i < count; i++) {
    list[i] = edge_of(m->surface, (int)i, (int)(i % 3));
    m->beside[i / 3][i % 3] = -1;
  }
  qsort(list, (size_t)count, sizeof *list, by_place);
  for (int64_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && by_place(&list[i], &list[end]) == 0;) end++;
    if (end - i != 2) continue;
    m->beside[list[i].of / 3][list[i].of % 3] = list[i + 1].of / 3;
    m->beside[list[i + 1].of / 3][list[i + 1].of % 3] = list[i].of / 3;
  }
  free(list);
  return HT_OK;
}

static void corner_of(const mesh *m, int t, int c, double p[3]) {
  for (int r = 0; r < 3; r++) p[r] = m->surface->corner[t][c % 3][r];
}

/* Largest power of ten, at most 0.1, that divides all numbers along an axis. */
static double last_digit(const ht_stl *surface, int axis) {
  for (double digit = 0.1; digit > 1e-5; digit /= 10) {
    int all = 1;
    for (int t = 0; t < surface->triangles && all; t++)
      for (int c = 0; c < 3 && all; c++) {
        double number = (double)surface->corner[t][c][axis], steps = number / digit;
        all = fabs(steps - round(steps)) * digit <= 2e-7 * fabs(number) + 1e-9;
      }
    if (all) return digit;
  }
  return 0;
}

static void measure_triangles(mesh *m) {
  double low[3], high[3];
  for (int r = 0; r < 3; r++) low[r] = INFINITY, high[r] = -INFINITY;
  for (int t = 0; t < m->surface->triangles; t++) {
    double p[3][3], u[3], v[3];
    for (int c = 0; c < 3; c++) corner_of(m, t, c, p[c]);
    for (int r = 0; r < 3; r++) {
      u[r] = p[1][r] - p[0][r];
      v[r] = p[2][r] - p[0][r];
      low[r] = fmin(low[r], p[0][r]);
      high[r] = fmax(high[r], p[0][r]);
    }
    ht_cross(u, v, m->normal[t]);
    m->area[t] = 0.5 * ht_length(m->normal[t]);
    if (!ht_normalise(m->normal[t])) memset(m->normal[t], 0, sizeof m->normal[t]);
  }
  for (int r = 0; r < 3; r++) m->slack = fmax(m->slack, flat * (high[r] - low[r]));
  for (int r = 0; r < 3; r++) m->slack = fmax(m->slack, rounded * last_digit(m->surface, r));
}

/* A surface of whole voxels, which is flat everywhere. */
static int is_staircase(const mesh *m) {
  int along = 0;
  for (int t = 0; t < m->surface->triangles; t++) {
    const double *n = m->normal[t];
    along += fmax(fabs(n[0]), fmax(fabs(n[1]), fabs(n[2]))) > 0.9999;
  }
  return m->surface->triangles > VOXEL_SURFACE && along > 0.9 * m->surface->triangles;
}

/* ---- flat pieces ---- */

typedef struct {
  double base[3], normal[3];
} flat_plane;

/* Rounded numbers turn a thin triangle by any angle. */
static int is_sliver(const mesh *m, int t) {
  double longest = 0;
  for (int c = 0; c < 3; c++) {
    double p[3], q[3];
    corner_of(m, t, c, p);
    corner_of(m, t, c + 1, q);
    longest = fmax(longest, ht_distance(p, q));
  }
  return 2 * m->area[t] < sliver * m->slack * longest;
}

static int lies_in(const mesh *m, int t, const flat_plane *plane) {
  for (int c = 0; c < 3; c++) {
    double p[3];
    corner_of(m, t, c, p);
    for (int r = 0; r < 3; r++) p[r] -= plane->base[r];
    if (fabs(ht_dot(p, plane->normal)) > m->slack) return 0;
  }
  return ht_dot(m->normal[t], plane->normal) >= same_plane || is_sliver(m, t);
}

/* The plane through the triangles in m->queue: their mean by area. */
static void fit_plane(const mesh *m, int count, flat_plane *plane) {
  double area = 0;
  memset(plane, 0, sizeof *plane);
  for (int i = 0; i < count; i++) {
    int t = m->queue[i];
    area += m->area[t];
    for (int c = 0; c < 3; c++) {
      double p[3];
      corner_of(m, t, c, p);
      for (int r = 0; r < 3; r++) plane->base[r] += m->area[t] * p[r] / 3;
    }
    for (int r = 0; r < 3; r++) plane->normal[r] += m->area[t] * m->normal[t][r];
  }
  for (int r = 0; r < 3; r++) plane->base[r] /= area;
  ht_normalise(plane->normal);
}

/* The triangles in the plane that are connected to the seed, in m->queue; returns their number. */
static int grow_in(mesh *m, int seed, const flat_plane *plane) {
  int count = 0;
  m->queue[count++] = seed;
  m->region[seed] = seed + 1;
  for (int i = 0; i < count; i++)
    for (int c = 0; c < 3; c++) {
      int next = m->beside[m->queue[i]][c];
      if (next < 0 || m->region[next] || !lies_in(m, next, plane)) continue;
      m->region[next] = seed + 1;
      m->queue[count++] = next;
    }
  return count;
}

/* Grows the patch in the plane of all its triangles: that of the seed alone is turned by its
 * rounded numbers. */
static int grow(mesh *m, int seed) {
  flat_plane plane;
  int count = 0;
  corner_of(m, seed, 0, plane.base);
  memcpy(plane.normal, m->normal[seed], sizeof plane.normal);
  for (int round = 0, before = 0; round < ROUNDS; round++, before = count) {
    count = grow_in(m, seed, &plane);
    if (count <= before || count == 1 || round == ROUNDS - 1) break;
    fit_plane(m, count, &plane);
    for (int i = 0; i < count; i++) m->region[m->queue[i]] = 0;
  }
  return count;
}

static int is_rim(const mesh *m, int t, int c) {
  int next = m->beside[t][c];
  return next < 0 || m->region[next] != m->region[t];
}

/* Polar moment of the triangle about a point: about its own centre, and by its distance. */
static double moment_of(const mesh *m, int t, const double about[3]) {
  double sides = 0, off[3] = {0, 0, 0};
  for (int c = 0; c < 3; c++) {
    double p[3], q[3];
    corner_of(m, t, c, p);
    corner_of(m, t, c + 1, q);
    for (int r = 0; r < 3; r++) off[r] += (p[r] - about[r]) / 3, q[r] -= p[r];
    sides += ht_dot(q, q);
  }
  return m->area[t] * (sides / 36 + ht_dot(off, off));
}

static void measure_piece(const mesh *m, int count, patch *of) {
  flat_plane plane;
  memset(of, 0, sizeof *of);
  fit_plane(m, count, &plane);
  memcpy(of->normal, plane.normal, sizeof of->normal);
  for (int i = 0; i < count; i++) {
    int t = m->queue[i];
    of->area += m->area[t];
    for (int c = 0; c < 3; c++) of->edges += is_rim(m, t, c);
  }
  memcpy(of->centre, plane.base, sizeof of->centre);
  of->radius = sqrt(of->area / HT_PI);
  for (int i = 0; i < count; i++) of->moment += moment_of(m, m->queue[i], of->centre);
}

static int is_round(const patch *of) {
  return of->radius >= least_mm && of->area * of->area > roundest * 2 * HT_PI * of->moment;
}

void ht_axis_of_faces(double faces[3][3], const double normal[3], double axis[3]) {
  double trace = faces[0][0] + faces[1][1] + faces[2][2], inverse[3][3];
  for (int r = 0; r < 3; r++) faces[r][r] += 1e-6 * trace;
  for (int r = 0; r < 3; r++) ht_cross(faces[(r + 1) % 3], faces[(r + 2) % 3], inverse[r]);
  memcpy(axis, normal, 3 * sizeof *axis);
  for (int i = 0; i < 30; i++) {
    double next[3];
    for (int r = 0; r < 3; r++) next[r] = ht_dot(inverse[r], axis);
    if (!ht_normalise(next)) return;
    memcpy(axis, next, sizeof next);
  }
  double way = ht_dot(axis, normal) < 0 ? -1 : 1;
  for (int r = 0; r < 3; r++) axis[r] *= way;
}

static void walk_rim(const mesh *m, int count, patch *of) {
  double faces[3][3] = {{0}};
  int step = (of->edges + RIM_POINTS - 1) / RIM_POINTS, at = 0;
  for (int i = 0; i < 3 * count; i++) {
    int t = m->queue[i / 3], next = m->beside[t][i % 3];
    double p[3], q[3], length[3];
    if (!is_rim(m, t, i % 3)) continue;
    corner_of(m, t, i % 3, p);
    corner_of(m, t, i % 3 + 1, q);
    for (int r = 0; r < 3; r++) length[r] = q[r] - p[r];
    double weight = ht_length(length);
    for (int r = 0; r < 3 && next >= 0; r++)
      for (int c = 0; c < 3; c++) faces[r][c] += weight * m->normal[next][r] * m->normal[next][c];
    if (at++ % step) continue;
    for (int r = 0; r < 3; r++) of->rim[of->points][r] = 0.5 * (p[r] + q[r]) - of->centre[r];
    of->points++;
  }
  ht_axis_of_faces(faces, of->normal, of->axis);
}

/* ---- whether a tube ends there ---- */

/* Tells whether the place `depth` radii inward of the plane, `across` times as far out as the rim,
 * is inside. */
static int inside_at(const mesh *m, const patch *of, const double rim[3], double across,
                     double depth) {
  double p[3], back = depth * of->radius / ht_dot(of->axis, of->normal);
  for (int r = 0; r < 3; r++) p[r] = of->centre[r] + across * rim[r] - back * of->axis[r];
  return ht_stl_holds(m->surface, m->same_way, p);
}

/* Turns the piece so that its normal points out. 0: it is no boundary of the inside. */
static int face_out(const mesh *m, patch *of) {
  const double none[3] = {0, 0, 0};
  int behind = inside_at(m, of, none, 0, 0.1), before = inside_at(m, of, none, 0, -0.1);
  if (behind == before) return 0;
  for (int r = 0; r < 3 && before; r++) of->normal[r] *= -1, of->axis[r] *= -1;
  return 1;
}

static int has_tube(const mesh *m, patch *of) {
  const double depths[2] = {0.25, 0.75}, most_wrong = 0.25;
  int wrong = 0, most = (int)(most_wrong * of->points);
  if (ht_dot(of->axis, of->normal) < most_oblique || !face_out(m, of)) return 0;
  for (int d = 0; d < 2; d++, wrong = 0)
    for (int i = 0; i < of->points; i++) {
      wrong += inside_at(m, of, of->rim[i], 1.35, depths[d]) ||
               !inside_at(m, of, of->rim[i], 0.7, depths[d]);
      if (wrong > most) return 0;
    }
  return 1;
}

/* The opening: straight across the vessel, where the plane is not. */
static ht_opening opening_of(const patch *of) {
  ht_opening one = {.area_mm2 = of->area, .radius_mm = of->radius};
  double cosine = ht_dot(of->axis, of->normal), back = 0;
  int turned = cosine < oblique;
  for (int i = 0; i < of->points && turned; i++) back = fmin(back, ht_dot(of->rim[i], of->axis));
  for (int r = 0; r < 3; r++) {
    one.normal[r] = one.direction[r] = turned ? of->axis[r] : of->normal[r];
    one.centre_mm[r] = of->centre[r] + back * of->axis[r];
  }
  if (turned) one.area_mm2 *= cosine, one.radius_mm *= sqrt(cosine);
  return one;
}

/* ---- all ---- */

/* Tells whether it is a piece of a larger flat end that was found before: in its plane, next to its
 * middle. */
static int is_part_of_one(const ht_openings *ends, const ht_opening *piece, double slack) {
  for (int e = 0; e < ends->count; e++) {
    const ht_opening *end = &ends->item[e];
    double off[3], reach = end->radius_mm + piece->radius_mm;
    for (int r = 0; r < 3; r++) off[r] = piece->centre_mm[r] - end->centre_mm[r];
    if (ht_dot(end->normal, piece->normal) > oblique && ht_length(off) < reach &&
        fabs(ht_dot(off, end->normal)) < 4 * slack)
      return 1;
  }
  return 0;
}

/* A flat piece by its seed; the seed of the smallest comes first where there are many. */
typedef struct {
  double area;
  int seed;
} candidate;

static int by_size(const void *left, const void *right) {
  const candidate *a = left, *b = right;
  if (a->area != b->area) return a->area < b->area ? 1 : -1;
  return a->seed < b->seed ? -1 : 1;
}

/* The largest triangles first: their planes are the most certain. Keeps the round pieces. */
static int find_pieces(mesh *m, candidate *list) {
  int count = 0, triangles = m->surface->triangles;
  for (int t = 0; t < triangles; t++) list[t] = (candidate){m->area[t], t};
  qsort(list, (size_t)triangles, sizeof *list, by_size);
  for (int i = 0; i < triangles; i++) {
    patch of;
    int seed = list[i].seed;
    if (m->region[seed] || m->area[seed] <= 0) continue;
    measure_piece(m, grow(m, seed), &of);
    if (!is_round(&of)) continue;
    list[count++] = (candidate){of.area, seed}; /* count <= i: read already */
  }
  qsort(list, (size_t)count, sizeof *list, by_size);
  return count < CANDIDATES ? count : CANDIDATES;
}

/* The triangles of a piece that was grown before: m->queue. */
static int gather(mesh *m, int seed) {
  int count = 0, piece = m->region[seed];
  m->queue[count++] = seed;
  m->region[seed] = -piece;
  for (int i = 0; i < count; i++)
    for (int c = 0; c < 3; c++) {
      int next = m->beside[m->queue[i]][c];
      if (next < 0 || m->region[next] != piece) continue;
      m->region[next] = -piece;
      m->queue[count++] = next;
    }
  return count;
}

static ht_status find_ends(mesh *m, ht_openings *ends) {
  candidate *list;
  HT_TRY(find_neighbours(m));
  measure_triangles(m);
  HT_TRY(ht_alloc((void **)&list, (size_t)m->surface->triangles, sizeof *list,
                  "the flat ends of the surface"));
  int pieces = is_staircase(m) ? 0 : find_pieces(m, list);
  for (int i = 0; i < pieces; i++) {
    patch of;
    int count = gather(m, list[i].seed);
    measure_piece(m, count, &of);
    walk_rim(m, count, &of);
    if (!has_tube(m, &of)) {
      if (ht_dot(of.axis, of.normal) > oblique) continue;
      memcpy(of.axis, of.normal, sizeof of.axis); /* the faces of a rounded rim do not define it */
      if (!has_tube(m, &of)) continue;
    }
    ht_opening one = opening_of(&of);
    if (!is_part_of_one(ends, &one, m->slack)) ht_openings_insert(ends, &one);
  }
  free(list);
  return HT_OK;
}

ht_status ht_stl_flat_ends(const ht_stl *surface, int same_way, ht_openings *ends) {
  static const char what[] = "the flat ends of the surface";
  mesh m = {.surface = surface, .same_way = same_way};
  size_t count = (size_t)surface->triangles;
  memset(ends, 0, sizeof *ends);
  if (count > INT32_MAX / 3) return HT_OK;
  ht_status status = ht_alloc((void **)&m.normal, count, sizeof *m.normal, what);
  if (status == HT_OK) status = ht_alloc((void **)&m.area, count, sizeof *m.area, what);
  if (status == HT_OK) status = ht_alloc((void **)&m.beside, count, sizeof *m.beside, what);
  if (status == HT_OK) status = ht_alloc((void **)&m.region, count, sizeof *m.region, what);
  if (status == HT_OK) status = ht_alloc((void **)&m.queue, count, sizeof *m.queue, what);
  if (status == HT_OK) status = find_ends(&m, ends);
  free(m.normal);
  free(m.area);
  free(m.beside);
  free(m.region);
  free(m.queue);
  return status;
}

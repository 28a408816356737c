#include "app/compare/wall_nearest.h"
#include "segment/shape/triangle_distance.h"
#include "core/numbers/vector3.h"
#include "core/vessel/volume.h"
#include <stdlib.h>
#include <string.h>

static const char what[] = "the comparison of the walls";
static const int most_cells_a_side = 160, most_rings = 8;

static void corners_of(const ht_surface *surface, int64_t triangle, ht_corners corner) {
  for (int c = 0; c < 3; c++) {
    const float *at = surface->point_mm + 3 * (int64_t)surface->triangle[3 * triangle + c];
    for (int r = 0; r < 3; r++) corner[c][r] = at[r];
  }
}

void ht_wall_face(const ht_surface *surface, int64_t triangle, double normal[3]) {
  ht_corners c;
  double u[3], v[3];
  corners_of(surface, triangle, c);
  for (int r = 0; r < 3; r++) u[r] = c[1][r] - c[0][r], v[r] = c[2][r] - c[0][r];
  ht_cross(u, v, normal);
}

static double mean_edge_mm(const ht_surface *surface) {
  double area = 0;
  for (int64_t t = 0; t < surface->triangles; t++) {
    double face[3];
    ht_wall_face(surface, t, face);
    area += 0.5 * ht_length(face);
  }
  return sqrt(2 * area / (double)surface->triangles);
}

/* Places cells of about two edges, so that each holds a few triangles; not so small that the rings
 * of a point without a wall become many. */
static void place_grid(ht_wall_index *index, double least_mm) {
  const ht_surface *surface = index->surface;
  double high[3], longest = 0;
  for (int r = 0; r < 3; r++) index->low_mm[r] = INFINITY, high[r] = -INFINITY;
  for (int64_t i = 0; i < 3 * surface->triangles; i++)
    for (int r = 0; r < 3; r++) {
      double at = surface->point_mm[3 * (int64_t)surface->triangle[i] + r];
      index->low_mm[r] = fmin(index->low_mm[r], at);
      high[r] = fmax(high[r], at);
    }
  for (int r = 0; r < 3; r++) longest = fmax(longest, high[r] - index->low_mm[r]);
  index->cell_mm = fmax(fmax(least_mm, index->reach_mm / most_rings), longest / most_cells_a_side);
  for (int r = 0; r < 3; r++)
    index->dim[r] = 1 + (int)floor((high[r] - index->low_mm[r]) / index->cell_mm);
}

static int cell_of(const ht_wall_index *index, double at, int r) {
  double cell = floor((at - index->low_mm[r]) / index->cell_mm);
  return (int)fmin(fmax(cell, 0), index->dim[r] - 1);
}

typedef void (*visit)(ht_wall_index *index, int64_t cell, int64_t triangle);

static void count_one(ht_wall_index *index, int64_t cell, int64_t triangle) {
  (void)triangle;
  index->first[cell + 1]++;
}

/* Puts one triangle into a cell. first[] moves to the end of the cell; it is moved back
 * afterwards. */
static void put_one(ht_wall_index *index, int64_t cell, int64_t triangle) {
  index->triangle[index->first[cell]++] = (int32_t)triangle;
}

/* Visits each triangle in the cells that its box meets. */
static void visit_cells(ht_wall_index *index, visit one) {
  for (int64_t t = 0; t < index->surface->triangles; t++) {
    ht_corners c;
    int from[3], to[3];
    corners_of(index->surface, t, c);
    for (int r = 0; r < 3; r++) {
      from[r] = cell_of(index, fmin(c[0][r], fmin(c[1][r], c[2][r])), r);
      to[r] = cell_of(index, fmax(c[0][r], fmax(c[1][r], c[2][r])), r);
    }
    for (int z = from[2]; z <= to[2]; z++)
      for (int y = from[1]; y <= to[1]; y++)
        for (int x = from[0]; x <= to[0]; x++)
          one(index, x + index->dim[0] * (y + (int64_t)index->dim[1] * z), t);
  }
}

static int64_t count_places(const ht_wall_index *index) {
  int64_t sum = 0;
  for (int64_t t = 0; t < index->surface->triangles; t++) {
    ht_corners c;
    int64_t cells = 1;
    corners_of(index->surface, t, c);
    for (int r = 0; r < 3; r++)
      cells *= 1 + cell_of(index, fmax(c[0][r], fmax(c[1][r], c[2][r])), r) -
               cell_of(index, fmin(c[0][r], fmin(c[1][r], c[2][r])), r);
    sum += cells;
  }
  return sum;
}

ht_status ht_wall_index_make(const ht_surface *surface, double reach_mm, ht_wall_index *index) {
  ht_status status = HT_OK;
  *index = (ht_wall_index){.surface = surface, .reach_mm = reach_mm};
  if (surface->triangles < 1) return ht_fail(HT_ERR_VESSEL, "the wall has no triangles");
  place_grid(index, 2 * mean_edge_mm(surface));
  int64_t places = count_places(index);
  while (places > 32 * surface->triangles + 65536) { /* a few very large triangles */
    place_grid(index, 2 * index->cell_mm);
    places = count_places(index);
  }
  int64_t cells = (int64_t)index->dim[0] * index->dim[1] * index->dim[2];
  HT_TRY_DONE(ht_alloc((void **)&index->first, (size_t)cells + 1, sizeof *index->first, what));
  HT_TRY_DONE(ht_alloc((void **)&index->triangle, (size_t)places, sizeof *index->triangle, what));
  visit_cells(index, count_one);
  for (int64_t n = 0; n < cells; n++) index->first[n + 1] += index->first[n];
  visit_cells(index, put_one);
  memmove(index->first + 1, index->first, (size_t)cells * sizeof *index->first);
  index->first[0] = 0;
done:
  if (status != HT_OK) ht_wall_index_free(index);
  return status;
}

void ht_wall_index_free(ht_wall_index *index) {
  if (!index) return;
  free(index->first);
  free(index->triangle);
  memset(index, 0, sizeof *index);
}

static int faces(const ht_surface *surface, int64_t triangle, const float *normal) {
  double face[3];
  if (!normal) return 1;
  ht_wall_face(surface, triangle, face);
  return face[0] * normal[0] + face[1] * normal[1] + face[2] * normal[2] > 0;
}

static void look_in(const ht_wall_index *index, int64_t cell, const double point[3],
                    const float *normal, double *least, ht_wall_place *place) {
  for (int64_t i = index->first[cell]; i < index->first[cell + 1]; i++) {
    ht_corners c;
    double part[3];
    int64_t triangle = index->triangle[i];
    corners_of(index->surface, triangle, c);
    double square = ht_triangle_nearest((const double(*)[3])c, point, part);
    if (!(square < *least) || !faces(index->surface, triangle, normal)) continue;
    *least = square;
    place->triangle = triangle;
    memcpy(place->part, part, sizeof part);
  }
}

/* Searches the cells of the ring: those whose largest step from the point's cell, along an axis, is
 * `ring`. */
static void look_in_ring(const ht_wall_index *index, const int at[3], int ring,
                         const double point[3], const float *normal, double *least,
                         ht_wall_place *place) {
  int from[3], to[3];
  for (int r = 0; r < 3; r++) {
    from[r] = at[r] - ring > 0 ? at[r] - ring : 0;
    to[r] = at[r] + ring < index->dim[r] ? at[r] + ring : index->dim[r] - 1;
  }
  for (int z = from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1]; y++) {
      int is_side = abs(z - at[2]) == ring || abs(y - at[1]) == ring;
      int64_t row = index->dim[0] * (y + (int64_t)index->dim[1] * z);
      for (int x = from[0]; x <= to[0]; x++)
        if (is_side || abs(x - at[0]) == ring) look_in(index, row + x, point, normal, least, place);
    }
}

int ht_wall_nearest(const ht_wall_index *index, const double point_mm[3], const float *normal,
                    ht_wall_place *place) {
  int at[3];
  double reach = index->reach_mm, bound = reach * reach * (1 + 1e-12), least = bound;
  double inside = INFINITY; /* distance from the point to the nearest side of its cell */
  for (int r = 0; r < 3; r++) {
    double end = index->low_mm[r] + index->dim[r] * index->cell_mm;
    if (!(point_mm[r] >= index->low_mm[r] - reach && point_mm[r] <= end + reach)) return 0;
    double cell = (point_mm[r] - index->low_mm[r]) / index->cell_mm, whole = floor(cell);
    at[r] = (int)whole; /* also outside of the grid */
    inside = fmin(inside, index->cell_mm * fmin(cell - whole, whole + 1 - cell));
  }
  for (int ring = 0;; ring++) {
    look_in_ring(index, at, ring, point_mm, normal, &least, place);
    double seen = inside + ring * index->cell_mm; /* all that is nearer has been examined */
    if (seen * seen >= least) break;
  }
  place->distance_mm = sqrt(least);
  return least < bound;
}

#include "export/report/thin_mesh.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "the report's surface";

typedef struct {
  uint64_t cell;
  int32_t point;
} member;

static int by_cell(const void *a, const void *b) {
  const member *one = a, *other = b;
  if (one->cell != other->cell) return one->cell < other->cell ? -1 : 1;
  return one->point < other->point ? -1 : one->point > other->point;
}

static uint64_t side_of(const float normal[3]) {
  int axis = 0;
  for (int a = 1; a < 3; a++)
    if (fabsf(normal[a]) > fabsf(normal[axis])) axis = a;
  return (uint64_t)(2 * axis + (normal[axis] < 0));
}

static void lowest_corner(const ht_surface *surface, float low[3]) {
  memcpy(low, surface->point_mm, 3 * sizeof *low);
  for (int64_t p = 0; p < surface->points; p++)
    for (int a = 0; a < 3; a++) low[a] = fminf(low[a], surface->point_mm[3 * p + a]);
}

/* Sorts the points by cell; the key has 20 bits per axis, and the side in the lowest 3. */
static void sort_into_cells(const ht_surface *surface, double cell_mm, member *list) {
  float low[3];
  lowest_corner(surface, low);
  for (int64_t p = 0; p < surface->points; p++) {
    uint64_t cell = 0;
    for (int a = 0; a < 3; a++)
      cell = cell << 20 | (uint64_t)((surface->point_mm[3 * p + a] - low[a]) / cell_mm);
    list[p] = (member){cell << 3 | side_of(surface->normal + 3 * p), (int32_t)p};
  }
  qsort(list, (size_t)surface->points, sizeof *list, by_cell);
}

static int64_t count_cells(const member *list, int64_t points) {
  int64_t cells = points > 0;
  for (int64_t i = 1; i < points; i++) cells += list[i].cell != list[i - 1].cell;
  return cells;
}

static int32_t nearest_to_centre(const ht_surface *surface, const member *list, int64_t count) {
  double centre[3] = {0, 0, 0}, least = INFINITY;
  int32_t nearest = list[0].point;
  for (int64_t i = 0; i < count; i++)
    for (int a = 0; a < 3; a++)
      centre[a] += surface->point_mm[3 * (int64_t)list[i].point + a] / (double)count;
  for (int64_t i = 0; i < count; i++) {
    const float *at = surface->point_mm + 3 * (int64_t)list[i].point;
    double away = 0;
    for (int a = 0; a < 3; a++) away += (at[a] - centre[a]) * (at[a] - centre[a]);
    if (away < least) {
      least = away;
      nearest = list[i].point;
    }
  }
  return nearest;
}

/* Fills mesh->of, and for each point of the surface the number of the one that stands for it. */
static void choose_points(const ht_surface *surface, const member *list, ht_thin_mesh *mesh,
                          int32_t *stands) {
  int64_t begin = 0;
  mesh->points = 0;
  for (int64_t i = 1; i <= surface->points; i++) {
    if (i < surface->points && list[i].cell == list[begin].cell) continue;
    mesh->of[mesh->points] = nearest_to_centre(surface, list + begin, i - begin);
    for (int64_t k = begin; k < i; k++) stands[list[k].point] = (int32_t)mesh->points;
    mesh->points++;
    begin = i;
  }
}

static void keep_triangles(const ht_surface *surface, const int32_t *stands, ht_thin_mesh *mesh) {
  for (int64_t t = 0; t < surface->triangles; t++) {
    int32_t *to = mesh->triangle + 3 * mesh->triangles;
    for (int c = 0; c < 3; c++) to[c] = stands[surface->triangle[3 * t + c]];
    mesh->triangles += to[0] != to[1] && to[1] != to[2] && to[0] != to[2];
  }
}

static void keep_all(const ht_surface *surface, ht_thin_mesh *mesh) {
  mesh->points = surface->points;
  mesh->triangles = surface->triangles;
  for (int64_t p = 0; p < surface->points; p++) mesh->of[p] = (int32_t)p;
  memcpy(mesh->triangle, surface->triangle, 3 * (size_t)surface->triangles * sizeof(int32_t));
}

static ht_status cluster(const ht_surface *surface, int64_t most, ht_thin_mesh *mesh) {
  member *list = NULL;
  int32_t *stands = NULL;
  ht_wall_stats stats;
  ht_status status;
  HT_TRY_DONE(ht_alloc((void **)&list, (size_t)surface->points, sizeof *list, what));
  HT_TRY_DONE(ht_alloc((void **)&stands, (size_t)surface->points, sizeof *stands, what));
  ht_surface_stats(surface, &stats);
  double cell_mm = sqrt(stats.area_mm2 / (double)most);
  do {
    sort_into_cells(surface, cell_mm, list);
    cell_mm *= 1.15;
  } while (count_cells(list, surface->points) > most);
  choose_points(surface, list, mesh, stands);
  keep_triangles(surface, stands, mesh);
done:
  free(list);
  free(stands);
  return status;
}

ht_status ht_thin_mesh_make(const ht_surface *surface, int64_t most, ht_thin_mesh *mesh) {
  memset(mesh, 0, sizeof *mesh);
  ht_status status = ht_alloc((void **)&mesh->of, (size_t)surface->points, sizeof *mesh->of, what);
  if (status == HT_OK)
    status = ht_alloc((void **)&mesh->triangle, 3 * (size_t)surface->triangles,
                      sizeof *mesh->triangle, what);
  if (status == HT_OK && surface->points <= most)
    keep_all(surface, mesh);
  else if (status == HT_OK)
    status = cluster(surface, most, mesh);
  if (status != HT_OK) ht_thin_mesh_free(mesh);
  return status;
}

void ht_thin_mesh_free(ht_thin_mesh *mesh) {
  if (!mesh) return;
  free(mesh->of);
  free(mesh->triangle);
  memset(mesh, 0, sizeof *mesh);
}

#include "import/surface/formats/surface_points.h"
#include "core/disk/file.h"
#include "core/vessel/volume.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Room for one more item of `size` bytes. */
static ht_status grow(void **items, int64_t count, int64_t *room, size_t size) {
  if (count < *room) return HT_OK;
  int64_t larger = *room ? 2 * *room : 1024;
  void *moved = realloc(*items, (size_t)larger * size);
  if (!moved) return ht_fail(HT_ERR_MEMORY, "not enough memory for the surface");
  *items = moved;
  *room = larger;
  return HT_OK;
}

ht_status ht_surface_add_point(ht_surface_points *to, const double at[3]) {
  if (to->points == INT_MAX)
    return ht_fail(HT_ERR_FORMAT, "%s: more than %d points", to->path, INT_MAX);
  HT_TRY(grow((void **)&to->point, to->points, &to->point_room, sizeof *to->point));
  for (int r = 0; r < 3; r++) to->point[to->points][r] = (float)at[r];
  to->points++;
  return HT_OK;
}

static ht_status add_triangle(ht_surface_points *to, int64_t a, int64_t b, int64_t c) {
  ht_stl *surface = to->surface;
  int64_t room = to->triangle_room;
  if (surface->triangles >= INT_MAX / 9)
    return ht_fail(HT_ERR_FORMAT, "%s: more than %d triangles", to->path, INT_MAX / 9);
  HT_TRY(grow((void **)&surface->corner, surface->triangles, &room, sizeof *surface->corner));
  to->triangle_room = (int)room;
  float(*corner)[3] = surface->corner[surface->triangles++];
  memcpy(corner[0], to->point[a], sizeof *corner);
  memcpy(corner[1], to->point[b], sizeof *corner);
  memcpy(corner[2], to->point[c], sizeof *corner);
  return HT_OK;
}

ht_status ht_surface_add_polygon(ht_surface_points *to, const int64_t *corner, int count,
                                 int64_t where) {
  if (count < 3 || count > HT_POLYGON_MOST)
    return ht_fail(
        HT_ERR_FORMAT,
        "%s: polygon %lld has %d corners; 3 to %d are read: damaged, or lines and points "
        "in place of a surface; export it again",
        to->path, (long long)where, count, HT_POLYGON_MOST);
  for (int i = 0; i < count; i++)
    if (corner[i] < 0 || corner[i] >= to->points)
      return ht_fail(HT_ERR_FORMAT,
                     "%s: polygon %lld names point %lld (from 0), the file has %lld: damaged or "
                     "truncated; export it again",
                     to->path, (long long)where, (long long)corner[i], (long long)to->points);
  for (int i = 1; i + 1 < count; i++) HT_TRY(add_triangle(to, corner[0], corner[i], corner[i + 1]));
  return HT_OK;
}

ht_status ht_surface_bytes(const char *path, char **bytes, size_t *size) {
  struct stat info;
  *bytes = NULL;
  FILE *file = ht_file_open(path);
  if (!file || fstat(fileno(file), &info) != 0) {
    if (file) fclose(file);
    return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot read: %s", path, ht_file_reason());
  }
  *size = (size_t)info.st_size;
  ht_status status = *size > 0 ? ht_alloc((void **)bytes, *size + 1, 1, "the surface's file")
                               : ht_fail(HT_ERR_FORMAT, "%s: the file is empty", path);
  if (status == HT_OK && fread(*bytes, 1, *size, file) != *size)
    status = ht_fail(HT_ERR_NOT_FOUND, "%s: cannot be read to its end", path);
  fclose(file);
  if (status != HT_OK) free(*bytes);
  if (status != HT_OK) *bytes = NULL;
  return status;
}

ht_status ht_surface_parse_file(const char *path, ht_stl *surface, ht_surface_parse parse) {
  ht_surface_points to = {.path = path, .surface = surface};
  char *bytes;
  size_t size = 0;
  HT_TRY(ht_surface_bytes(path, &bytes, &size));
  ht_status status = parse(&to, bytes, size);
  free(to.point);
  free(bytes);
  return status;
}

#include "export/wall/wall.h"
#include "export/wall/surface_net.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Computes area-weighted normals of the whole net, so that those at the rim do not depend on the
 * cut. Half the cross product of its diagonals is a quadrilateral's area vector. */
static void gather_normals(const ht_surface_net *net, float *normal) {
  for (int64_t q = 0; q < net->quads; q++) {
    const int32_t *quad = net->quad + 4 * q;
    const float *p[4];
    float d[3], e[3];
    for (int n = 0; n < 4; n++) p[n] = net->point + 3 * (int64_t)quad[n];
    for (int a = 0; a < 3; a++) d[a] = p[2][a] - p[0][a], e[a] = p[3][a] - p[1][a];
    float area[3] = {d[1] * e[2] - d[2] * e[1], d[2] * e[0] - d[0] * e[2],
                     d[0] * e[1] - d[1] * e[0]};
    for (int n = 0; n < 4; n++)
      for (int a = 0; a < 3; a++) normal[3 * (int64_t)quad[n] + a] += area[a];
  }
}

/* Numbers the points that the vessel's wall uses, in order; -1: not used. */
static int64_t number_used(const ht_surface_net *net, int32_t *number) {
  int64_t used = 0;
  for (int64_t p = 0; p < net->points; p++) number[p] = -1;
  for (int64_t q = 0; q < net->quads; q++)
    for (int n = 0; n < 4 && net->wall[q]; n++) number[net->quad[4 * q + n]] = 0;
  for (int64_t p = 0; p < net->points; p++)
    if (number[p] == 0) number[p] = (int32_t)used++;
  return used;
}

static void place_point(const ht_grid *grid, const float at[3], const float normal[3],
                        float point_mm[3], float unit[3]) {
  double index[3] = {at[0], at[1], at[2]}, along[3], lps[3];
  ht_grid_position(grid, index, lps);
  for (int r = 0; r < 3; r++) point_mm[r] = (float)lps[r];
  for (int a = 0; a < 3; a++) along[a] = normal[a] / grid->spacing_mm[a];
  ht_grid_to_lps(grid, along, lps);
  double length = ht_length(lps);
  for (int r = 0; r < 3; r++) unit[r] = (float)(length > 0 ? lps[r] / length : r == 0);
}

static int is_left_handed(const ht_grid *grid) {
  return ht_determinant(grid->direction) < 0;
}

static double distance2(const float *a, const float *b) {
  double sum = 0;
  for (int r = 0; r < 3; r++) sum += ((double)a[r] - b[r]) * ((double)a[r] - b[r]);
  return sum;
}

/* Splits each quadrilateral into two triangles along its shorter diagonal. */
static void split_quads(const ht_surface_net *net, const int32_t *number, int left_handed,
                        ht_surface *surface) {
  for (int64_t q = 0; q < net->quads; q++) {
    if (!net->wall[q]) continue;
    int32_t v[4];
    for (int n = 0; n < 4; n++) v[n] = number[net->quad[4 * q + (left_handed ? 3 - n : n)]];
    const float *p = surface->point_mm;
    int other = distance2(p + 3 * (int64_t)v[0], p + 3 * (int64_t)v[2]) >
                distance2(p + 3 * (int64_t)v[1], p + 3 * (int64_t)v[3]);
    int32_t *to = surface->triangle + 3 * surface->triangles;
    for (int n = 0; n < 3; n++) {
      to[n] = v[(n + other) % 4];
      to[3 + n] = v[((n + 2) % 4 + other) % 4];
    }
    surface->triangles += 2;
  }
}

static ht_status fill_surface(const ht_grid *grid, const ht_surface_net *net, int32_t *number,
                              const float *normal, ht_surface *surface) {
  int64_t walls = 0;
  surface->points = number_used(net, number);
  for (int64_t q = 0; q < net->quads; q++) walls += net->wall[q];
  if (walls == 0)
    return ht_fail(HT_ERR_VESSEL, "the mask has flow extensions only: there is no wall");
  size_t points = (size_t)surface->points;
  HT_TRY(ht_alloc((void **)&surface->point_mm, 3 * points, sizeof(float), "the wall's surface"));
  HT_TRY(ht_alloc((void **)&surface->normal, 3 * points, sizeof(float), "the wall's surface"));
  HT_TRY(ht_alloc((void **)&surface->triangle, 6 * (size_t)walls, sizeof(int32_t),
                  "the wall's surface"));
  for (int64_t p = 0; p < net->points; p++)
    if (number[p] >= 0)
      place_point(grid, net->point + 3 * p, normal + 3 * p,
                  surface->point_mm + 3 * (int64_t)number[p],
                  surface->normal + 3 * (int64_t)number[p]);
  split_quads(net, number, is_left_handed(grid), surface);
  return HT_OK;
}

ht_status ht_surface_build(const ht_domain *domain, ht_surface *surface) {
  ht_surface_net net = {0};
  int32_t *number = NULL;
  float *normal = NULL;
  ht_status status;
  memset(surface, 0, sizeof *surface);
  HT_TRY_DONE(ht_surface_net_make(domain, &net));
  HT_TRY_DONE(ht_surface_net_smooth(&net));
  HT_TRY_DONE(ht_alloc((void **)&number, (size_t)net.points, sizeof *number, "the surface"));
  HT_TRY_DONE(ht_alloc((void **)&normal, 3 * (size_t)net.points, sizeof *normal, "the surface"));
  gather_normals(&net, normal);
  status = fill_surface(&domain->mask.grid, &net, number, normal, surface);
done:
  ht_surface_net_free(&net);
  free(number);
  free(normal);
  if (status != HT_OK) ht_surface_free(surface);
  return status;
}

void ht_surface_free(ht_surface *surface) {
  if (!surface) return;
  free(surface->point_mm);
  free(surface->normal);
  free(surface->triangle);
  free(surface->wss_pa);
  free(surface->wss_mag_pa);
  free(surface->pressure_pa);
  free(surface->dx_plus);
  memset(surface, 0, sizeof *surface);
}

#include "app/workbench/mask_surface.h"
#include "export/wall/surface_net.h"
#include "segment/voxels/component.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double most_cells =
    1e6;                     /* of the box of the vessel: 0.03 s here, as much in the page */
static const int rounds = 6; /* of smoothing */

/* Makes a mask of cells of factor^3 voxels of the box: those that are at least half inside. */
static ht_status coarsen(const ht_mask *mask, const ht_box *box, int factor, ht_mask *coarse) {
  ht_grid grid = ht_box_grid(&mask->grid, box);
  const double middle = (factor - 1) / 2.0, first[3] = {middle, middle, middle};
  double origin[3];
  ht_grid_position(&grid, first, origin);
  memcpy(grid.origin_mm, origin, sizeof origin);
  for (int a = 0; a < 3; a++) {
    grid.dim[a] = (grid.dim[a] + factor - 1) / factor;
    grid.spacing_mm[a] *= factor;
  }
  HT_TRY(ht_mask_alloc(&grid, coarse));
  const int *dim = mask->grid.dim, *cells = grid.dim;
  for (int z = 0; z < cells[2]; z++)
    for (int v = 0; v < factor * factor * cells[1]; v++) {
      /* All rows of voxels of this slice of cells, one after the other. */
      const int dz = v % factor, y = v / factor, k = box->first[2] + factor * z + dz,
                j = box->first[1] + y;
      if (y >= factor * cells[1] || k > box->last[2] || j > box->last[1]) continue;
      const uint8_t *row = mask->inside + dim[0] * (j + (int64_t)dim[1] * k);
      uint8_t *cell = coarse->inside + cells[0] * (y / factor + (int64_t)cells[1] * z);
      for (int i = box->first[0]; i <= box->last[0]; i++)
        cell[(i - box->first[0]) / factor] += row[i] != 0;
    }
  const int64_t count = ht_grid_voxels(&grid);
  for (int64_t c = 0; c < count; c++)
    coarse->inside[c] = 2 * coarse->inside[c] >= factor * factor * factor ? HT_VESSEL : HT_SOLID;
  return HT_OK;
}

/* Moves each point to the middle of itself and its neighbours, some rounds. */
static ht_status smooth(ht_surface_net *net) {
  float *sum;
  HT_TRY(ht_alloc((void **)&sum, (size_t)net->points + 1, 4 * sizeof *sum, "a surface"));
  for (int round = 0; round < rounds; round++) {
    memset(sum, 0, (size_t)net->points * 4 * sizeof *sum);
    for (int64_t q = 0; q < net->quads; q++)
      for (int n = 0; n < 4; n++) {
        const int64_t here = net->quad[4 * q + n], next = net->quad[4 * q + (n + 1) % 4];
        for (int a = 0; a < 3; a++) {
          sum[4 * here + a] += net->point[3 * next + a];
          sum[4 * next + a] += net->point[3 * here + a];
        }
        sum[4 * here + 3]++;
        sum[4 * next + 3]++;
      }
    for (int64_t p = 0; p < net->points; p++)
      for (int a = 0; a < 3 && sum[4 * p + 3] > 0; a++)
        net->point[3 * p + a] = 0.5F * (net->point[3 * p + a] + sum[4 * p + a] / sum[4 * p + 3]);
  }
  free(sum);
  return HT_OK;
}

static ht_status take(const ht_surface_net *net, const ht_grid *grid, ht_mask_surface *surface) {
  static const int corner[6] = {0, 1, 2, 0, 2, 3};
  surface->points = net->points;
  surface->triangles = 2 * net->quads;
  HT_TRY(
      ht_alloc((void **)&surface->point_mm, (size_t)net->points, 3 * sizeof(float), "a surface"));
  HT_TRY(
      ht_alloc((void **)&surface->triangle, (size_t)net->quads, 6 * sizeof(uint32_t), "a surface"));
  for (int64_t p = 0; p < net->points; p++) {
    const double index[3] = {net->point[3 * p], net->point[3 * p + 1], net->point[3 * p + 2]};
    double place[3];
    ht_grid_position(grid, index, place);
    for (int a = 0; a < 3; a++) surface->point_mm[3 * p + a] = (float)place[a];
  }
  for (int64_t q = 0; q < net->quads; q++)
    for (int c = 0; c < 6; c++)
      surface->triangle[6 * q + c] = (uint32_t)net->quad[4 * q + corner[c]];
  return HT_OK;
}

ht_status ht_mask_surface_make(const ht_mask *mask, ht_mask_surface *surface) {
  const ht_box box = ht_box_of_mask(mask);
  double cells = 1;
  int factor = 1;
  ht_domain *domain;
  ht_surface_net net = {0};
  memset(surface, 0, sizeof *surface);
  for (int a = 0; a < 3; a++) cells *= box.last[a] - box.first[a] + 1;
  while (factor < 6 && cells / (factor * factor * factor) > most_cells)
    factor++; /* 6^3 fit a byte */
  HT_TRY(ht_alloc((void **)&domain, 1, sizeof *domain, "a surface"));
  ht_status status = coarsen(mask, &box, factor, &domain->mask);
  if (status == HT_OK) status = ht_surface_net_make(domain, &net);
  if (status == HT_OK) status = smooth(&net);
  if (status == HT_OK) status = take(&net, &domain->mask.grid, surface);
  if (status != HT_OK) ht_mask_surface_free(surface);
  ht_surface_net_free(&net);
  ht_mask_free(&domain->mask);
  free(domain);
  return status;
}

void ht_mask_surface_free(ht_mask_surface *surface) {
  free(surface->point_mm);
  free(surface->triangle);
  memset(surface, 0, sizeof *surface);
}

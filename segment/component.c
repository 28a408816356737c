#include "component.h"
#include "vessel.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void ht_box_extent(const ht_grid *grid, const ht_box *box, double min_mm[3], double max_mm[3]) {
  for (int corner = 0; corner < 8; corner++) {
    double index[3], p[3];
    for (int a = 0; a < 3; a++) index[a] = corner >> a & 1 ? box->last[a] : box->first[a];
    ht_grid_position(grid, index, p);
    for (int r = 0; r < 3; r++) {
      min_mm[r] = corner ? fmin(min_mm[r], p[r]) : p[r];
      max_mm[r] = corner ? fmax(max_mm[r], p[r]) : p[r];
    }
  }
}

static ht_status outside(const ht_grid *grid) {
  const ht_box all = {{0, 0, 0}, {grid->dim[0] - 1, grid->dim[1] - 1, grid->dim[2] - 1}};
  double min_mm[3], max_mm[3];
  ht_box_extent(grid, &all, min_mm, max_mm);
  return ht_fail(HT_ERR_CASE,
                 "region: no voxel of the scan lies in it; the scan's box is [%.1f, %.1f, %.1f] to "
                 "[%.1f, %.1f, %.1f] mm (LPS: NIfTI's x and y with the sign changed)",
                 min_mm[0], min_mm[1], min_mm[2], max_mm[0], max_mm[1], max_mm[2]);
}

ht_status ht_box_of_region(const ht_grid *grid, const double *min_mm, const double *max_mm,
                           ht_box *box) {
  const double slack = 1e-6; /* voxels: a box given by voxel centres has them */
  for (int a = 0; a < 3; a++) {
    box->first[a] = 0;
    box->last[a] = grid->dim[a] - 1;
  }
  if (!min_mm) return HT_OK;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int corner = 0; corner < 8; corner++) {
    double p[3], index[3];
    for (int r = 0; r < 3; r++) p[r] = corner >> r & 1 ? max_mm[r] : min_mm[r];
    ht_grid_index(grid, p, index);
    for (int a = 0; a < 3; a++) low[a] = fmin(low[a], index[a]);
    for (int a = 0; a < 3; a++) high[a] = fmax(high[a], index[a]);
  }
  for (int a = 0; a < 3; a++) {
    if (!(high[a] >= -slack && low[a] <= grid->dim[a] - 1 + slack)) return outside(grid);
    box->first[a] = (int)fmax(0, ceil(low[a] - slack));
    box->last[a] = (int)fmin(grid->dim[a] - 1, floor(high[a] + slack));
    if (box->first[a] > box->last[a]) return outside(grid);
  }
  return HT_OK;
}

ht_box ht_box_of_mask(const ht_mask *mask) {
  const int *dim = mask->grid.dim;
  ht_box box = {{dim[0], dim[1], dim[2]}, {-1, -1, -1}};
  const uint8_t *inside = mask->inside;
  for (int k = 0; k < dim[2]; k++)
    for (int j = 0; j < dim[1]; j++)
      for (int i = 0; i < dim[0]; i++) {
        if (!*inside++) continue;
        int at[3] = {i, j, k};
        for (int a = 0; a < 3; a++) {
          if (at[a] < box.first[a]) box.first[a] = at[a];
          if (at[a] > box.last[a]) box.last[a] = at[a];
        }
      }
  return box;
}

ht_box ht_box_grow(const ht_grid *grid, const ht_box *box, int margin) {
  ht_box grown;
  for (int a = 0; a < 3; a++) {
    grown.first[a] = box->first[a] - margin < 0 ? 0 : box->first[a] - margin;
    int last = grid->dim[a] - 1;
    grown.last[a] = box->last[a] + margin > last ? last : box->last[a] + margin;
  }
  return grown;
}

static ht_grid grid_of_box(const ht_grid *grid, const ht_box *box) {
  ht_grid part = *grid;
  double first[3] = {box->first[0], box->first[1], box->first[2]};
  ht_grid_position(grid, first, part.origin_mm);
  for (int a = 0; a < 3; a++) part.dim[a] = box->last[a] - box->first[a] + 1;
  return part;
}

/* Copies the rows of `box` that the grid has; elements of `size` bytes. */
static void copy_box(const ht_grid *grid, const ht_box *box, size_t size, const void *from,
                     void *to) {
  const int *dim = grid->dim;
  size_t nx = (size_t)(box->last[0] - box->first[0] + 1);
  size_t ny = (size_t)(box->last[1] - box->first[1] + 1);
  int begin = box->first[0] < 0 ? 0 : box->first[0];
  int end = box->last[0] >= dim[0] ? dim[0] - 1 : box->last[0];
  for (int k = box->first[2]; k <= box->last[2]; k++)
    for (int j = box->first[1]; j <= box->last[1]; j++) {
      if (k < 0 || k >= dim[2] || j < 0 || j >= dim[1] || begin > end) continue;
      size_t source = ((size_t)k * dim[1] + j) * dim[0] + begin;
      size_t target = ((size_t)(k - box->first[2]) * ny + (j - box->first[1])) * nx;
      memcpy((char *)to + (target + (size_t)(begin - box->first[0])) * size,
             (const char *)from + source * size, (size_t)(end - begin + 1) * size);
    }
}

ht_status ht_volume_crop(const ht_volume *from, const ht_box *box, ht_volume *to) {
  ht_grid grid = grid_of_box(&from->grid, box);
  memset(to, 0, sizeof *to);
  HT_TRY(ht_volume_alloc(&grid, to));
  memcpy(to->modality, from->modality, sizeof to->modality);
  copy_box(&from->grid, box, sizeof *to->values, from->values, to->values);
  return HT_OK;
}

ht_status ht_mask_crop(const ht_mask *from, const ht_box *box, ht_mask *to) {
  ht_grid grid = grid_of_box(&from->grid, box);
  memset(to, 0, sizeof *to);
  HT_TRY(ht_mask_alloc(&grid, to));
  copy_box(&from->grid, box, sizeof *to->inside, from->inside, to->inside);
  return HT_OK;
}

/* The number of the largest piece; of equals the one that comes first in the image, since how the
 * pieces are numbered is the filter's affair. */
static ht_status largest_piece(const int32_t *labels, int64_t voxels, int pieces, int32_t *best) {
  int64_t *size;
  *best = 0;
  HT_TRY(ht_alloc((void **)&size, (size_t)pieces + 1, sizeof *size, "sizes of components"));
  for (int64_t v = 0; v < voxels; v++) size[labels[v]]++;
  size[0] = 0;
  for (int64_t v = 0; v < voxels; v++)
    if (size[labels[v]] > size[*best]) *best = labels[v];
  free(size);
  return HT_OK;
}

static int32_t nearest_piece(const ht_grid *grid, const int32_t *labels, const double seed_mm[3]) {
  double at[3], best = INFINITY;
  int32_t nearest = 0;
  ht_grid_index(grid, seed_mm, at);
  for (int k = 0; k < grid->dim[2]; k++)
    for (int j = 0; j < grid->dim[1]; j++)
      for (int i = 0; i < grid->dim[0]; i++, labels++) {
        if (!*labels) continue;
        double x = (i - at[0]) * grid->spacing_mm[0], y = (j - at[1]) * grid->spacing_mm[1],
               z = (k - at[2]) * grid->spacing_mm[2], square = x * x + y * y + z * z;
        if (square >= best) continue;
        best = square;
        nearest = *labels;
      }
  return nearest;
}

ht_status ht_mask_keep_piece(ht_mask *mask, const double *seed_mm, const ht_progress *progress,
                             int *pieces, double *fraction) {
  int32_t *labels, chosen = 0;
  int count;
  int64_t voxels = ht_grid_voxels(&mask->grid), all = ht_mask_count(mask), kept = 0;
  for (int64_t v = 0; v < voxels; v++) mask->inside[v] = mask->inside[v] != 0;
  HT_TRY(ht_itk_components(mask, progress, &labels, &count));
  ht_status status = HT_OK;
  if (seed_mm)
    chosen = nearest_piece(&mask->grid, labels, seed_mm);
  else
    status = largest_piece(labels, voxels, count, &chosen);
  for (int64_t v = 0; v < voxels && status == HT_OK; v++) {
    mask->inside[v] = chosen && labels[v] == chosen;
    kept += mask->inside[v];
  }
  free(labels);
  if (pieces) *pieces = count;
  if (fraction) *fraction = all ? (double)kept / (double)all : 0;
  return status;
}

#include "segment/voxels/component.h"
#include "segment/voxels/pieces.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

double ht_mean_spacing(const ht_grid *grid) {
  return cbrt(grid->spacing_mm[0] * grid->spacing_mm[1] * grid->spacing_mm[2]);
}

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

ht_grid ht_box_grid(const ht_grid *grid, const ht_box *box) {
  ht_grid part = *grid;
  double first[3] = {box->first[0], box->first[1], box->first[2]};
  ht_grid_position(grid, first, part.origin_mm);
  for (int a = 0; a < 3; a++) part.dim[a] = box->last[a] - box->first[a] + 1;
  return part;
}

void ht_mask_clip_sphere(ht_mask *mask, const double centre_mm[3], double radius_mm) {
  const ht_grid *grid = &mask->grid;
  double at[3], square = radius_mm * radius_mm;
  uint8_t *inside = mask->inside;
  ht_grid_index(grid, centre_mm, at);
  for (int k = 0; k < grid->dim[2]; k++)
    for (int j = 0; j < grid->dim[1]; j++)
      for (int i = 0; i < grid->dim[0]; i++, inside++) {
        double x = (i - at[0]) * grid->spacing_mm[0], y = (j - at[1]) * grid->spacing_mm[1],
               z = (k - at[2]) * grid->spacing_mm[2];
        if (x * x + y * y + z * z > square) *inside = 0;
      }
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
  ht_grid grid = ht_box_grid(&from->grid, box);
  memset(to, 0, sizeof *to);
  HT_TRY(ht_volume_alloc(&grid, to));
  memcpy(to->modality, from->modality, sizeof to->modality);
  copy_box(&from->grid, box, sizeof *to->values, from->values, to->values);
  return HT_OK;
}

ht_status ht_mask_crop(const ht_mask *from, const ht_box *box, ht_mask *to) {
  ht_grid grid = ht_box_grid(&from->grid, box);
  memset(to, 0, sizeof *to);
  HT_TRY(ht_mask_alloc(&grid, to));
  copy_box(&from->grid, box, sizeof *to->inside, from->inside, to->inside);
  return HT_OK;
}

static float mean_of(const ht_volume *image, const int first[3], const int factor[3]) {
  const int *dim = image->grid.dim;
  double sum = 0;
  for (int z = first[2]; z < first[2] + factor[2]; z++)
    for (int y = first[1]; y < first[1] + factor[1]; y++) {
      const float *row = image->values + first[0] + dim[0] * (y + (int64_t)dim[1] * z);
      for (int x = 0; x < factor[0]; x++) sum += isfinite(row[x]) ? row[x] : 0;
    }
  return (float)(sum / ((double)factor[0] * factor[1] * factor[2]));
}

ht_status ht_volume_shrink(const ht_volume *image, const ht_box *box, const int factor[3],
                           ht_volume *small) {
  ht_grid grid = image->grid;
  for (int a = 0; a < 3; a++) {
    int many = (box->last[a] - box->first[a] + 1) / factor[a];
    grid.dim[a] = many > 0 ? many : 1;
    grid.spacing_mm[a] *= factor[a];
  }
  HT_TRY(ht_volume_alloc(&grid, small));
  float *value = small->values;
  for (int k = 0; k < grid.dim[2]; k++)
    for (int j = 0; j < grid.dim[1]; j++)
      for (int i = 0; i < grid.dim[0]; i++) {
        const int at[3] = {i, j, k};
        int first[3], size[3];
        for (int a = 0; a < 3; a++) {
          first[a] = box->first[a] + at[a] * factor[a];
          size[a] =
              first[a] + factor[a] - 1 <= box->last[a] ? factor[a] : box->last[a] - first[a] + 1;
        }
        *value++ = mean_of(image, first, size);
      }
  return HT_OK;
}

float ht_volume_least(const ht_volume *scan, const ht_box *box) {
  const int *dim = scan->grid.dim;
  float least = INFINITY;
  for (int k = box->first[2]; k <= box->last[2]; k++)
    for (int j = box->first[1]; j <= box->last[1]; j++) {
      const float *row = scan->values + dim[0] * (j + (int64_t)dim[1] * k);
      for (int i = box->first[0]; i <= box->last[0]; i++)
        if (row[i] < least && isfinite(row[i])) least = row[i];
    }
  return isfinite(least) ? least : 0;
}

void ht_volume_mend(ht_volume *image, float least) {
  int64_t voxels = ht_grid_voxels(&image->grid);
  for (int64_t v = 0; v < voxels; v++)
    if (!isfinite(image->values[v])) image->values[v] = least;
}

ht_status ht_volume_coarsen(const ht_volume *image, const ht_box *box, int factor,
                            ht_volume *small) {
  const int factors[3] = {factor, factor, factor};
  double first[3];
  HT_TRY(ht_volume_shrink(image, box, factors, small));
  for (int a = 0; a < 3; a++) first[a] = box->first[a] + (factor - 1) / 2.0;
  ht_grid_position(&image->grid, first, small->grid.origin_mm);
  return HT_OK;
}

void ht_volume_paste(const ht_volume *from, const ht_box *part, const int first[3], ht_volume *to) {
  const int *size = from->grid.dim, *dim = to->grid.dim;
  size_t row = (size_t)(part->last[0] - part->first[0] + 1);
  for (int k = part->first[2]; k <= part->last[2]; k++)
    for (int j = part->first[1]; j <= part->last[1]; j++) {
      int64_t y = first[1] + j - part->first[1], z = first[2] + k - part->first[2];
      memcpy(to->values + first[0] + dim[0] * (y + dim[1] * z),
             from->values + part->first[0] + size[0] * (j + (int64_t)size[1] * k),
             row * sizeof(float));
    }
}

ht_status ht_mask_keep_piece(ht_mask *mask, const double *seed_mm, int *count, double *fraction) {
  ht_pieces pieces;
  uint8_t *keep;
  int64_t all = 0, kept = 0;
  HT_TRY(ht_pieces_find(mask, 1, &pieces));
  ht_status status = ht_alloc((void **)&keep, (size_t)pieces.count + 1, 1, "pieces of the mask");
  int chosen =
      seed_mm ? ht_pieces_nearest(&pieces, &mask->grid, seed_mm) : ht_pieces_largest(&pieces);
  if (status == HT_OK && chosen >= 0) {
    keep[chosen] = 1;
    ht_pieces_paint(&pieces, keep, 0, 0, mask);
    ht_pieces_paint(&pieces, keep, 1, 1, mask);
    kept = pieces.piece[chosen].voxels;
  }
  for (int p = 0; p < pieces.count; p++) all += pieces.piece[p].voxels;
  if (count) *count = pieces.count;
  if (fraction) *fraction = all ? (double)kept / (double)all : 0;
  if (status == HT_OK) free(keep);
  ht_pieces_free(&pieces);
  return status;
}

ht_status ht_mask_fill_cavities(ht_mask *mask) {
  ht_pieces pieces;
  uint8_t *keep;
  HT_TRY(ht_pieces_find(mask, 0, &pieces));
  ht_status status = ht_alloc((void **)&keep, (size_t)pieces.count + 1, 1, "cavities of the mask");
  for (int p = 0; p < pieces.count && status == HT_OK; p++) keep[p] = !pieces.piece[p].at_border;
  if (status == HT_OK) ht_pieces_paint(&pieces, keep, 1, 1, mask);
  if (status == HT_OK) free(keep);
  ht_pieces_free(&pieces);
  return status;
}

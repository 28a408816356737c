#include "segment/voxels/block.h"
#include "segment/voxels/vessel.h"
#include <math.h>
#include <string.h>

static int along(const ht_grid *grid, int a, int side) {
  return (grid->dim[a] + side - 1) / side;
}

int64_t ht_block_count(const ht_grid *grid, int side) {
  return (int64_t)along(grid, 0, side) * along(grid, 1, side) * along(grid, 2, side);
}

ht_block ht_block_at(const ht_grid *grid, int side, const int halo[3], int64_t n) {
  ht_block block;
  for (int a = 0; a < 3; a++) {
    int first = (int)(n % along(grid, a, side)) * side, end = grid->dim[a] - 1;
    n /= along(grid, a, side);
    int last = first + side - 1 < end ? first + side - 1 : end;
    block.inner.first[a] = first;
    block.inner.last[a] = last;
    block.outer.first[a] = first > halo[a] ? first - halo[a] : 0;
    block.outer.last[a] = last + halo[a] < end ? last + halo[a] : end;
  }
  return block;
}

ht_box ht_block_inner(const ht_block *block) {
  ht_box box;
  for (int a = 0; a < 3; a++) {
    box.first[a] = block->inner.first[a] - block->outer.first[a];
    box.last[a] = block->inner.last[a] - block->outer.first[a];
  }
  return box;
}

void ht_block_visit(const ht_block *block, const ht_volume *part, ht_block_visitor visit,
                    void *with) {
  const ht_box *in = &block->inner;
  for (int k = in->first[2]; k <= in->last[2]; k++)
    for (int j = in->first[1]; j <= in->last[1]; j++)
      for (int i = in->first[0]; i <= in->last[0]; i++) {
        const int at[3] = {i, j, k};
        int local[3];
        for (int a = 0; a < 3; a++) local[a] = at[a] - block->outer.first[a];
        visit(at, part->values[ht_voxel_index(part->grid.dim, local)], with);
      }
}

void ht_block_halo(const ht_grid *grid, double reach_mm, int halo[3]) {
  for (int a = 0; a < 3; a++)
    halo[a] = (int)fmin(grid->dim[a], ceil(fmax(reach_mm, 0) / grid->spacing_mm[a]) + 1);
}

/* The voxels to mark, and the reach of the search. */
typedef struct {
  const ht_mask *mask;
  int of;
  double near_mm, far_mm;
  ht_mask *ring;
} search;

static void mark_row(const search *s, const float *distance, int64_t at, int count) {
  for (int i = 0; i < count; i++)
    s->ring->inside[at + i] = distance[i] > s->near_mm && distance[i] <= s->far_mm;
}

/* Distances of the block's voxels, from the outer box's grid to the whole one's. */
static void mark_block(const search *s, const ht_block *block, const ht_volume *distance) {
  const int *dim = s->mask->grid.dim, *size = distance->grid.dim;
  const ht_box *in = &block->inner, local = ht_block_inner(block);
  int count = in->last[0] - in->first[0] + 1;
  for (int k = in->first[2]; k <= in->last[2]; k++)
    for (int j = in->first[1]; j <= in->last[1]; j++) {
      int64_t y = j - in->first[1] + local.first[1], z = k - in->first[2] + local.first[2];
      const float *row = distance->values + (z * size[1] + y) * size[0] + local.first[0];
      mark_row(s, row, in->first[0] + dim[0] * (j + (int64_t)dim[1] * k), count);
    }
}

static ht_status ring_of_block(const search *s, const ht_block *block,
                               const ht_progress *progress) {
  ht_mask part;
  ht_volume distance = {0};
  HT_TRY(ht_mask_crop(s->mask, &block->outer, &part));
  int64_t voxels = ht_grid_voxels(&part.grid), found = 0;
  for (int64_t v = 0; v < voxels; v++) found += part.inside[v] = (part.inside[v] != 0) == s->of;
  ht_status status = HT_OK;
  if (found > 0) {
    status = ht_itk_distance(&part, progress, &distance);
  } else if (isinf(s->far_mm)) { /* none within reach: all are farther */
    status = ht_volume_alloc(&part.grid, &distance);
    for (int64_t v = 0; v < voxels && status == HT_OK; v++) distance.values[v] = INFINITY;
  }
  if (status == HT_OK && distance.values) mark_block(s, block, &distance);
  ht_volume_free(&distance);
  ht_mask_free(&part);
  return status;
}

ht_status ht_mask_ring(const ht_mask *mask, int of, double near_mm, double far_mm,
                       const ht_progress *progress, ht_mask *ring) {
  enum { SIDE = 64 };
  int halo[3];
  search s = {mask, of, near_mm, far_mm, ring};
  int64_t blocks = ht_block_count(&mask->grid, SIDE);
  HT_TRY(ht_mask_alloc(&mask->grid, ring));
  ht_block_halo(&mask->grid, isinf(far_mm) ? near_mm : far_mm, halo);
  ht_status status = HT_OK;
  for (int64_t n = 0; n < blocks && status == HT_OK; n++) {
    ht_block block = ht_block_at(&mask->grid, SIDE, halo, n);
    status = ht_progress_report(progress, "segment", (double)n, (double)blocks, "distance");
    if (status == HT_OK) status = ring_of_block(&s, &block, NULL);
  }
  if (status != HT_OK) ht_mask_free(ring);
  return status;
}

ht_status ht_mask_grow(const ht_mask *mask, double reach_mm, const ht_progress *progress,
                       ht_mask *grown) {
  return ht_mask_ring(mask, 1, -1, reach_mm, progress, grown);
}

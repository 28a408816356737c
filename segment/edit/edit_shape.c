#include "segment/edit/edit_kinds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The ball of a radius as rows along x: of the row (y, z) the voxels -half .. half; -1: none. */
typedef struct {
  int radius;
  int *half; /* [2 radius + 1][2 radius + 1] */
} ball;

enum { RADIUS_MOST = 30 /* voxels: a larger ball takes minutes */ };

static ht_status ball_of(const ht_edit_job *job, ball *of) {
  /* A radius of whole voxels, typed in mm, reaches them in spite of rounding. */
  const double radius = job->step->radius_mm / job->lattice->spacing_mm[0] * (1 + 1e-5);
  of->half = NULL;
  of->radius = (int)floor(radius);
  if (of->radius < 1)
    return ht_fail(HT_ERR_USAGE, "radius_mm is %g, less than a voxel of the mask, %.4g mm",
                   job->step->radius_mm, job->lattice->spacing_mm[0]);
  if (of->radius > RADIUS_MOST)
    return ht_fail(HT_ERR_USAGE, "radius_mm is %g: at most %d voxels of the mask, %.4g mm",
                   job->step->radius_mm, RADIUS_MOST, RADIUS_MOST * job->lattice->spacing_mm[0]);
  const int side = 2 * of->radius + 1;
  HT_TRY(ht_alloc((void **)&of->half, (size_t)side * side, sizeof *of->half, "a ball"));
  for (int z = -of->radius; z <= of->radius; z++)
    for (int y = -of->radius; y <= of->radius; y++) {
      const double left = radius * radius - y * y - z * z;
      const int half = left >= 0 ? (int)floor(sqrt(left)) : -1;
      of->half[(y + of->radius) + side * (z + of->radius)] = half;
    }
  return HT_OK;
}

/* Returns 1 where one of the six neighbours has another value. */
static int is_at_edge(const ht_mask *mask, int x, int y, int z) {
  const int *dim = mask->grid.dim;
  const int64_t row = dim[0], slice = row * dim[1], v = x + row * y + slice * z;
  const uint8_t *inside = mask->inside, value = inside[v];
  return (x > 0 && inside[v - 1] != value) || (x < dim[0] - 1 && inside[v + 1] != value) ||
         (y > 0 && inside[v - row] != value) || (y < dim[1] - 1 && inside[v + row] != value) ||
         (z > 0 && inside[v - slice] != value) || (z < dim[2] - 1 && inside[v + slice] != value);
}

/* Gives `value` to the part of the ball around (x, y) of slice `from_z` that lies in slice z. */
static void stamp(const ball *of, int x, int y, int from_z, int z, uint8_t value, ht_mask *to) {
  const int *dim = to->grid.dim, side = 2 * of->radius + 1;
  for (int dy = -of->radius; dy <= of->radius; dy++) {
    const int half = of->half[dy + of->radius + side * (z - from_z + of->radius)];
    int x0 = x - half, x1 = x + half;
    if (half < 0 || y + dy < 0 || y + dy >= dim[1]) continue;
    if (x0 < 0) x0 = 0;
    if (x1 >= dim[0]) x1 = dim[0] - 1;
    memset(to->inside + x0 + dim[0] * (y + dy + (int64_t)dim[1] * z), value, (size_t)(x1 - x0 + 1));
  }
}

/* Returns 1 where no voxel of row (y, z) can be at an edge: it and the rows next to it have no
 * other value. Most rows are so, and this is found fast. */
static int is_uniform(const ht_mask *mask, uint8_t value, int y, int z) {
  static const int next[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  const int *dim = mask->grid.dim;
  for (int n = 0; n < 5; n++) {
    const int j = y + next[n][0], k = z + next[n][1];
    if (j < 0 || j >= dim[1] || k < 0 || k >= dim[2]) continue;
    if (memchr(mask->inside + dim[0] * (j + (int64_t)dim[1] * k), !value, (size_t)dim[0])) return 0;
  }
  return 1;
}

/* Lists the voxels of slice z that have the value and are at its edge, where edge[] is not NULL;
 * returns their number. */
static int64_t list_edge(const ht_mask *mask, uint8_t value, int z, int64_t *edge) {
  const int *dim = mask->grid.dim;
  int64_t count = 0;
  for (int y = 0; y < dim[1]; y++) {
    const int64_t row = dim[0] * (y + (int64_t)dim[1] * z);
    if (!memchr(mask->inside + row, value, (size_t)dim[0]) || is_uniform(mask, value, y, z))
      continue;
    for (int x = 0; x < dim[0]; x++) {
      if (mask->inside[row + x] != value || !is_at_edge(mask, x, y, z)) continue;
      if (edge) edge[count] = row + x;
      count++;
    }
  }
  return count;
}

/* Gives `value` to all voxels of slice z within the ball of an edge; those of slice k are
 * edge[begin[k]] to edge[begin[k + 1] - 1]. */
static void spread_to(const ball *of, uint8_t value, const int64_t *edge, const int64_t *begin,
                      int z, ht_mask *mask) {
  const int *dim = mask->grid.dim;
  const int low = z - of->radius > 0 ? z - of->radius : 0,
            high = z + of->radius < dim[2] - 1 ? z + of->radius : dim[2] - 1;
  for (int k = low; k <= high; k++)
    for (int64_t e = begin[k]; e < begin[k + 1]; e++)
      stamp(of, (int)(edge[e] % dim[0]), (int)(edge[e] / dim[0] % dim[1]), k, z, value, mask);
}

/* Gives `value` to all voxels within the ball of one that has it (Minkowski sum). Only voxels at
 * the edge of the set matter. Each slice of `mask` is written by one thread. HT_ERR_MEMORY. */
static ht_status spread(const ball *of, uint8_t value, ht_mask *mask) {
  const int slices = mask->grid.dim[2];
  int64_t *edge, *begin;
  HT_TRY(ht_alloc((void **)&begin, (size_t)slices + 1, sizeof *begin, "the mask's edge"));
#pragma omp parallel for
  for (int z = 0; z < slices; z++) begin[z + 1] = list_edge(mask, value, z, NULL);
  for (int z = 0; z < slices; z++) begin[z + 1] += begin[z];
  ht_status status =
      ht_alloc((void **)&edge, (size_t)begin[slices] + 1, sizeof *edge, "the mask's edge");
  if (status == HT_OK) {
#pragma omp parallel for
    for (int z = 0; z < slices; z++) list_edge(mask, value, z, edge + begin[z]);
#pragma omp parallel for schedule(dynamic)
    for (int z = 0; z < slices; z++) spread_to(of, value, edge, begin, z, mask);
    free(edge);
  }
  free(begin);
  return status;
}

ht_status ht_edit_grow(const ht_edit_job *job, ht_mask *work) {
  ball of;
  HT_TRY(ball_of(job, &of));
  ht_status status = spread(&of, job->step->kind == HT_EDIT_GROW, work);
  free(of.half);
  return status;
}

ht_status ht_edit_close(const ht_edit_job *job, ht_mask *work) {
  ball of;
  HT_TRY(ball_of(job, &of));
  ht_status status = spread(&of, 1, work);
  if (status == HT_OK) status = spread(&of, 0, work);
  free(of.half);
  return status;
}

/* Counts the voxels of the ball around a voxel: those in the grid, and those inside. `sums`: of
 * each row the number inside before each voxel, dim[0] + 1 of them. */
static void count_ball(const ball *of, const ht_mask *mask, const int32_t *sums, const int at[3],
                       int64_t *there, int64_t *inside) {
  const int *dim = mask->grid.dim, side = 2 * of->radius + 1;
  *there = *inside = 0;
  for (int dz = -of->radius; dz <= of->radius; dz++)
    for (int dy = -of->radius; dy <= of->radius; dy++) {
      const int half = of->half[dy + of->radius + side * (dz + of->radius)];
      const int y = at[1] + dy, z = at[2] + dz;
      if (half < 0 || y < 0 || y >= dim[1] || z < 0 || z >= dim[2]) continue;
      const int x0 = at[0] > half ? at[0] - half : 0,
                x1 = at[0] + half < dim[0] ? at[0] + half : dim[0] - 1;
      const int32_t *sum = sums + (dim[0] + 1) * (y + (int64_t)dim[1] * z);
      *there += x1 - x0 + 1;
      *inside += sum[x1 + 1] - sum[x0];
    }
}

static void sum_rows(const ht_mask *mask, int32_t *sums) {
  const int *dim = mask->grid.dim;
#pragma omp parallel for
  for (int z = 0; z < dim[2]; z++)
    for (int y = 0; y < dim[1]; y++) {
      const int64_t row = y + (int64_t)dim[1] * z;
      int32_t *sum = sums + (dim[0] + 1) * row;
      for (int x = 0; x < dim[0]; x++) sum[x + 1] = sum[x] + mask->inside[dim[0] * row + x];
    }
}

/* Gives each voxel of which `mixed` is 1 the value that most of its ball has; of half and half it
 * keeps its own. */
static void take_majority(const ball *of, const int32_t *sums, const ht_mask *mixed,
                          ht_mask *mask) {
  const int *dim = mask->grid.dim;
#pragma omp parallel for schedule(dynamic)
  for (int z = 0; z < dim[2]; z++)
    for (int y = 0; y < dim[1]; y++)
      for (int x = 0; x < dim[0]; x++) {
        const int64_t v = x + dim[0] * (y + (int64_t)dim[1] * z);
        const int at[3] = {x, y, z};
        int64_t there, inside;
        if (!mixed->inside[v]) continue;
        count_ball(of, mask, sums, at, &there, &inside);
        if (2 * inside != there) mask->inside[v] = 2 * inside > there;
      }
}

/* Marks the voxels whose ball has both values; the others keep theirs. */
static ht_status find_mixed(const ball *of, const ht_mask *mask, ht_mask *mixed) {
  const size_t voxels = (size_t)ht_grid_voxels(&mask->grid);
  ht_mask pure = {0};
  HT_TRY(ht_mask_alloc(&mask->grid, &pure));
  memcpy(pure.inside, mask->inside, voxels);
  memcpy(mixed->inside, mask->inside, voxels);
  ht_status status = spread(of, 1, mixed);
  if (status == HT_OK) status = spread(of, 0, &pure);
  for (size_t v = 0; v < voxels; v++) mixed->inside[v] &= !pure.inside[v];
  ht_mask_free(&pure);
  return status;
}

static ht_status smooth(const ball *of, ht_mask *work) {
  const int *dim = work->grid.dim;
  ht_mask mixed;
  int32_t *sums;
  HT_TRY(ht_alloc((void **)&sums, (size_t)(dim[0] + 1) * dim[1] * dim[2], sizeof *sums,
                  "the sums of the mask's rows"));
  ht_status status = ht_mask_alloc(&work->grid, &mixed);
  if (status == HT_OK) status = find_mixed(of, work, &mixed);
  if (status == HT_OK) {
    sum_rows(work, sums);
    take_majority(of, sums, &mixed, work);
  }
  ht_mask_free(&mixed);
  free(sums);
  return status;
}

ht_status ht_edit_smooth(const ht_edit_job *job, ht_mask *work) {
  ball of;
  HT_TRY(ball_of(job, &of));
  ht_status status = smooth(&of, work);
  free(of.half);
  return status;
}

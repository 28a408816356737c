#include "segment/surface/follow.h"
#include "segment/voxels/component.h"
#include "segment/shape/triangle_distance.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ridge = 0.15; /* spacings */

/* Fills to[]: 1 where from[] is 1 within `steps` along the axis. */
static void spread(const int dim[3], const uint8_t *from, int axis, int steps, uint8_t *to) {
  int64_t stride = axis == 0 ? 1 : axis == 1 ? dim[0] : (int64_t)dim[0] * dim[1];
  int64_t voxels = (int64_t)dim[0] * dim[1] * dim[2];
#pragma omp parallel for schedule(static)
  for (int64_t v = 0; v < voxels; v++) {
    int at[3];
    ht_voxel_place(dim, v, at);
    to[v] = 0;
    for (int d = -steps; d <= steps; d++)
      if (at[axis] + d >= 0 && at[axis] + d < dim[axis]) to[v] |= from[v + d * stride];
  }
}

/* Fills near[]: 1 where the mask has a voxel of `value` in the box of +-steps around. */
static void mark_near(const ht_mask *mask, uint8_t value, int steps, uint8_t *near, uint8_t *work) {
  const int *dim = mask->grid.dim;
  int64_t voxels = ht_grid_voxels(&mask->grid);
  for (int64_t v = 0; v < voxels; v++) near[v] = (mask->inside[v] != 0) == value;
  spread(dim, near, 0, steps, work);
  spread(dim, work, 1, steps, near);
  spread(dim, near, 2, steps, work);
  memcpy(near, work, (size_t)voxels);
}

/* Tells whether a node may turn inside: on a face of the grid only next to an opening there. */
static int may_turn_in(const ht_mask *mask, int64_t v) {
  const int *dim = mask->grid.dim;
  int at[3], face = -1, beside = 0;
  ht_voxel_place(dim, v, at);
  for (int a = 0; a < 3; a++)
    if (at[a] == 0 || at[a] == dim[a] - 1) face = a;
  if (face < 0) return 1;
  for (int k = 0; k < 9; k++) {
    int near[3] = {at[0], at[1], at[2]};
    near[(face + 1) % 3] += k % 3 - 1;
    near[(face + 2) % 3] += k / 3 - 1;
    beside |= ht_voxel_in_grid(dim, near) && mask->inside[ht_voxel_index(dim, near)];
  }
  return beside;
}

static int same_grid(const ht_grid *a, const ht_grid *b) {
  return memcmp(a->dim, b->dim, sizeof a->dim) == 0 &&
         fabs(a->spacing_mm[0] - b->spacing_mm[0]) < 1e-6 * a->spacing_mm[0];
}

static void follow(ht_mask *mask, const ht_mask *truth, int steps, uint8_t *work[3]) {
  int64_t voxels = ht_grid_voxels(&mask->grid);
  mark_near(mask, 1, steps, work[0], work[2]);
  mark_near(mask, 0, steps, work[1], work[2]);
  for (int64_t v = 0; v < voxels; v++) {
    int in = truth->inside[v] != 0;
    work[2][v] = mask->inside[v];
    if (in == (mask->inside[v] != 0) || !work[0][v] || !work[1][v]) continue;
    work[2][v] = (uint8_t)(in && may_turn_in(mask, v));
  }
  memcpy(mask->inside, work[2], (size_t)voxels);
}

/* ---- rows of one node ---- */

static int solid_at(const ht_mask *mask, const int at[3], int axis, int step) {
  int near[3] = {at[0], at[1], at[2]};
  near[axis] += step;
  return ht_voxel_in_grid(mask->grid.dim, near) &&
         !mask->inside[ht_voxel_index(mask->grid.dim, near)];
}

static int is_ridge(const ht_mask *mask, int64_t v) {
  int at[3], gap = 0;
  ht_voxel_place(mask->grid.dim, v, at);
  for (int a = 0; a < 3; a++) gap |= solid_at(mask, at, a, -1) && solid_at(mask, at, a, 1);
  return gap;
}

void ht_mask_drop_ridges(ht_mask *mask, const float *distance) {
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++)
    if (mask->inside[v] && distance[v] < ridge && is_ridge(mask, v)) mask->inside[v] = 0;
}

static ht_status list_all(const ht_mask *mask, const ht_triangles *surface,
                          ht_triangle_list *list) {
  for (int t = 0; t < surface->count; t++) {
    ht_corners one;
    for (int c = 0; c < 3; c++) {
      const float *p = surface->corner[t][c];
      const double lps[3] = {p[0], p[1], p[2]};
      ht_grid_index(&mask->grid, lps, one[c]);
    }
    HT_TRY(ht_triangle_list_add(list, (const double(*)[3])one));
  }
  return HT_OK;
}

static ht_status drop_ridges(ht_mask *mask, const ht_triangles *surface) {
  ht_triangle_list list = {0};
  float *distance = NULL;
  int64_t voxels = ht_grid_voxels(&mask->grid);
  ht_status status = ht_alloc((void **)&distance, (size_t)voxels, sizeof *distance,
                              "the distance from the surface");
  if (status == HT_OK) status = list_all(mask, surface, &list);
  if (status == HT_OK) ht_triangle_list_distance(&list, mask->grid.dim, ridge, distance);
  if (status == HT_OK) ht_mask_drop_ridges(mask, distance);
  ht_triangle_list_free(&list);
  free(distance);
  return status;
}

ht_status ht_mask_follow(ht_mask *mask, const ht_mask *truth, const ht_triangles *surface,
                         double near_mm) {
  uint8_t *work[3] = {NULL, NULL, NULL};
  ht_status status = HT_OK;
  if (!same_grid(&mask->grid, &truth->grid))
    return ht_fail(HT_ERR_INTERNAL, "the surface was not sampled on the mask's lattice");
  int steps = (int)ceil(near_mm / mask->grid.spacing_mm[0]);
  for (int k = 0; k < 3 && status == HT_OK; k++)
    status = ht_alloc((void **)&work[k], (size_t)ht_grid_voxels(&mask->grid), 1,
                      "the surface on the lattice");
  if (status == HT_OK) follow(mask, truth, steps < 1 ? 1 : steps, work);
  if (status == HT_OK) status = drop_ridges(mask, surface);
  if (status == HT_OK) status = ht_mask_keep_piece(mask, NULL, NULL, NULL);
  if (status == HT_OK) status = ht_mask_fill_cavities(mask);
  for (int k = 0; k < 3; k++) free(work[k]);
  return status;
}

#include "validation/runs/round_pipe.h"
#include "tiling/tiles.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 6 }; /* spacings: solid voxels around the pipe */

static int whole_tiles(double length) {
  return HT_TILE_SIDE * (int)ceil(length / HT_TILE_SIDE);
}

ht_round_pipe ht_round_pipe_make(int across, int diagonal, double lengths) {
  const double half = sqrt(0.5);
  ht_round_pipe pipe = {.diagonal = diagonal, .radius = 0.5 * across, .periodic = {1, diagonal, 0}};
  int width = across + MARGIN;
  /* The diagonal pipe repeats next to itself after side * half. */
  int side = whole_tiles(diagonal ? fmax(lengths * across * half, width / half) : lengths * across);
  const int dim[3] = {side, diagonal ? side : width, width};
  const double axes[2][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                {{half, half, 0}, {-half, half, 0}, {0, 0, 1}}};
  memcpy(pipe.dim, dim, sizeof dim);
  memcpy(pipe.axis, axes[diagonal], sizeof pipe.axis);
  pipe.length = diagonal ? side / half : side;
  pipe.centre[0] = (diagonal ? 0 : 0.5 * (width - 1)) + 0.137;
  pipe.centre[1] = 0.5 * (width - 1) - 0.219;
  return pipe;
}

double ht_round_pipe_place(const ht_round_pipe *pipe, const int voxel[3], double *along,
                           double off[2]) {
  double at[3] = {voxel[0], voxel[1], voxel[2]};
  /* The nearest of the diagonal pipe's images around the box counts. */
  if (pipe->diagonal) at[1] -= pipe->dim[1] * nearbyint((at[1] - at[0]) / pipe->dim[1]);
  double place[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++)
    for (int a = 0; a < 3; a++) place[k] += pipe->axis[k][a] * at[a];
  *along = fmod(place[0] + pipe->length, pipe->length);
  for (int k = 0; k < 2; k++) off[k] = place[1 + k] - pipe->centre[k];
  return pipe->radius - hypot(off[0], off[1]);
}

ht_status ht_round_pipe_voxels(const ht_round_pipe *pipe, ht_mask *mask, float **distance) {
  const ht_grid grid = ht_grid_make(pipe->dim[0], pipe->dim[1], pipe->dim[2]);
  const int64_t voxels = ht_grid_voxels(&grid);
  if (distance) *distance = NULL;
  HT_TRY(ht_mask_alloc(&grid, mask));
  if (distance) {
    ht_status status =
        ht_alloc((void **)distance, (size_t)voxels, sizeof(float), "the pipe's walls");
    if (status != HT_OK) ht_mask_free(mask);
    HT_TRY(status);
  }
#pragma omp parallel for schedule(static)
  for (int64_t v = 0; v < voxels; v++) {
    int at[3];
    double along, off[2];
    ht_voxel_place(grid.dim, v, at);
    double from_wall = ht_round_pipe_place(pipe, at, &along, off);
    mask->inside[v] = from_wall > 0;
    if (distance) (*distance)[v] = (float)from_wall;
  }
  return HT_OK;
}

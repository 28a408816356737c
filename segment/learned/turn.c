#include "segment/learned/turn.h"
#include <math.h>

ht_axes_turn ht_turn_to_patient(const ht_grid *grid) {
  static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  ht_axes_turn turn = {{0}, {0}};
  double best = 0;
  for (int n = 0; n < 6; n++) {
    double along = 0;
    for (int a = 0; a < 3; a++) along += fabs(grid->direction[a][orders[n][a]]);
    if (along <= best + 1e-9) continue;
    best = along;
    for (int a = 0; a < 3; a++) {
      turn.axis[a] = orders[n][a];
      turn.is_backward[a] = grid->direction[a][orders[n][a]] < 0;
    }
  }
  return turn;
}

int ht_turn_is_none(const ht_axes_turn *turn) {
  for (int a = 0; a < 3; a++)
    if (turn->axis[a] != a || turn->is_backward[a]) return 0;
  return 1;
}

/* Steps through the scan's voxels in the turned order. */
typedef struct {
  int dim[3];      /* of the turned grid */
  int64_t step[3]; /* in the scan's image along its axes */
  int64_t first;   /* the scan's voxel at its place 0, 0, 0 */
} walk;

static walk walk_of(const ht_axes_turn *turn, const int dim[3]) {
  const int64_t step[3] = {1, dim[0], (int64_t)dim[0] * dim[1]};
  walk w = {.first = 0};
  for (int a = 0; a < 3; a++) {
    const int from = turn->axis[a];
    w.dim[a] = dim[from];
    w.step[a] = turn->is_backward[a] ? -step[from] : step[from];
    if (turn->is_backward[a]) w.first += (dim[from] - 1) * step[from];
  }
  return w;
}

void ht_turn_values(const ht_axes_turn *turn, const int dim[3], const float *from, float *to) {
  const walk w = walk_of(turn, dim);
  for (int z = 0; z < w.dim[2]; z++)
    for (int y = 0; y < w.dim[1]; y++) {
      const int64_t row = w.first + z * w.step[2] + y * w.step[1];
      for (int x = 0; x < w.dim[0]; x++) *to++ = from[row + x * w.step[0]];
    }
}

void ht_turn_bytes_back(const ht_axes_turn *turn, const int dim[3], const uint8_t *from,
                        uint8_t *to) {
  const walk w = walk_of(turn, dim);
  for (int z = 0; z < w.dim[2]; z++)
    for (int y = 0; y < w.dim[1]; y++) {
      const int64_t row = w.first + z * w.step[2] + y * w.step[1];
      for (int x = 0; x < w.dim[0]; x++) to[row + x * w.step[0]] = *from++;
    }
}

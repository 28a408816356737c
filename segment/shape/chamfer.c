#include "segment/shape/chamfer.h"
#include <math.h>

const ht_chamfer_steps ht_chamfer_thirds = {0, 3, 3, 4, 3, 4, 4, 5};

void ht_chamfer_of_grid(const ht_grid *grid, double unit, ht_chamfer_steps steps) {
  for (int bits = 0; bits < 8; bits++) {
    double square = 0;
    for (int a = 0; a < 3; a++)
      if (bits >> a & 1) square += grid->spacing_mm[a] * grid->spacing_mm[a];
    steps[bits] = (int)fmin(4096, fmax(1, lround(unit * sqrt(square))));
  }
}

/* The 13 neighbours that come before a voxel. */
typedef struct {
  int off[13][3], length[13];
  int64_t far[13];
} before;

static void make_before(const int dim[3], const ht_chamfer_steps steps, before *of) {
  for (int n = 0; n < 13; n++) {
    int *off = of->off[n], bits = 0;
    off[0] = n % 3 - 1, off[1] = n / 3 % 3 - 1, off[2] = n / 9 - 1;
    for (int a = 0; a < 3; a++) bits |= (off[a] != 0) << a;
    of->length[n] = steps[bits];
    of->far[n] = off[0] + (int64_t)dim[0] * (off[1] + (int64_t)dim[1] * off[2]);
  }
}

/* The least of a voxel's own distance and those of the 13 neighbours on one side of it. */
static void relax(const int dim[3], const before *of, const int at[3], int side,
                  uint16_t *distance) {
  int inner = 1, least = *distance;
  for (int a = 0; a < 3; a++) inner &= at[a] > 0 && at[a] < dim[a] - 1;
  for (int n = 0; n < 13; n++) {
    const int *off = of->off[n];
    const int to[3] = {at[0] + side * off[0], at[1] + side * off[1], at[2] + side * off[2]};
    if (!inner && !ht_voxel_in_grid(dim, to)) continue;
    int through = distance[side * of->far[n]] + of->length[n];
    if (through < least) least = through;
  }
  *distance = (uint16_t)least;
}

static void sweep(const int dim[3], const before *of, int side, uint16_t *distance) {
  int64_t v = side > 0 ? 0 : (int64_t)dim[0] * dim[1] * dim[2] - 1;
  for (int k = 0; k < dim[2]; k++)
    for (int j = 0; j < dim[1]; j++)
      for (int i = 0; i < dim[0]; i++, v += side) {
        const int at[3] = {side > 0 ? i : dim[0] - 1 - i, side > 0 ? j : dim[1] - 1 - j,
                           side > 0 ? k : dim[2] - 1 - k};
        if (distance[v] > 0 && distance[v] != HT_CHAMFER_WALL)
          relax(dim, of, at, side, distance + v);
      }
}

void ht_chamfer(const int dim[3], const ht_chamfer_steps steps, uint16_t *distance) {
  before of;
  make_before(dim, steps, &of);
  sweep(dim, &of, 1, distance);
  sweep(dim, &of, -1, distance);
}

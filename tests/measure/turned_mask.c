#include "tests/measure/turned_mask.h"
#include <math.h>
#include <string.h>

/* Sums over the fluid voxels: 1, x, x y. */
static void moments(const ht_mask *mask, double *count, double mean[3], double square[3][3]) {
  *count = 0;
  memset(mean, 0, 3 * sizeof *mean);
  memset(square, 0, 9 * sizeof **square);
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    int at[3];
    if (!mask->inside[v]) continue;
    ht_voxel_place(mask->grid.dim, v, at);
    ++*count;
    for (int a = 0; a < 3; a++) {
      mean[a] += at[a];
      for (int b = 0; b < 3; b++) square[a][b] += (double)at[a] * at[b];
    }
  }
  for (int a = 0; a < 3; a++) mean[a] /= *count;
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) square[a][b] = square[a][b] / *count - mean[a] * mean[b];
}

static double normalise(double v[3]) {
  double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int a = 0; a < 3 && length > 0; a++) v[a] /= length;
  return length;
}

void ht_main_axis(const ht_mask *mask, double axis[3]) {
  double count, mean[3], square[3][3];
  moments(mask, &count, mean, square);
  double v[3] = {0.5, 0.6, 0.7}; /* power iteration */
  for (int i = 0; i < 500; i++) {
    double w[3] = {0, 0, 0};
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) w[a] += square[a][b] * v[b];
    if (normalise(w) > 0) memcpy(v, w, sizeof v);
  }
  memcpy(axis, v, sizeof v);
}

/* Rows: the turned axes in the old ones; the third is `axis`. */
static void frame(const double axis[3], double turn[3][3]) {
  int least = fabs(axis[0]) < fabs(axis[1]) ? 0 : 1;
  memset(turn, 0, 9 * sizeof **turn);
  turn[0][least] = 1;
  for (int a = 0; a < 3; a++) turn[0][a] -= axis[least] * axis[a];
  normalise(turn[0]);
  memcpy(turn[2], axis, sizeof turn[2]);
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    turn[1][a] = axis[b] * turn[0][c] - axis[c] * turn[0][b];
  }
}

/* Range of the corners of the box along each turned axis. */
static void turned_box(const int dim[3], double turn[3][3], double low[3], double high[3]) {
  for (int r = 0; r < 3; r++) {
    low[r] = high[r] = 0;
    for (int a = 0; a < 3; a++) {
      double far = turn[r][a] * (dim[a] - 1);
      if (far < 0) low[r] += far;
      if (far > 0) high[r] += far;
    }
  }
}

ht_status ht_mask_turn(const ht_mask *mask, const double axis[3], ht_mask *turned) {
  double turn[3][3], low[3], high[3];
  int dim[3];
  frame(axis, turn);
  turned_box(mask->grid.dim, turn, low, high);
  for (int r = 0; r < 3; r++) dim[r] = (int)ceil(high[r] - low[r]) + 1;
  ht_grid grid = ht_grid_make(dim[0], dim[1], dim[2]);
  HT_TRY(ht_mask_alloc(&grid, turned));
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int to[3], at[3];
    ht_voxel_place(dim, v, to);
    for (int a = 0; a < 3; a++) {
      double place = 0;
      for (int r = 0; r < 3; r++) place += turn[r][a] * (to[r] + low[r]);
      at[a] = (int)lround(place);
    }
    if (ht_voxel_in_grid(mask->grid.dim, at))
      turned->inside[v] = mask->inside[ht_voxel_index(mask->grid.dim, at)];
  }
  return HT_OK;
}

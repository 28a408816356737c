/* The 26 neighbours of a voxel. Private to segment/. */
#ifndef HT_NEIGHBOUR_H
#define HT_NEIGHBOUR_H

#include "core/vessel/volume.h"
#include <math.h>

enum { HT_NEIGHBOURS = 27, HT_OWN_PLACE = 13 };

/* Finds the place of neighbour n (0 .. HT_NEIGHBOURS - 1); returns 0 where it is outside the grid,
 * or the voxel itself (HT_OWN_PLACE). The way back is HT_NEIGHBOURS - 1 - n. */
static inline int ht_neighbour(const int dim[3], const int at[3], int n, int next[3]) {
  next[0] = at[0] + n % 3 - 1;
  next[1] = at[1] + n / 3 % 3 - 1;
  next[2] = at[2] + n / 9 - 1;
  return n != HT_OWN_PLACE && ht_voxel_in_grid(dim, next);
}

/* Length of the step to neighbour n, mm. */
static inline double ht_neighbour_mm(const double spacing_mm[3], int n) {
  const int step[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
  double square = 0;
  for (int a = 0; a < 3; a++) square += step[a] * step[a] * spacing_mm[a] * spacing_mm[a];
  return sqrt(square);
}

#endif

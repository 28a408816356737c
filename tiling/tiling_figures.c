#include "tiling/tiling_figures.h"
#include <string.h>

static void origin_of(int number, int origin[3]) {
  for (int a = 0; a < 3; a++) origin[a] = (number >> (2 * a)) & 3;
}

static void compare_origins(const ht_tiling *tiling, ht_tiling_figures *figures) {
  int best = 0, worst = 0;
  for (int o = 0; o < HT_TILE_ORIGINS; o++) {
    double u = tiling->utilisation_of[o];
    if (u > tiling->utilisation_of[best]) best = o;
    if (u < tiling->utilisation_of[worst]) worst = o;
    figures->mean += u / HT_TILE_ORIGINS;
  }
  figures->best = tiling->utilisation_of[best];
  figures->worst = tiling->utilisation_of[worst];
  origin_of(best, figures->best_origin);
  origin_of(worst, figures->worst_origin);
}

/* A face or edge is counted from its tile with the lowest coordinates. Of the 27 neighbours, 14, 16
 * and 22 are those at +x, +y and +z. */
static void count_common(const int32_t *neighbour, ht_tiling_figures *figures) {
  int x = neighbour[14] >= 0, y = neighbour[16] >= 0, z = neighbour[22] >= 0;
  figures->faces += x + y + z;
  figures->edges += x && y && neighbour[17] >= 0;
  figures->edges += x && z && neighbour[23] >= 0;
  figures->edges += y && z && neighbour[25] >= 0;
}

void ht_tiling_measure(const ht_tiling *tiling, ht_tiling_figures *figures) {
  memset(figures, 0, sizeof *figures);
  compare_origins(tiling, figures);
  for (int64_t t = 0; t < tiling->tiles; t++) {
    figures->full_tiles += tiling->inside[t] == UINT64_MAX;
    count_common(tiling->neighbour + HT_TILE_NEIGHBOURS * t, figures);
  }
  figures->faces_a_tile = (double)figures->faces / (double)tiling->tiles;
  figures->edges_a_tile = (double)figures->edges / (double)tiling->tiles;
}

double ht_tiling_overhead(double utilisation) {
  return (1 - utilisation) / utilisation;
}

double ht_tiling_memory_overhead(double utilisation, int values, int value_bytes, int copies,
                                 int type_bytes) {
  double least = (double)values * value_bytes; /* of a fluid node */
  return (copies * least + type_bytes) / (utilisation * least) - 1;
}

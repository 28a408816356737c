#include "solver/cpu/cpu_force.h"
#include "solver/cpu/cpu_layout.h"
#include "solver/kernels/half.h"
#include "solver/kernels/nodes.h"
#include <stdlib.h>
#include <string.h>

#define HT_REAL       float
#define HT_NODE(name) name##_f32
#include "solver/cpu/cpu_force_tile.h"
#undef HT_REAL
#undef HT_NODE
#define HT_REAL       double
#define HT_NODE(name) name##_f64
#include "solver/cpu/cpu_force_tile.h"
#undef HT_REAL
#undef HT_NODE

void ht_cpu_accelerate(const ht_lattice_tables *tables, void *values, int64_t begin, int64_t end) {
  for (int64_t tile = begin; tile < end; tile++) {
    if (tables->precision == HT_FP64)
      accelerate_tile_f64(tables, values, tile);
    else
      accelerate_tile_f32(tables, values, tile);
  }
}

/* ---- momentum ---- */

static double sum_plane(ht_precision precision, const void *values, int64_t at) {
  double sum = 0;
  for (int n = 0; n < HT_PLANE; n++)
    sum += precision == HT_FP64   ? ((const double *)values)[at + n]
           : precision == HT_FP32 ? (double)((const float *)values)[at + n]
                                  : (double)ht_half_load(((const ht_half *)values)[at + n]);
  return sum;
}

static void sum_tile(const ht_lattice_tables *tables, const void *values, int64_t tile,
                     double momentum[3]) {
  const ht_cpu_parts parts = ht_cpu_parts_of(tables->directions, tables->tiling->tiles, tile);
  for (int q = 1; q < tables->directions; q++) {
    double sum = 0;
    for (int z = 0; z < HT_TILE_SIDE; z++)
      sum += sum_plane(tables->precision, values, ht_cpu_plane(&parts, q, z));
    for (int a = 0; a < 3; a++) momentum[a] += ht_c[q][a] * sum;
  }
}

/* Sums by tile, then in the order of the tiles, so that threads do not matter. */
ht_status ht_cpu_momentum(const ht_lattice_tables *tables, const void *values, int threads,
                          double momentum[3]) {
  int64_t tiles = tables->tiling->tiles;
  double(*of_tile)[3];
  HT_TRY(ht_alloc((void **)&of_tile, (size_t)tiles, sizeof *of_tile, "the momentum"));
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t t = 0; t < tiles; t++) sum_tile(tables, values, t, of_tile[t]);
  for (int a = 0; a < 3; a++) momentum[a] = 0;
  for (int64_t t = 0; t < tiles; t++)
    for (int a = 0; a < 3; a++) momentum[a] += of_tile[t][a];
  free(of_tile);
  return HT_OK;
}

#include "solver/cpu/cpu_diagonal.h"
#include "solver/kernels/nodes.h"
#include <string.h>

/* Layers of nodes across an axis that the force on a tile needs, and lines along it. */
enum { LAYERS = HT_TILE_SIDE + 4, LINES = HT_TILE_SIDE * HT_TILE_SIDE };

/* Step of the neighbouring tile's number, by axis. */
static const int step_of[3] = {1, 3, 9};

/* The node of line i in a layer across an axis. */
HT_ALWAYS_INLINE int local_of(int axis, int layer, int i) {
  return axis == 0   ? layer + HT_TILE_SIDE * i
         : axis == 1 ? (i & 3) + HT_TILE_SIDE * layer + LINES * (i >> 2)
                     : i + LINES * layer;
}

#define HT_REAL       float
#define HT_NODE(name) name##_f32
#include "solver/cpu/cpu_diagonal_tile.h"
#undef HT_REAL
#undef HT_NODE
#define HT_REAL       double
#define HT_NODE(name) name##_f64
#include "solver/cpu/cpu_diagonal_tile.h"
#undef HT_REAL
#undef HT_NODE

size_t ht_cpu_diagonal_bytes(const ht_lattice_tables *tables) {
  return (size_t)tables->tiling->tiles * 3 * HT_TILE_NODES *
         (tables->precision == HT_FP64 ? sizeof(double) : sizeof(float));
}

void ht_cpu_diagonal_find(const ht_lattice_tables *tables, const ht_cpu_diagonal *diagonal,
                          int64_t step, int64_t begin, int64_t end) {
  for (int64_t tile = begin; tile < end; tile++) {
    if (tables->precision == HT_FP64)
      force_tile_f64(tables, diagonal, step, tile);
    else
      force_tile_f32(tables, diagonal, step, tile);
  }
}

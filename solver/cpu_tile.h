/* The update of one tile on the CPU, for HT_REAL; included by cpu_kernel.c, twice.
 *
 * The 64 nodes of a tile are pulled into a local block [19][64] that stays in the L1 cache, row by
 * row with constant shifts; the walls are then blended in with a bit mask a direction, and the
 * collision runs over the 64 nodes as one vector loop. */
#include "node.h"

/* Pulls direction q = (cx, cy, cz) for all nodes of a tile. The constants make every branch vanish.
 * A row is copied as one vector of four, shifted by cx, and the one node that comes from the tile
 * beside is put in after; what the vector picks up in its place is a neighbouring value of the same
 * copy. */
static inline __attribute__((always_inline)) void
HT_NODE(pull)(const HT_REAL *const neighbour[HT_TILE_NEIGHBOURS], int q, int cx, int cy, int cz,
              HT_REAL *restrict out) {
#pragma GCC unroll 4
  for (int z = 0; z < 4; z++) {
#pragma GCC unroll 4
    for (int y = 0; y < 4; y++) {
      int ys = y - cy, zs = z - cz;
      int slot = 1 + 3 * (ys < 0 ? 0 : ys > 3 ? 2 : 1) + 9 * (zs < 0 ? 0 : zs > 3 ? 2 : 1);
      int row = 64 * q + 4 * (ys & 3) + 16 * (zs & 3);
      HT_REAL *to = out + 4 * y + 16 * z;
      memcpy(to, neighbour[slot] + row - cx, 4 * sizeof(HT_REAL));
      if (cx > 0) to[0] = neighbour[slot - 1][row + 3];
      if (cx < 0) to[3] = neighbour[slot + 1][row];
    }
  }
}

/* Half-way bounce-back (Ladd, J. Fluid Mech. 271 (1994) 285): what comes from a wall is what left
 * along the opposite direction. Few bits are set, so they are walked one by one. */
static void HT_NODE(bounce)(const uint64_t wall[HT_Q], const HT_REAL *own,
                            HT_REAL block[HT_Q][64]) {
  for (int q = 1; q < HT_Q; q++) {
    const HT_REAL *back = own + 64 * ht_opposite(q);
    for (uint64_t bits = wall[q]; bits; bits &= bits - 1) {
      int n = __builtin_ctzll(bits);
      block[q][n] = back[n];
    }
  }
}

static inline __attribute__((always_inline)) void
HT_NODE(relax_tile)(HT_REAL block[HT_Q][64], int model, HT_REAL omega, HT_REAL *restrict out) {
#pragma GCC ivdep
  for (int n = 0; n < 64; n++) {
    HT_REAL g[HT_Q];
#pragma GCC unroll 19
    for (int q = 0; q < HT_Q; q++) g[q] = block[q][n];
    HT_NODE(relax)(g, model, omega);
#pragma GCC unroll 19
    for (int q = 0; q < HT_Q; q++) out[64 * q + n] = g[q];
  }
}

/* The model is a constant in each branch: the loops over the nodes have no branches. */
static void HT_NODE(collide_tile)(HT_REAL block[HT_Q][64], int model, HT_REAL omega,
                                  HT_REAL *restrict out) {
  switch (model) {
  case HT_CPU_PROPAGATE:
    memcpy(out, block, HT_Q * sizeof block[0]);
    break;
  case 0:
    HT_NODE(relax_tile)(block, 0, omega, out);
    break;
  case 1:
    HT_NODE(relax_tile)(block, 1, omega, out);
    break;
  case 2:
    HT_NODE(relax_tile)(block, 2, omega, out);
    break;
  default:
    HT_NODE(relax_tile)(block, 3, omega, out);
    break;
  }
}

/* Solid nodes stay 0: their values are read by nobody, but must not grow. */
static void HT_NODE(clear_solid)(uint64_t fluid, HT_REAL block[HT_Q][64]) {
  HT_REAL keep[64];
  for (int n = 0; n < 64; n++) keep[n] = (HT_REAL)((fluid >> n) & 1);
  for (int q = 0; q < HT_Q; q++)
    for (int n = 0; n < 64; n++) block[q][n] *= keep[n];
}

void HT_STEP(const ht_cpu_job *job, int64_t begin, int64_t end) {
  const HT_REAL *source = job->source;
  HT_REAL *target = job->target;
  _Alignas(64) HT_REAL block[HT_Q][64];
  for (int64_t t = begin; t < end; t++) {
    const HT_REAL *own = source + t * HT_TILE_VALUES;
    if (job->model == HT_CPU_READ_WRITE) {
      memcpy(target + t * HT_TILE_VALUES, own, HT_TILE_VALUES * sizeof *own);
      continue;
    }
    const HT_REAL *neighbour[HT_TILE_NEIGHBOURS];
    const int32_t *number = job->neighbour + HT_TILE_NEIGHBOURS * t;
    /* A missing neighbour is all wall: what is read in its place is replaced by bounce(). */
    for (int i = 0; i < HT_TILE_NEIGHBOURS; i++)
      neighbour[i] = number[i] < 0 ? own : source + (int64_t)number[i] * HT_TILE_VALUES;
    for (int n = 0; n < 64; n++) block[0][n] = own[n];
#define HT_PULL(q, cx, cy, cz) HT_NODE(pull)(neighbour, q, cx, cy, cz, block[q]);
    HT_D3Q19_MOVING(HT_PULL)
#undef HT_PULL
    if (job->wall_slot[t] >= 0) {
      const uint64_t *wall = job->wall + (int64_t)HT_Q * job->wall_slot[t];
      HT_NODE(bounce)(wall, own, block);
      if (~wall[0]) HT_NODE(clear_solid)(wall[0], block);
    }
    HT_NODE(collide_tile)(block, job->model, (HT_REAL)job->omega, target + t * HT_TILE_VALUES);
  }
}

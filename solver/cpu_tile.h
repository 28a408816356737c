/* The update of one tile on the CPU, for HT_REAL; included by cpu_kernel.c, twice.
 *
 * The 64 nodes of a tile are pulled into a local block [19][64] that stays in the L1 cache, row by
 * row with constant shifts; the walls are then blended in with a bit mask a direction, and the
 * collision runs over the 64 nodes as one vector loop. */
#include "node.h"

/* Pulls direction q = (cx, cy, cz) for all nodes of a tile. The constants make every branch vanish.
 */
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
      const HT_REAL *here = neighbour[slot] + row;
      HT_REAL *to = out + 4 * y + 16 * z;
      if (cx == 0) {
        for (int x = 0; x < 4; x++) to[x] = here[x];
      } else if (cx > 0) {
        to[0] = neighbour[slot - 1][row + 3];
        for (int x = 1; x < 4; x++) to[x] = here[x - 1];
      } else {
        for (int x = 0; x < 3; x++) to[x] = here[x + 1];
        to[3] = neighbour[slot + 1][row];
      }
    }
  }
}

/* Half-way bounce-back (Ladd 1994): what comes from a wall is what left along the opposite
 * direction. */
static void HT_NODE(bounce)(const uint64_t wall[HT_Q], const HT_REAL *own,
                            HT_REAL block[HT_Q][64]) {
  for (int q = 1; q < HT_Q; q++) {
    uint64_t bits = wall[q];
    if (!bits) continue;
    const HT_REAL *back = own + 64 * ht_opposite(q);
    HT_REAL *values = block[q];
    for (int n = 0; n < 64; n++) values[n] = (bits >> n) & 1 ? back[n] : values[n];
  }
}

static void HT_NODE(collide_tile)(HT_REAL block[HT_Q][64], HT_REAL omega, HT_REAL *restrict out) {
#pragma GCC ivdep
  for (int n = 0; n < 64; n++) {
    HT_REAL g[HT_Q];
#pragma GCC unroll 19
    for (int q = 0; q < HT_Q; q++) g[q] = block[q][n];
    HT_NODE(collide)(g, omega);
#pragma GCC unroll 19
    for (int q = 0; q < HT_Q; q++) out[64 * q + n] = g[q];
  }
}

void HT_STEP(const ht_cpu_job *job, int64_t begin, int64_t end) {
  const HT_REAL *source = job->source;
  HT_REAL *target = job->target;
  _Alignas(64) HT_REAL block[HT_Q][64];
  for (int64_t t = begin; t < end; t++) {
    const HT_REAL *own = source + t * HT_TILE_VALUES;
    const HT_REAL *neighbour[HT_TILE_NEIGHBOURS];
    const int32_t *number = job->tiling->neighbour + HT_TILE_NEIGHBOURS * t;
    /* A missing neighbour is all wall: what is read in its place is replaced by bounce(). */
    for (int i = 0; i < HT_TILE_NEIGHBOURS; i++)
      neighbour[i] = number[i] < 0 ? own : source + (int64_t)number[i] * HT_TILE_VALUES;
    for (int n = 0; n < 64; n++) block[0][n] = own[n];
#define HT_PULL(q, cx, cy, cz) HT_NODE(pull)(neighbour, q, cx, cy, cz, block[q]);
    HT_D3Q19_MOVING(HT_PULL)
#undef HT_PULL
    if (job->wall_slot[t] >= 0)
      HT_NODE(bounce)(job->wall + (int64_t)HT_Q * job->wall_slot[t], own, block);
    HT_NODE(collide_tile)(block, (HT_REAL)job->omega, target + t * HT_TILE_VALUES);
  }
}

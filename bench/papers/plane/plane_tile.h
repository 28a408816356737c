/* The update of one tile of a plane flow on the CPU; included by plane_kernel.c with HT_REAL,
 * HT_NODE(name), HT_STORE, HT_PLANE(name), HT_LOAD(value), and many values at once: HT_TAKE(from,
 * count, to), HT_SAVE(from, count, to).
 *
 * The 256 nodes are pulled row by row into a block [9][256] that stays in the L1 cache; walls are
 * applied node by node, and the collision runs over the nodes as one vector loop. */

/* Pulls direction q = (cx, cy); the constants make the branches vanish. */
static inline __attribute__((always_inline)) void
HT_PLANE(pull)(const HT_STORE *const neighbour[HT_PLANE_NEIGHBOURS], int q, int cx, int cy,
               HT_REAL *restrict out) {
  for (int y = 0; y < HT_PLANE_SIDE; y++) {
    int ys = y - cy, slot = 1 + 3 * ht_plane_slot(ys);
    int row = HT_PLANE_NODES * q + HT_PLANE_SIDE * (ys & 15);
    HT_REAL *to = out + HT_PLANE_SIDE * y, whole[HT_PLANE_SIDE];
    HT_TAKE(neighbour[slot] + row, HT_PLANE_SIDE, whole);
    memcpy(to + (cx > 0), whole + (cx < 0), (HT_PLANE_SIDE - (cx != 0)) * sizeof *to);
    if (cx > 0) to[0] = HT_LOAD(neighbour[slot - 1][row + 15]);
    if (cx < 0) to[15] = HT_LOAD(neighbour[slot + 1][row]);
  }
}

/* Half-way bounce-back; solid nodes stay 0. */
static void HT_PLANE(bounce)(const uint16_t *links, const HT_STORE *own,
                             HT_REAL block[9][HT_PLANE_NODES]) {
  for (int n = 0; n < HT_PLANE_NODES; n++) {
    if (!(links[n] & 1))
      for (int q = 0; q < 9; q++) block[q][n] = 0;
    else
      for (int bits = links[n] & HT_PLANE_WALLS; bits; bits &= bits - 1) {
        int q = __builtin_ctz((unsigned)bits);
        block[q][n] = HT_LOAD(own[HT_PLANE_NODES * ht_opposite(q) + n]);
      }
  }
}

static inline __attribute__((always_inline)) void
HT_PLANE(relax_tile)(HT_REAL block[9][HT_PLANE_NODES], int model, HT_REAL omega) {
#pragma GCC ivdep
  for (int n = 0; n < HT_PLANE_NODES; n++) {
    HT_REAL g[9];
#pragma GCC unroll 9
    for (int q = 0; q < 9; q++) g[q] = block[q][n];
    HT_NODE(d2q9_relax)(g, model, omega);
#pragma GCC unroll 9
    for (int q = 0; q < 9; q++) block[q][n] = g[q];
  }
}

/* The model is a constant in each branch: the loops over the nodes have no branches. */
static void HT_PLANE(collide_tile)(HT_REAL block[9][HT_PLANE_NODES], int model, HT_REAL omega) {
  if (model == 0) HT_PLANE(relax_tile)(block, 0, omega);
  if (model == 1) HT_PLANE(relax_tile)(block, 1, omega);
  if (model == 2) HT_PLANE(relax_tile)(block, 2, omega);
  if (model == 3) HT_PLANE(relax_tile)(block, 3, omega);
}

void HT_GLUE(HT_PLANE(ht_plane_step), HT_ISA)(const ht_plane_tables *tables, const void *source,
                                              void *target, int64_t begin, int64_t end) {
  _Alignas(64) HT_REAL block[9][HT_PLANE_NODES];
  for (int64_t t = begin; t < end; t++) {
    const HT_STORE *own = (const HT_STORE *)source + t * HT_PLANE_VALUES;
    const HT_STORE *neighbour[HT_PLANE_NEIGHBOURS];
    const int32_t *number = tables->neighbour + HT_PLANE_NEIGHBOURS * t;
    /* A missing neighbour is all wall: bounce() replaces the values read in its place. */
    for (int i = 0; i < HT_PLANE_NEIGHBOURS; i++)
      neighbour[i] =
          number[i] < 0 ? own : (const HT_STORE *)source + (int64_t)number[i] * HT_PLANE_VALUES;
    HT_TAKE(own, HT_PLANE_NODES, block[0]);
#define HT_PULL(q, cx, cy) HT_PLANE(pull)(neighbour, q, cx, cy, block[q]);
    HT_D2Q9_MOVING(HT_PULL)
#undef HT_PULL
    if (tables->walled[t]) HT_PLANE(bounce)(tables->links + HT_PLANE_NODES * t, own, block);
    HT_PLANE(collide_tile)(block, tables->model, (HT_REAL)tables->omega);
    HT_STORE *out = (HT_STORE *)target + t * HT_PLANE_VALUES;
    HT_SAVE(&block[0][0], HT_PLANE_VALUES, out);
  }
}

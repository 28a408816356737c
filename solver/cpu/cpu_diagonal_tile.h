/* The force of diagonal.h on a tile. Included by cpu_diagonal.c with HT_REAL (float or double) and
 * HT_NODE(name) defined, once for each; no include guard on purpose. */

/* Finds w, of the velocity along an axis, at the nodes of the tile that lies `beside` (-1 to 1) a
 * tile along the axis. `square`: of the last three steps, the latest first. */
HT_ALWAYS_INLINE void HT_NODE(carry_tile)(const ht_lattice_tables *tables,
                                          const HT_REAL *const square[3], int64_t tile, int axis,
                                          int beside, HT_REAL w[HT_TILE_NODES]) {
  const int64_t there =
      tables
          ->neighbour[HT_TILE_NEIGHBOURS * tile + HT_TILE_NEIGHBOURS / 2 + beside * step_of[axis]];
  const int64_t first = HT_TILE_NODES * (3 * there + axis);
  if (there < 0)
    memset(w, 0, HT_TILE_NODES * sizeof *w);
  else
    for (int n = 0; n < HT_TILE_NODES; n++)
      w[n] = HT_NODE(carry_on)(square[0][first + n], square[1][first + n], square[2][first + n]);
}

/* The force along an axis on the nodes of a tile; w: [-2 to 5]. */
HT_ALWAYS_INLINE void HT_NODE(force_lines)(const ht_lattice_tables *tables, int64_t tile, int axis,
                                           HT_REAL w[LAYERS][LINES], HT_REAL *force) {
  const uint32_t *links = tables->links + HT_TILE_NODES * tile;
  const uint64_t corrected = tables->corrected[tile];
  const HT_REAL factor = HT_NODE(diagonal_factor)((HT_REAL)tables->omega);
  for (int layer = 0; layer < HT_TILE_SIDE; layer++)
    for (int i = 0; i < LINES; i++) {
      const int n = local_of(axis, layer, i);
      const HT_REAL around[5] = {w[layer][i], w[layer + 1][i], w[layer + 2][i], w[layer + 3][i],
                                 w[layer + 4][i]};
      /* Direction 1 + 2 axis comes from -1, the next from +1. */
      const int low = (links[n] >> (1 + 2 * axis)) & 1, high = (links[n] >> (2 + 2 * axis)) & 1;
      const HT_REAL found = HT_NODE(diagonal_force)(around, low, high, factor);
      force[n] = (corrected >> n) & 1 ? found : 0;
    }
}

HT_ALWAYS_INLINE void HT_NODE(force_axis)(const ht_lattice_tables *tables,
                                          const HT_REAL *const square[3], int64_t tile, int axis,
                                          HT_REAL *force) {
  HT_REAL tile_w[3][HT_TILE_NODES], w[LAYERS][LINES];
  for (int b = 0; b < 3; b++) HT_NODE(carry_tile)(tables, square, tile, axis, b - 1, tile_w[b]);
  for (int k = 0; k < LAYERS; k++) {
    const int at = k - 2 + HT_TILE_SIDE; /* from the first layer of the tile before */
    const HT_REAL *from = tile_w[at / HT_TILE_SIDE];
    for (int i = 0; i < LINES; i++) w[k][i] = from[local_of(axis, at % HT_TILE_SIDE, i)];
  }
  HT_NODE(force_lines)(tables, tile, axis, w, force + HT_TILE_NODES * axis);
}

static void HT_NODE(force_tile)(const ht_lattice_tables *tables, const ht_cpu_diagonal *diagonal,
                                int64_t step, int64_t tile) {
  const HT_REAL *square[3];
  for (int k = 0; k < 3; k++) square[k] = diagonal->square[(step + 2 - k) % 3];
  HT_REAL *force = (HT_REAL *)diagonal->force + 3 * HT_TILE_NODES * tile;
  HT_NODE(force_axis)(tables, square, tile, 0, force);
  HT_NODE(force_axis)(tables, square, tile, 1, force);
  HT_NODE(force_axis)(tables, square, tile, 2, force);
}

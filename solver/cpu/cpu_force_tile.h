/* A body force on a tile in the layout of cpu_layout.h. Included by cpu_force.c with HT_REAL (float
 * or double) and HT_NODE(name) defined, once for each; no include guard on purpose. */

/* X(q, cx, cy, cz) for every direction of `model`. */
#define HT_EACH(X)                                                                                 \
  X(0, 0, 0, 0)                                                                                    \
  HT_D3Q19_MOVING(X)                                                                               \
  if (HT_MODEL_DIRECTIONS(model) == HT_Q27) {                                                      \
    HT_D3Q27_CORNERS(X)                                                                            \
  }

/* The 16 nodes of a plane; `on`: 0 for a solid node, whose zeros then stay zeros, else 1. */
HT_ALWAYS_INLINE void HT_NODE(accelerate_nodes)(HT_REAL (*g)[HT_PLANE], int model,
                                                const HT_REAL *on, const HT_REAL *acceleration) {
  for (int n = 0; n < HT_PLANE; n++) {
    HT_REAL node[HT_Q_MOST], a[3];
    for (int k = 0; k < 3; k++) a[k] = on[n] * acceleration[k];
#define TAKE(q, cx, cy, cz) node[q] = g[q][n];
    HT_EACH(TAKE)
#undef TAKE
    HT_NODE(accelerate)(node, model, a);
#define GIVE(q, cx, cy, cz) g[q][n] = node[q];
    HT_EACH(GIVE)
#undef GIVE
  }
}

/* The model is a constant in each case: the loop over the nodes has no branch. */
static void HT_NODE(accelerate_plane)(HT_REAL (*g)[HT_PLANE], int model, uint32_t fluid,
                                      const double *acceleration) {
  HT_REAL on[HT_PLANE], a[3];
  for (int n = 0; n < HT_PLANE; n++) on[n] = (HT_REAL)((fluid >> n) & 1);
  for (int k = 0; k < 3; k++) a[k] = (HT_REAL)acceleration[k];
  switch (model) {
  case 0:
    HT_NODE(accelerate_nodes)(g, 0, on, a);
    break;
  case 1:
    HT_NODE(accelerate_nodes)(g, 1, on, a);
    break;
  case 2:
    HT_NODE(accelerate_nodes)(g, 2, on, a);
    break;
  case 3:
    HT_NODE(accelerate_nodes)(g, 3, on, a);
    break;
  default:
    HT_NODE(accelerate_nodes)(g, HT_MODEL_CUMULANT, on, a);
  }
}

static void HT_NODE(accelerate_tile)(const ht_lattice_tables *tables, HT_REAL *values,
                                     int64_t tile) {
  HT_REAL g[HT_Q_MOST][HT_PLANE];
  const int directions = tables->directions;
  const ht_cpu_parts parts = ht_cpu_parts_of(directions, tables->tiling->tiles, tile);
  for (int z = 0; z < HT_TILE_SIDE; z++) {
    uint32_t fluid = (uint32_t)(tables->tiling->inside[tile] >> (HT_PLANE * z));
    for (int q = 0; q < directions; q++)
      memcpy(g[q], values + ht_cpu_plane(&parts, q, z), sizeof g[q]);
    HT_NODE(accelerate_plane)(g, tables->model, fluid, tables->acceleration);
    for (int q = 0; q < directions; q++)
      memcpy(values + ht_cpu_plane(&parts, q, z), g[q], sizeof g[q]);
  }
}
#undef HT_EACH

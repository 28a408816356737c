/* The exchange between two levels on the CPU, for one precision. Included by cpu_levels.c with
 * HT_REAL (float or double) and HT_NODE(name) defined, once for each; no include guard on
 * purpose. */

typedef struct {
  const cpu_state *state;
  HT_REAL *values;
  HT_NODE(cumulant_rates) rates;
  HT_REAL half_force[3], force[3];
  HT_REAL nu;
} HT_NODE(level_side);

static HT_NODE(level_side) HT_NODE(side_of)(const cpu_state *state) {
  const ht_lattice_tables *tables = state->tables;
  HT_NODE(level_side)
  side = {.state = state,
          .values = state->copy[state->current],
          .rates = HT_NODE(rates_of)(tables->model, (HT_REAL)tables->omega),
          .nu = (HT_REAL)((1 / tables->omega - 0.5) / 3)};
  for (int a = 0; a < 3; a++) {
    side.force[a] = (HT_REAL)tables->acceleration[a];
    side.half_force[a] = (HT_REAL)0.5 * side.force[a];
  }
  return side;
}

static void HT_NODE(read_node)(const HT_NODE(level_side) * side, int64_t node, HT_REAL *state) {
  const ht_lattice_tables *tables = side->state->tables;
  const ht_cpu_parts parts = parts_of(side->state, node / HT_TILE_NODES);
  const int local = (int)(node % HT_TILE_NODES), z = local / HT_PLANE, at = local % HT_PLANE;
  HT_REAL g[HT_Q_MOST];
  for (int q = 0; q < tables->directions; q++) g[q] = side->values[ht_cpu_plane(&parts, q, z) + at];
  HT_NODE(level_read)(g, tables->model, side->rates.omega, side->half_force, state);
}

static void HT_NODE(place_node)(const HT_NODE(level_side) * side, int64_t node,
                                const HT_REAL *state, const HT_NODE(level_cube) * cube,
                                HT_REAL times) {
  const ht_lattice_tables *tables = side->state->tables;
  const ht_cpu_parts parts = parts_of(side->state, node / HT_TILE_NODES);
  const int local = (int)(node % HT_TILE_NODES), z = local / HT_PLANE, at = local % HT_PLANE;
  HT_REAL g[HT_Q_MOST];
  HT_NODE(level_rest) rest;
  HT_NODE(cube_rest)(cube, times, &rest);
  HT_NODE(level_make)(g, tables->model, &side->rates, state, &rest, side->half_force);
  if (tables->forced) HT_NODE(accelerate)(g, tables->model, side->force);
  for (int q = 0; q < tables->directions; q++) side->values[ht_cpu_plane(&parts, q, z) + at] = g[q];
}

static void HT_NODE(read_states)(const HT_NODE(level_side) * side, const ht_level_states *of,
                                 HT_REAL *states) {
#pragma omp for schedule(static)
  for (int64_t i = 0; i < of->reads; i++)
    HT_NODE(read_node)(side, of->node[i], states + HT_LEVEL_VALUES * i);
}

static void HT_NODE(guess_states)(const ht_level_states *of, HT_REAL *states) {
#pragma omp for schedule(static)
  for (int64_t i = 0; i < of->guesses; i++) {
    const ht_level_guess *guess = &of->guess[i];
    HT_REAL *state = states + HT_LEVEL_VALUES * (int64_t)guess->state;
    for (int v = 0; v < HT_LEVEL_VALUES; v++) state[v] = 0;
    for (int k = guess->first; k < guess->first + guess->terms; k++)
      for (int v = 0; v < HT_LEVEL_VALUES; v++)
        state[v] += (HT_REAL)of->weight[k] * states[HT_LEVEL_VALUES * (int64_t)of->from[k] + v];
  }
}

static void HT_NODE(find_corners)(const HT_REAL *states, const int32_t *corner,
                                  const HT_REAL *found[HT_CUBE]) {
  for (int i = 0; i < HT_CUBE; i++) found[i] = states + HT_LEVEL_VALUES * (int64_t)corner[i];
}

static void HT_NODE(place_blocks)(const HT_NODE(level_side) * coarse,
                                  const HT_NODE(level_side) * fine, const ht_interface *lists,
                                  const HT_REAL *fine_states, HT_REAL *coarse_states) {
#pragma omp for schedule(static)
  for (int64_t b = 0; b < lists->blocks; b++) {
    const HT_REAL *corner[HT_CUBE];
    HT_NODE(level_cube) cube;
    HT_REAL *state = coarse_states + HT_LEVEL_VALUES * (lists->coarse.reads + b);
    HT_NODE(find_corners)(fine_states, lists->block[b].corner, corner);
    HT_NODE(cube_find)(corner, fine->nu, &cube);
    HT_NODE(cube_coarsen)(corner, &cube, state);
    HT_NODE(place_node)(coarse, lists->block[b].node, state, &cube, 2);
  }
}

static void HT_NODE(place_cells)(const HT_NODE(level_side) * coarse,
                                 const HT_NODE(level_side) * fine, const ht_interface *lists,
                                 const HT_REAL *coarse_states) {
#pragma omp for schedule(static)
  for (int64_t c = 0; c < lists->cells; c++) {
    const ht_level_cell *cell = &lists->cell[c];
    const HT_REAL *corner[HT_CUBE];
    HT_NODE(level_cube) cube;
    HT_NODE(find_corners)(coarse_states, cell->corner, corner);
    HT_NODE(cube_find)(corner, coarse->nu, &cube);
    for (int i = 0; i < HT_CUBE; i++) {
      HT_REAL state[HT_LEVEL_VALUES];
      if (cell->node[i] < 0) continue;
      HT_NODE(cube_refine)(corner, &cube, i, state);
      HT_NODE(place_node)(fine, cell->node[i], state, &cube, (HT_REAL)0.5);
    }
  }
}

/* ---- balance ---- */

static HT_REAL HT_NODE(value_at)(const HT_NODE(level_side) * side, int64_t node, int q) {
  return side->values[place(side->state, node, q)];
}

/* The mass that a node gains on its links across the interface in the next step, in its own
 * volume. */
static double HT_NODE(crossing)(const HT_NODE(level_side) * side, int64_t node, uint32_t links) {
  const ht_lattice_tables *tables = side->state->tables;
  double gained = 0;
  for (uint32_t left = links & HT_MOVING(tables->directions); left; left &= left - 1) {
    const int q = __builtin_ctz(left);
    int slot, local;
    ht_node_beside((int)(node % HT_TILE_NODES), ht_c[q][0], ht_c[q][1], ht_c[q][2], &slot, &local);
    const int64_t tile = tables->neighbour[HT_TILE_NEIGHBOURS * (node / HT_TILE_NODES) + slot];
    gained += (double)HT_NODE(value_at)(side, HT_TILE_NODES * tile + local, ht_opposite(q)) -
              (double)HT_NODE(value_at)(side, node, q);
  }
  return gained;
}

/* Adds what both levels gain from each other, in fine volumes: what a fine outer node gains its
 * level loses. `both` 0: of the fine level alone. */
static void HT_NODE(count_crossing)(const HT_NODE(level_side) * coarse,
                                    const HT_NODE(level_side) * fine, const cpu_levels *levels,
                                    int both) {
  const ht_interface *lists = levels->lists;
#pragma omp for schedule(static)
  for (int64_t e = 0; e < lists->edges; e++) {
    const ht_level_edge *edge = &lists->edge[e];
    if (edge->is_fine)
      levels->crossed[e] -= HT_NODE(crossing)(fine, edge->node, edge->links);
    else if (both)
      levels->crossed[e] += 8 * HT_NODE(crossing)(coarse, edge->node, edge->links);
  }
}

static void HT_NODE(balance_levels)(const cpu_levels *levels) {
  const HT_NODE(level_side) coarse = HT_NODE(side_of)(levels->coarse);
  const HT_NODE(level_side) fine = HT_NODE(side_of)(levels->fine);
#pragma omp parallel num_threads(levels->coarse->threads)
  HT_NODE(count_crossing)(&coarse, &fine, levels, 0);
}

/* Takes `share` from the value at rest of each of the coarse level's own nodes. */
static void HT_NODE(take_share)(const cpu_levels *levels, double share) {
  const HT_NODE(level_side) coarse = HT_NODE(side_of)(levels->coarse);
  const ht_lattice_tables *tables = levels->coarse->tables;
#pragma omp parallel for schedule(static) num_threads(levels->coarse->threads)
  for (int64_t t = 0; t < tables->tiling->tiles; t++)
    for (uint64_t left = tables->own[t]; left; left &= left - 1) {
      const int64_t node = HT_TILE_NODES * t + __builtin_ctzll(left);
      coarse.values[place(levels->coarse, node, 0)] -= (HT_REAL)share;
    }
}

/* ---- a step ---- */

static void HT_NODE(exchange_levels)(const cpu_levels *levels) {
  const ht_interface *lists = levels->lists;
  const HT_NODE(level_side) coarse = HT_NODE(side_of)(levels->coarse);
  const HT_NODE(level_side) fine = HT_NODE(side_of)(levels->fine);
  HT_REAL *of_coarse = levels->coarse_states, *of_fine = levels->fine_states;
#pragma omp parallel num_threads(levels->coarse->threads)
  {
    HT_NODE(read_states)(&fine, &lists->fine, of_fine);
    HT_NODE(read_states)(&coarse, &lists->coarse, of_coarse);
    HT_NODE(guess_states)(&lists->fine, of_fine);
    HT_NODE(place_blocks)(&coarse, &fine, lists, of_fine, of_coarse);
    HT_NODE(guess_states)(&lists->coarse, of_coarse);
    HT_NODE(place_cells)(&coarse, &fine, lists, of_coarse);
    HT_NODE(count_crossing)(&coarse, &fine, levels, 1);
  }
}

/* The exchange between two levels on the CPU, for one precision, in batches of nodes that the
 * compiler turns into vectors. Included by cpu_level_kernel.c with HT_REAL (float or double) and
 * HT_NODE(name) defined, once for each; no include guard on purpose. */

typedef HT_REAL HT_NODE(lanes)[HT_LEVEL_LANES];

/* Finds the first value of each of the parts that a node's values are in. */
static void HT_NODE(find_bases)(const ht_cpu_level_side *side, int64_t node, int64_t base[3]) {
  const ht_cpu_parts parts = ht_cpu_parts_of(side->directions, side->tiles, node / HT_TILE_NODES);
  const int at = (int)(node % HT_PLANE);
  base[HT_CPU_LEVEL_MAIN] = parts.main + at;
  base[HT_CPU_LEVEL_UP] = parts.up + at;
  base[HT_CPU_LEVEL_DOWN] = parts.down + at;
}

static const ht_cpu_level_place *HT_NODE(places_of)(const ht_cpu_level_side *side, int64_t node) {
  return side->place[node % HT_TILE_NODES / HT_PLANE];
}

static void HT_NODE(gather_node)(const ht_cpu_level_side *side, int64_t node, int lane,
                                 HT_NODE(lanes) * g) {
  const HT_REAL *values = side->values;
  const ht_cpu_level_place *place = HT_NODE(places_of)(side, node);
  int64_t base[3];
  HT_NODE(find_bases)(side, node, base);
  for (int q = 0; q < side->directions; q++)
    g[q][lane] = values[base[place[q].part] + place[q].offset];
}

static void HT_NODE(scatter_node)(const ht_cpu_level_side *side, int64_t node, int lane,
                                  HT_NODE(lanes) * g) {
  HT_REAL *values = side->values;
  const ht_cpu_level_place *place = HT_NODE(places_of)(side, node);
  int64_t base[3];
  HT_NODE(find_bases)(side, node, base);
  for (int q = 0; q < side->directions; q++)
    values[base[place[q].part] + place[q].offset] = g[q][lane];
}

/* ---- reading ---- */

/* Fetches the values of the nodes that are read next; nodes of a plane share their lines. (Always
 * inlined: GCC 12 drops the call of a function that only prefetches.) */
HT_ALWAYS_INLINE void HT_NODE(fetch_nodes)(const ht_cpu_level_side *side, const int64_t *node,
                                           int64_t count) {
  const HT_REAL *values = side->values;
  int64_t base[3];
  for (int64_t n = 0; n < count && n < HT_LEVEL_LANES; n++) {
    if (n > 0 && node[n] / HT_PLANE == node[n - 1] / HT_PLANE) continue;
    const ht_cpu_level_place *place = HT_NODE(places_of)(side, node[n]);
    HT_NODE(find_bases)(side, node[n], base);
    for (int q = 0; q < side->directions; q++)
      __builtin_prefetch(values + base[place[q].part] + place[q].offset);
  }
}

HT_ALWAYS_INLINE void HT_NODE(read_lanes)(HT_NODE(lanes) * g, int model, HT_REAL omega,
                                          const HT_REAL *half_force, HT_NODE(lanes) * state) {
#pragma GCC ivdep
  for (int n = 0; n < HT_LEVEL_LANES; n++) {
    HT_REAL own[HT_Q_MOST];
#pragma GCC unroll 27
    for (int q = 0; q < HT_Q_MOST; q++) own[q] = g[q][n];
    HT_NODE(level_read)(own, model, omega, half_force, &state[0][n], HT_LEVEL_LANES);
  }
}

/* Model is a constant in each branch. */
#define HT_EACH_MODEL(call)                                                                        \
  switch (side->model) {                                                                           \
  case 0:                                                                                          \
    call(0) break;                                                                                 \
  case 1:                                                                                          \
    call(1) break;                                                                                 \
  case 2:                                                                                          \
    call(2) break;                                                                                 \
  case 3:                                                                                          \
    call(3) break;                                                                                 \
  default:                                                                                         \
    call(HT_MODEL_CUMULANT)                                                                        \
  }

static void HT_NODE(read_batch)(const ht_cpu_level_side *side, const int64_t *node, int count,
                                HT_REAL *to) {
  _Alignas(64) HT_NODE(lanes) g[HT_Q_MOST] = {{0}}, state[HT_LEVEL_VALUES];
  const HT_REAL omega = (HT_REAL)side->omega;
  HT_REAL half_force[3];
  for (int a = 0; a < 3; a++) half_force[a] = (HT_REAL)(0.5 * side->force[a]);
  for (int n = 0; n < count; n++) HT_NODE(gather_node)(side, node[n], n, g);
#define HT_READ(model) HT_NODE(read_lanes)(g, model, omega, half_force, state);
  HT_EACH_MODEL(HT_READ)
#undef HT_READ
  for (int n = 0; n < count; n++)
    for (int v = 0; v < HT_LEVEL_VALUES; v++) to[HT_LEVEL_VALUES * n + v] = state[v][n];
}

static void HT_NODE(read_states)(const ht_cpu_level_side *side, const ht_level_states *of,
                                 int64_t begin, int64_t end, HT_REAL *states) {
  for (int64_t i = begin; i < end; i += HT_LEVEL_LANES) {
    const int64_t left = end - i;
    HT_NODE(fetch_nodes)(side, of->node + i + HT_LEVEL_LANES, left - HT_LEVEL_LANES);
    HT_NODE(read_batch)
    (side, of->node + i, left < HT_LEVEL_LANES ? (int)left : HT_LEVEL_LANES,
     states + HT_LEVEL_VALUES * i);
  }
}

static void HT_NODE(guess_states)(const ht_level_states *of, int64_t begin, int64_t end,
                                  HT_REAL *states) {
  for (int64_t i = begin; i < end; i++) {
    const ht_level_guess *guess = &of->guess[i];
    HT_REAL *state = states + HT_LEVEL_VALUES * (int64_t)guess->state;
    for (int v = 0; v < HT_LEVEL_VALUES; v++) state[v] = 0;
    for (int k = guess->first; k < guess->first + guess->terms; k++)
      for (int v = 0; v < HT_LEVEL_VALUES; v++)
        state[v] += (HT_REAL)of->weight[HT_LEVEL_KINDS * k + HT_KIND_OF(v)] *
                    states[HT_LEVEL_VALUES * (int64_t)of->from[k] + v];
  }
}

/* ---- making ---- */

/* Cubes of one level, a lane each, and what they add. */
typedef struct {
  _Alignas(64) HT_NODE(lanes) corner[HT_CUBE * HT_LEVEL_VALUES];
  _Alignas(64) HT_NODE(lanes) added[HT_CUBE_VALUES];
  _Alignas(64) HT_NODE(lanes) state[HT_LEVEL_VALUES];
  _Alignas(64) HT_NODE(lanes) g[HT_Q_MOST];
} HT_NODE(level_batch);

static void HT_NODE(take_corners)(const HT_REAL *states, const int32_t *corner, int lane,
                                  HT_NODE(level_batch) * batch) {
  for (int i = 0; i < HT_CUBE; i++) {
    const HT_REAL *state = states + HT_LEVEL_VALUES * (int64_t)corner[i];
    for (int v = 0; v < HT_LEVEL_VALUES; v++)
      batch->corner[HT_LEVEL_VALUES * i + v][lane] = state[v];
  }
}

HT_ALWAYS_INLINE void HT_NODE(find_lanes)(HT_NODE(level_batch) * batch, int directions,
                                          HT_REAL nu) {
#pragma GCC ivdep
  for (int n = 0; n < HT_LEVEL_LANES; n++) HT_NODE(cube_find)
  (&batch->corner[0][n], HT_LEVEL_LANES, directions, nu, &batch->added[0][n]);
}

static void HT_NODE(find_cubes)(const ht_cpu_level_side *side, HT_NODE(level_batch) * batch) {
  if (side->directions == HT_Q27)
    HT_NODE(find_lanes)(batch, HT_Q27, (HT_REAL)side->nu);
  else
    HT_NODE(find_lanes)(batch, HT_Q19, (HT_REAL)side->nu);
}

HT_ALWAYS_INLINE void HT_NODE(make_lanes)(HT_NODE(level_batch) * batch, int model,
                                          const HT_NODE(cumulant_rates) * rates,
                                          const HT_REAL *weight, HT_REAL bent, HT_REAL times,
                                          int forced, const HT_REAL *half_force,
                                          const HT_REAL *force) {
#pragma GCC ivdep
  for (int n = 0; n < HT_LEVEL_LANES; n++) {
    HT_REAL state[HT_LEVEL_VALUES], added[HT_CUBE_VALUES], g[HT_Q_MOST] = {0};
    HT_NODE(cube_mean)
    (&batch->corner[0][n], &batch->added[0][n], HT_LEVEL_LANES, weight, bent, times, state, added);
#pragma GCC unroll 27
    for (int v = 0; v < HT_LEVEL_VALUES; v++) batch->state[v][n] = state[v];
    HT_NODE(level_make)(g, model, rates, state, added, half_force);
    if (forced) HT_NODE(accelerate)(g, model, force);
#pragma GCC unroll 27
    for (int q = 0; q < HT_Q_MOST; q++) batch->g[q][n] = g[q];
  }
}

/* Makes the values of a node in each cube, of the level `side`. */
static void HT_NODE(make_batch)(const ht_cpu_level_side *side, const HT_REAL *weight, HT_REAL bent,
                                HT_REAL times, HT_NODE(level_batch) * batch) {
  const HT_NODE(cumulant_rates) rates = HT_NODE(rates_of)(side->model, (HT_REAL)side->omega);
  HT_REAL half_force[3], force[3];
  for (int a = 0; a < 3; a++) {
    force[a] = (HT_REAL)side->force[a];
    half_force[a] = (HT_REAL)(0.5 * side->force[a]);
  }
#define HT_MAKE(model)                                                                             \
  if (side->forced)                                                                                \
    HT_NODE(make_lanes)(batch, model, &rates, weight, bent, times, 1, half_force, force);          \
  else                                                                                             \
    HT_NODE(make_lanes)(batch, model, &rates, weight, bent, times, 0, half_force, force);
  HT_EACH_MODEL(HT_MAKE)
#undef HT_MAKE
}

static void HT_NODE(place_blocks)(const ht_cpu_levels *levels, int64_t begin, int64_t end) {
  const ht_interface *lists = levels->lists;
  const HT_REAL *fine_states = levels->fine_states;
  HT_REAL weight[HT_CUBE];
  HT_REAL *to = (HT_REAL *)levels->coarse_states + HT_LEVEL_VALUES * lists->coarse.reads;
  for (int i = 0; i < HT_CUBE; i++) weight[i] = (HT_REAL)0.125;
  for (int64_t b = begin; b < end; b += HT_LEVEL_LANES) {
    const int64_t left = end - b;
    const int count = left < HT_LEVEL_LANES ? (int)left : HT_LEVEL_LANES;
    HT_NODE(level_batch) batch;
    for (int n = 0; n < HT_LEVEL_LANES; n++) HT_NODE(take_corners)
    (fine_states, lists->block[b + (n < count ? n : 0)].corner, n, &batch);
    HT_NODE(find_cubes)(&levels->fine, &batch);
    HT_NODE(make_batch)
    (&levels->coarse, weight, (HT_REAL)HT_COARSEN_BENT, (HT_REAL)HT_COARSEN_TIMES, &batch);
    for (int n = 0; n < count; n++) {
      for (int v = 0; v < HT_LEVEL_VALUES; v++)
        to[HT_LEVEL_VALUES * (b + n) + v] = batch.state[v][n];
      HT_NODE(scatter_node)(&levels->coarse, lists->block[b + n].node, n, batch.g);
    }
  }
}

/* The fine nodes nearest to corner `at` of the cells in a batch. */
static void HT_NODE(place_octant)(const ht_cpu_levels *levels, const ht_level_cell *cell, int count,
                                  int at, HT_NODE(level_batch) * batch) {
  HT_REAL weight[HT_CUBE];
  int wanted = 0;
  for (int n = 0; n < count; n++) wanted |= cell[n].node[at] >= 0;
  if (!wanted) return;
  HT_NODE(cube_weights)(at, weight);
  HT_NODE(make_batch)
  (&levels->fine, weight, (HT_REAL)HT_REFINE_BENT, (HT_REAL)HT_REFINE_TIMES, batch);
  for (int n = 0; n < count; n++)
    if (cell[n].node[at] >= 0) HT_NODE(scatter_node)(&levels->fine, cell[n].node[at], n, batch->g);
}

static void HT_NODE(place_cells)(const ht_cpu_levels *levels, int64_t begin, int64_t end) {
  const ht_interface *lists = levels->lists;
  const HT_REAL *coarse_states = levels->coarse_states;
  for (int64_t c = begin; c < end; c += HT_LEVEL_LANES) {
    const int64_t left = end - c;
    const int count = left < HT_LEVEL_LANES ? (int)left : HT_LEVEL_LANES;
    HT_NODE(level_batch) batch;
    for (int n = 0; n < HT_LEVEL_LANES; n++) HT_NODE(take_corners)
    (coarse_states, lists->cell[c + (n < count ? n : 0)].corner, n, &batch);
    HT_NODE(find_cubes)(&levels->coarse, &batch);
    for (int at = 0; at < HT_CUBE; at++)
      HT_NODE(place_octant)(levels, lists->cell + c, count, at, &batch);
  }
}

static void HT_NODE(exchange)(const ht_cpu_levels *levels, ht_cpu_level_stage stage, int64_t begin,
                              int64_t end) {
  const ht_interface *lists = levels->lists;
  switch (stage) {
  case HT_CPU_READ_FINE:
    HT_NODE(read_states)(&levels->fine, &lists->fine, begin, end, levels->fine_states);
    break;
  case HT_CPU_READ_COARSE:
    HT_NODE(read_states)(&levels->coarse, &lists->coarse, begin, end, levels->coarse_states);
    break;
  case HT_CPU_GUESS_FINE:
    HT_NODE(guess_states)(&lists->fine, begin, end, levels->fine_states);
    break;
  case HT_CPU_PLACE_BLOCKS:
    HT_NODE(place_blocks)(levels, begin, end);
    break;
  case HT_CPU_GUESS_COARSE:
    HT_NODE(guess_states)(&lists->coarse, begin, end, levels->coarse_states);
    break;
  default:
    HT_NODE(place_cells)(levels, begin, end);
  }
}
#undef HT_EACH_MODEL

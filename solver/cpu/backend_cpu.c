/* The CPU backend: OpenMP over runs of tiles, a vectorised kernel for each instruction set. */
#include "solver/cpu/cpu_force.h"
#include "solver/cpu/cpu_levels.h"
#include "solver/cpu/cpu_state.h"
#include "solver/kernels/half.h"
#include "solver/kernels/nodes.h"
#include "core/text/words.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

/* Values whose places are kept: those that arrive at the node inside and at a port's node; those of
 * the node inside and of the port's node. */
enum { PORT_INSIDE, PORT_ARRIVING, PORT_LEFT, PORT_OWN, PORT_PLACES };

/* Sizes of caches: two copies smaller than CACHED_BYTES are written through the caches; prefetches
 * stay within AHEAD_BYTES, a core's own cache. */
enum { CACHED_BYTES = 16 << 20, HUGE_PAGE = 2 << 20, AHEAD_BYTES = 512 << 10 };

/* ---- set-up ---- */

/* The tiles of the calling thread: one run, the same in every sweep and when memory is first
 * touched, which places its pages near the thread. */
static void own_share(int64_t tiles, int64_t *begin, int64_t *end) {
  int thread = omp_get_thread_num(), threads = omp_get_num_threads();
  *begin = tiles * thread / threads;
  *end = tiles * (thread + 1) / threads;
}

static void own_tiles(const cpu_state *state, int64_t *begin, int64_t *end) {
  own_share(state->tables->own_tiles, begin, end);
}

static void zero_tiles(const cpu_state *state, char *copy, int64_t begin, int64_t end) {
  ht_cpu_parts first = parts_of(state, begin);
  size_t size = value_size(state), tiles = (size_t)(end - begin);
  size_t in_main = (size_t)HT_MAIN_VALUES(state->tables->directions);
  size_t in_face = (size_t)HT_FACE_VALUES(state->tables->directions);
  memset(copy + first.main * (int64_t)size, 0, tiles * in_main * size);
  memset(copy + first.up * (int64_t)size, 0, tiles * in_face * size);
  memset(copy + first.down * (int64_t)size, 0, tiles * in_face * size);
}

/* Aligned to cache lines, and where it is large in pages of 2 MiB: a tile and its neighbours lie on
 * some 30 pages of 4 KiB, more than the first-level TLB holds. Zeroed. */
static ht_status alloc_copy(cpu_state *state, void **copy) {
  size_t bytes = copy_size(state);
  size_t align = bytes < HUGE_PAGE ? 64 : HUGE_PAGE;
  *copy = aligned_alloc(align, (bytes + align - 1) / align * align);
  if (!*copy)
    return ht_fail(HT_ERR_MEMORY,
                   "not enough memory: %s for one of the two copies of the distribution "
                   "functions; use a coarser spacing, fp32 or fp16",
                   ht_memory_words((double)bytes).text);
#ifdef MADV_HUGEPAGE
  if (align == HUGE_PAGE) madvise(*copy, bytes, MADV_HUGEPAGE); /* without it slower, not wrong */
#endif
#pragma omp parallel num_threads(state->threads)
  {
    int64_t begin, end;
    own_tiles(state, &begin, &end);
    zero_tiles(state, *copy, begin, end);
  }
  zero_tiles(state, *copy, state->tables->own_tiles, state->tables->tiling->tiles);
  return HT_OK;
}

static ht_status alloc_diagonal(cpu_state *state) {
  const size_t bytes = squares_size(state);
  if (!state->tables->corrected) return HT_OK;
  for (int k = 0; k < 3; k++)
    HT_TRY(ht_alloc(&state->square[k], bytes, 1, "the correction of diagonals"));
  return ht_alloc(&state->square_before, bytes, 1, "the correction of diagonals");
}

/* Finds the places of the values that arrive at a node: arrive() of zou_he_port.h in this
 * layout. */
static void place_arriving(const cpu_state *state, int64_t node, int64_t *places) {
  const ht_lattice_tables *tables = state->tables;
  for (int q = 0; q < tables->directions; q++) {
    int slot, from;
    ht_pull_source((int)(node & 63), q, &slot, &from);
    int64_t there = tables->neighbour[HT_TILE_NEIGHBOURS * (node >> 6) + slot];
    places[q] = q && ((tables->links[node] >> q) & 1) ? place(state, node, ht_opposite(q))
                                                      : place(state, 64 * there + from, q);
  }
}

static const int64_t *port_places(const cpu_state *state, int64_t port_node, int which) {
  return state->port_place + (PORT_PLACES * port_node + which) * state->tables->directions;
}

static ht_status place_ports(cpu_state *state) {
  const ht_lattice_tables *tables = state->tables;
  const int directions = tables->directions;
  HT_TRY(ht_alloc((void **)&state->port_place,
                  (size_t)tables->port_nodes * PORT_PLACES * (size_t)directions, sizeof(int64_t),
                  "the ports"));
  for (int64_t p = 0; p < tables->port_nodes; p++) {
    const ht_port_node *port = &tables->port_node[p];
    int64_t *places = state->port_place + PORT_PLACES * directions * p;
    place_arriving(state, port->inner, places + PORT_INSIDE * directions);
    place_arriving(state, port->node, places + PORT_ARRIVING * directions);
    for (int q = 0; q < directions; q++) {
      places[PORT_LEFT * directions + q] = place(state, port->inner, q);
      places[PORT_OWN * directions + q] = place(state, port->node, q);
    }
  }
  return HT_OK;
}

static void cpu_destroy(void *opaque) {
  cpu_state *state = opaque;
  if (!state) return;
  free(state->wall_slot);
  free(state->wall);
  free(state->sponge_slot);
  free(state->keep);
  ht_cpu_walls_free(&state->walls);
  for (int k = 0; k < 3; k++) free(state->square[k]);
  free(state->square_before);
  free(state->port_place);
  free(state->copy[0]);
  free(state->copy[1]);
  free(state->coefficient);
  free(state->last_velocity);
  free(state->send_place);
  free(state->receive_place);
  ht_cpu_edge_free(&state->edge);
  free(state->replaced);
  ht_host_image_end(&state->image);
  free(state);
}

static ht_status cpu_allocate(cpu_state *state) {
  HT_TRY(ht_cpu_build_walls(state));
  HT_TRY(ht_cpu_build_sponge(state));
  HT_TRY(ht_cpu_walls_build(state->tables, &state->walls));
  HT_TRY(alloc_diagonal(state));
  HT_TRY(place_ports(state));
  HT_TRY(alloc_copy(state, &state->copy[0]));
  HT_TRY(alloc_copy(state, &state->copy[1]));
  HT_TRY(ht_alloc((void **)&state->coefficient, (size_t)state->tables->columns, sizeof(double),
                  "the ports"));
  return ht_alloc((void **)&state->last_velocity,
                  (size_t)state->tables->tiling->tiles * HT_TILE_NODES, 3 * sizeof(float),
                  "the velocity");
}

/* Two tiles beyond the tile one row ahead, so that the rows on both sides are in the cache when
 * they are pulled: far enough for nine tiles of ten, at most AHEAD_BYTES. */
static int64_t tiles_ahead(const cpu_state *state) {
  const ht_lattice_tables *tables = state->tables;
  const int next_row = 16; /* neighbour (0, 1, 0) */
  int64_t most = AHEAD_BYTES / (int64_t)(tile_values(state) * value_size(state)), tiles = 0;
  int64_t count[AHEAD_BYTES / (2 * HT_TILE_VALUES(HT_Q19)) + 1] = {0};
  for (int64_t t = 0; t < tables->tiling->tiles; t++) {
    int64_t row = tables->neighbour[HT_TILE_NEIGHBOURS * t + next_row] - t;
    if (row < 0) continue;
    count[row < most ? row : most]++;
    tiles++;
  }
  int64_t row = 0, within = count[0];
  while (row < most && 10 * within < 9 * tiles) within += count[++row];
  return row + 2;
}

static int job_model(const ht_lattice_tables *tables) {
  return tables->step_kind == HT_STEP_READ_WRITE  ? HT_CPU_READ_WRITE
         : tables->step_kind == HT_STEP_PROPAGATE ? HT_CPU_PROPAGATE
                                                  : tables->model;
}

static const void *job_rate(const ht_lattice_tables *tables) {
  if (tables->step_kind != HT_STEP_FLOW) return NULL;
  return tables->precision == HT_FP64 ? (const void *)tables->rate : tables->rate_single;
}

static int has_links(const ht_lattice_tables *tables) {
  return tables->step_kind == HT_STEP_FLOW && tables->wall_links > 0;
}

static ht_status cpu_create(const ht_lattice_tables *tables, void **opaque, char device[128]) {
  cpu_state *state = NULL;
  *opaque = NULL;
  HT_TRY(ht_alloc((void **)&state, 1, sizeof *state, "the solver"));
  ht_host_image_begin(tables, &ht_cpu_values, &state->image);
  state->tables = tables;
  state->threads = ht_cpu_threads(tables->threads);
  state->kernel = ht_cpu_choose_kernel(tables->precision, tables->directions);
  ht_status status = cpu_allocate(state);
  if (status != HT_OK) {
    cpu_destroy(state);
    return status;
  }
  state->job = (ht_cpu_job){.tiles = tables->tiling->tiles,
                            .neighbour = tables->neighbour,
                            .wall_slot = state->wall_slot,
                            .wall = state->wall,
                            .sponge_slot = state->sponge_slot,
                            .keep = state->keep,
                            .stream = 2 * copy_size(state) > CACHED_BYTES,
                            .ahead = tiles_ahead(state),
                            .walls = has_links(tables) ? &state->walls : NULL,
                            .model = job_model(tables),
                            .omega = tables->omega,
                            .diagonal_factor = tables->diagonal_factor,
                            .rate = job_rate(tables)};
  snprintf(device, 128, "CPU, %d thread%s, %s", state->threads, state->threads == 1 ? "" : "s",
           ht_cpu_instruction_set());
  *opaque = state;
  return HT_OK;
}

/* ---- steps ---- */

static void store_value(const cpu_state *state, void *values, int64_t at, double value) {
  switch (state->tables->precision) {
  case HT_FP16:
    ((ht_half *)values)[at] = ht_half_store((float)value);
    break;
  case HT_FP32:
    ((float *)values)[at] = (float)value;
    break;
  default:
    ((double *)values)[at] = value;
  }
}

/* The values at [directions] places; double holds every value exactly. */
static void gather(const cpu_state *state, const void *values, const int64_t *places, double *g) {
  for (int q = 0; q < state->tables->directions; q++) g[q] = load_value(state, values, places[q]);
}

/* Gathers the values that arrive at the node inside of a port node. */
static void gather_inside(const cpu_state *state, int64_t p, const void *source, double *inside) {
  double left[HT_Q_MOST];
  gather(state, source, port_places(state, p, PORT_INSIDE), inside);
  if (!state->job.walls) return;
  gather(state, source, port_places(state, p, PORT_LEFT), left);
  ht_cpu_walls_reach_port(state->tables, &state->walls, p, left, inside);
}

static void step_port_double(const cpu_state *state, int64_t p, ht_port_asked asked,
                             const void *source, void *target) {
  const ht_lattice_tables *tables = state->tables;
  const ht_port_node *port = &tables->port_node[p];
  double inside[HT_Q_MOST], g[HT_Q_MOST], *to = target;
  gather_inside(state, p, source, inside);
  gather(state, source, port_places(state, p, PORT_ARRIVING), g);
  set_port_f64(port, asked, tables->model, inside, g);
  relax_port_f64(g, tables->model, !ht_port_bounces(port, asked),
                 tables->rate ? local_rate_f64(g, tables->model, tables->rate) : tables->omega);
  if (port->keep < 1) damp_f64(g, (double)port->keep);
  for (int q = 0; q < tables->directions; q++) to[port_places(state, p, PORT_OWN)[q]] = g[q];
}

static void step_port_single(const cpu_state *state, int64_t p, ht_port_asked asked,
                             const void *source, void *target) {
  const ht_lattice_tables *tables = state->tables;
  const ht_port_node *port = &tables->port_node[p];
  double inside_double[HT_Q_MOST], arriving[HT_Q_MOST];
  float inside[HT_Q_MOST], g[HT_Q_MOST];
  gather_inside(state, p, source, inside_double);
  gather(state, source, port_places(state, p, PORT_ARRIVING), arriving);
  for (int q = 0; q < tables->directions; q++) {
    inside[q] = (float)inside_double[q];
    g[q] = (float)arriving[q];
  }
  set_port_f32(port, asked, tables->model, inside, g);
  relax_port_f32(g, tables->model, !ht_port_bounces(port, asked),
                 tables->rate ? local_rate_f32(g, tables->model, tables->rate_single)
                              : (float)tables->omega);
  if (port->keep < 1) damp_f32(g, port->keep);
  for (int q = 0; q < tables->directions; q++)
    store_value(state, target, port_places(state, p, PORT_OWN)[q], (double)g[q]);
}

/* Steps the ports of an edge's tiles (edge 1) or of the others; all where there is no edge. */
static void step_ports(const cpu_state *state, const void *source, void *target, int edge) {
  const ht_lattice_tables *tables = state->tables;
#pragma omp parallel for schedule(static) num_threads(state->threads)
  for (int64_t p = 0; p < tables->port_nodes; p++) {
    if (state->edge.is_port && state->edge.is_port[p] != edge) continue;
    ht_port_asked asked = ht_port_ask(&tables->port_node[p], state->coefficient, tables->shape);
    (tables->precision == HT_FP64 ? step_port_double : step_port_single)(state, p, asked, source,
                                                                         target);
  }
}

/* The calling thread's share of the runs. */
static void step_runs(const cpu_state *state, const ht_cpu_job *job, const ht_cpu_runs *runs) {
  int64_t begin, end, before = 0;
  const int accelerates = state->tables->forced && state->tables->step_kind == HT_STEP_FLOW;
  own_share(runs->tiles, &begin, &end);
  for (int64_t r = 0; r < runs->count && before < end; r++) {
    const ht_cpu_run *run = &runs->run[r];
    int64_t first = run->begin + (begin > before ? begin - before : 0);
    before += run->end - run->begin;
    int64_t behind = run->end - (before > end ? before - end : 0);
    if (first >= behind) continue;
    state->kernel(job, first, behind);
    if (accelerates) ht_cpu_accelerate(state->tables, job->target, first, behind);
  }
}

static int is_flow(const cpu_state *state) {
  return state->tables->step_kind == HT_STEP_FLOW;
}

/* The job of a step from one copy to the other. */
static ht_cpu_job job_of(const cpu_state *state, int64_t step, int from) {
  ht_cpu_job job = state->job;
  job.source = state->copy[from];
  job.target = state->copy[!from];
  job.skipped = state->is_replaced ? state->replaced : NULL;
  if (!state->tables->corrected || !is_flow(state)) return job;
  job.corrected = state->tables->corrected;
  for (int k = 0; k < 2; k++) job.square_before[k] = state->square[(step + 2 - k) % 3];
  job.square_before[2] = state->square_before;
  job.square = state->square[step % 3];
  return job;
}

/* Puts the squares of three steps before this one aside: the step needs them, and writes its own in
 * their place. */
static void turn_squares(cpu_state *state, int64_t step) {
  void *oldest = state->square[step % 3];
  state->square[step % 3] = state->square_before;
  state->square_before = oldest;
}

/* Begins a step with these runs of tiles; their copy is then the current one. */
static void step_first(cpu_state *state, int64_t step, const ht_cpu_runs *runs) {
  if (is_flow(state)) turn_squares(state, step);
  const ht_cpu_job job = job_of(state, step, state->current);
  ht_drive_fill(state->tables, step, state->coefficient);
  if (job.walls) ht_cpu_walls_begin(&state->walls, step);
#pragma omp parallel num_threads(state->threads)
  step_runs(state, &job, runs);
  if (is_flow(state) && state->tables->port_nodes > 0) step_ports(state, job.source, job.target, 1);
  state->current = !state->current;
  state->last_step = step;
}

static ht_status cpu_step(void *opaque, int64_t first, int64_t count) {
  cpu_state *state = opaque;
  ht_cpu_run all = {0, state->tables->own_tiles};
  const ht_cpu_runs runs = {1, all.end, &all};
  for (int64_t s = first; s < first + count; s++) {
    step_first(state, s, &runs);
    if (state->finer) HT_TRY(ht_cpu_step_finer(state->finer, s));
  }
  return HT_OK;
}

static ht_status cpu_step_edge(void *opaque, int64_t step) {
  cpu_state *state = opaque;
  step_first(state, step, &state->edge.runs);
  return HT_OK;
}

static ht_status cpu_step_rest(void *opaque) {
  cpu_state *state = opaque;
  const ht_cpu_job job = job_of(state, state->last_step, !state->current);
#pragma omp parallel num_threads(state->threads)
  step_runs(state, &job, &state->edge.rest);
  if (is_flow(state) && state->tables->port_nodes > 0) step_ports(state, job.source, job.target, 0);
  return HT_OK;
}

/* ---- watching and reading ---- */

static void node_velocity(const cpu_state *state, int64_t node, double u[3]) {
  const void *values = state->copy[state->current];
  double g[HT_Q_MOST], rho;
  for (int q = 0; q < state->tables->directions; q++)
    g[q] = load_value(state, values, place(state, node, q));
  velocity_f64(g, state->tables->model, &rho, u);
  if (!isfinite(rho)) u[0] = rho; /* so that it shows */
}

static ht_backend_change watch_tile(cpu_state *state, int64_t tile) {
  double difference2 = 0, speed2 = 0, most = 0;
  int broken = 0;
  for (int64_t n = HT_TILE_NODES * tile; n < HT_TILE_NODES * (tile + 1); n++) {
    double u[3], size2 = 0;
    node_velocity(state, n, u);
    for (int a = 0; a < 3; a++) {
      float *last = state->last_velocity + 3 * n + a;
      difference2 += (u[a] - *last) * (u[a] - *last);
      size2 += u[a] * u[a];
      *last = (float)u[a];
    }
    speed2 += size2;
    broken |= !isfinite(size2);
    if (size2 > most) most = size2;
  }
  return (ht_backend_change){difference2, speed2, broken ? NAN : most};
}

static ht_status cpu_watch_tiles(void *opaque, ht_backend_change *of_tile) {
  cpu_state *state = opaque;
#pragma omp parallel for schedule(static) num_threads(state->threads)
  for (int64_t t = 0; t < state->tables->own_tiles; t++) of_tile[t] = watch_tile(state, t);
  return HT_OK;
}

static ht_status cpu_watch(void *opaque, ht_backend_change *change) {
  int64_t tiles = ((const cpu_state *)opaque)->tables->own_tiles;
  ht_backend_change *of_tile;
  HT_TRY(ht_alloc((void **)&of_tile, (size_t)tiles, sizeof *of_tile, "the change of the flow"));
  ht_status status = cpu_watch_tiles(opaque, of_tile);
  ht_change_sum(of_tile, tiles, change);
  free(of_tile);
  return status;
}

/* Volume a step that crosses the links between a port's node and those inside, positive inward: the
 * values sent along them less those that arrive. */
static double port_flow(const cpu_state *state, int64_t p) {
  const void *values = state->copy[state->current];
  const ht_port_node *port = &state->tables->port_node[p];
  const int64_t *own = port_places(state, p, PORT_OWN);
  double g[HT_Q_MOST], flow = 0;
  gather(state, values, port_places(state, p, PORT_ARRIVING), g);
  for (int q = 1; q < state->tables->directions; q++)
    if ((port->flow_links >> q) & 1) flow += load_value(state, values, own[q]) - g[ht_opposite(q)];
  return flow;
}

static ht_status cpu_port_flow(void *opaque, double *flow) {
  const cpu_state *state = opaque;
#pragma omp parallel for schedule(static) num_threads(state->threads)
  for (int64_t p = 0; p < state->tables->port_nodes; p++) flow[p] = port_flow(state, p);
  return HT_OK;
}

/* Reloads nothing: this backend works on the tables of the ports and of the force themselves. */
static ht_status cpu_reload(void *opaque) {
  (void)opaque;
  return HT_OK;
}

static ht_status cpu_momentum(void *opaque, double momentum[3]) {
  const cpu_state *state = opaque;
  return ht_cpu_momentum(state->tables, state->copy[state->current], state->threads, momentum);
}

static void cpu_measure_cost(const void *opaque, ht_lattice_cost *cost) {
  const cpu_state *state = opaque;
  const ht_lattice_tables *tables = state->tables;
  int64_t a_tile = HT_TILE_NODES * (int64_t)(3 * sizeof(float) + sizeof(uint32_t)) +
                   HT_TILE_NEIGHBOURS * (int64_t)sizeof(int32_t);
  int64_t diagonal = tables->corrected ? 4 * (int64_t)squares_size(state) : 0;
  *cost = (ht_lattice_cost){
      .bytes = 2 * (int64_t)copy_size(state) + tables->tiling->tiles * a_tile + diagonal +
               tables->port_nodes *
                   (int64_t)(sizeof(ht_port_node) +
                             PORT_PLACES * (size_t)tables->directions * sizeof(int64_t)) +
               tables->wall_links * ht_cpu_wall_link_bytes(tables)};
}

const ht_backend ht_backend_cpu = {.create = cpu_create,
                                   .destroy = cpu_destroy,
                                   .step = cpu_step,
                                   .watch = cpu_watch,
                                   .port_flow = cpu_port_flow,
                                   .reload_ports = cpu_reload,
                                   .reload_force = cpu_reload,
                                   .momentum = cpu_momentum,
                                   .visit = ht_host_image_visit,
                                   .fill = ht_host_image_fill,
                                   .mark = ht_host_image_mark,
                                   .read_marked = ht_host_image_read_marked,
                                   .transfer = ht_cpu_transfer,
                                   .watch_tiles = cpu_watch_tiles,
                                   .border = ht_cpu_border,
                                   .step_edge = cpu_step_edge,
                                   .step_rest = cpu_step_rest,
                                   .pack = ht_cpu_pack,
                                   .unpack = ht_cpu_unpack,
                                   .couple = ht_cpu_couple,
                                   .decouple = ht_cpu_decouple,
                                   .transfer_levels = ht_cpu_transfer_levels,
                                   .owed_levels = ht_cpu_owed_levels,
                                   .measure_cost = cpu_measure_cost};

/* The CPU backend: OpenMP over runs of tiles, a vectorised kernel for each instruction set. */
#include "cpu_kernel.h"
#include "nodes.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const ht_lattice_tables *tables;
  ht_cpu_job job;
  ht_cpu_kernel kernel;
  int threads;
  int32_t *wall_slot;
  uint64_t *wall;
  void *copy[2];
  int current;          /* copy that holds the state */
  float *last_velocity; /* [tiles][64][3] at the last watch */
} cpu_state;

enum { TILES_A_RUN = 32 }; /* tiles that a thread takes at a time */

/* ---- choice of kernel ---- */

const char *ht_cpu_instruction_set(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return "AVX-512";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "AVX2";
#endif
  return "baseline";
}

static ht_cpu_kernel choose_kernel(ht_precision precision) {
  int single = precision == HT_FP32;
#if defined(__x86_64__)
  const char *isa = ht_cpu_instruction_set();
  if (strcmp(isa, "AVX-512") == 0) return single ? ht_cpu_step_f32_avx512 : ht_cpu_step_f64_avx512;
  if (strcmp(isa, "AVX2") == 0) return single ? ht_cpu_step_f32_avx2 : ht_cpu_step_f64_avx2;
#endif
  return single ? ht_cpu_step_f32_base : ht_cpu_step_f64_base;
}

int ht_cpu_threads(int asked) {
  return asked > 0 ? asked : omp_get_max_threads();
}

/* ---- set-up ---- */

static size_t value_size(const cpu_state *state) {
  return state->tables->precision == HT_FP32 ? sizeof(float) : sizeof(double);
}

static size_t copy_size(const cpu_state *state) {
  return (size_t)state->tables->tiling->tiles * HT_TILE_VALUES * value_size(state);
}

/* 64-byte aligned, zeroed by the threads that will use it (first touch places the pages). */
static ht_status alloc_copy(cpu_state *state, void **copy) {
  size_t bytes = copy_size(state);
  *copy = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!*copy)
    return ht_fail(HT_ERR_MEMORY,
                   "not enough memory: %.2f GB for one of the two copies of the distribution "
                   "functions; use a coarser spacing or fp32",
                   (double)bytes / 1e9);
  size_t run = (size_t)TILES_A_RUN * HT_TILE_VALUES * value_size(state);
  char *begin = *copy;
#pragma omp parallel for schedule(static) num_threads(state->threads)
  for (size_t at = 0; at < bytes; at += run)
    memset(begin + at, 0, at + run < bytes ? run : bytes - at);
  return HT_OK;
}

/* The links of a tile, turned from bits a node into bits a direction. */
static int tile_walls(const uint32_t *links, uint64_t wall[HT_Q]) {
  int any = 0;
  memset(wall, 0, HT_Q * sizeof *wall);
  for (int n = 0; n < HT_TILE_NODES; n++) {
    any |= links[n] != 1;
    if (!(links[n] & 1)) continue;
    for (int q = 0; q < HT_Q; q++) wall[q] |= (uint64_t)((links[n] >> q) & 1) << n;
  }
  return any;
}

static ht_status build_walls(cpu_state *state) {
  const ht_lattice_tables *tables = state->tables;
  int64_t tiles = tables->tiling->tiles;
  uint64_t wall[HT_Q];
  int32_t slots = 0;
  HT_TRY(ht_alloc((void **)&state->wall_slot, (size_t)tiles, sizeof(int32_t), "the walls"));
  for (int64_t t = 0; t < tiles; t++)
    state->wall_slot[t] = tile_walls(tables->links + HT_TILE_NODES * t, wall) ? slots++ : -1;
  HT_TRY(ht_alloc((void **)&state->wall, (size_t)slots * HT_Q, sizeof(uint64_t), "the walls"));
  for (int64_t t = 0; t < tiles; t++) {
    if (state->wall_slot[t] >= 0)
      tile_walls(tables->links + HT_TILE_NODES * t,
                 state->wall + (int64_t)HT_Q * state->wall_slot[t]);
  }
  return HT_OK;
}

static void cpu_destroy(void *opaque) {
  cpu_state *state = opaque;
  if (!state) return;
  free(state->wall_slot);
  free(state->wall);
  free(state->copy[0]);
  free(state->copy[1]);
  free(state->last_velocity);
  free(state);
}

static ht_status cpu_allocate(cpu_state *state) {
  HT_TRY(build_walls(state));
  HT_TRY(alloc_copy(state, &state->copy[0]));
  HT_TRY(alloc_copy(state, &state->copy[1]));
  return ht_alloc((void **)&state->last_velocity,
                  (size_t)state->tables->tiling->tiles * HT_TILE_NODES, 3 * sizeof(float),
                  "the velocity");
}

static int job_model(const ht_lattice_tables *tables) {
  return tables->step_kind == HT_STEP_READ_WRITE  ? HT_CPU_READ_WRITE
         : tables->step_kind == HT_STEP_PROPAGATE ? HT_CPU_PROPAGATE
                                                  : tables->model;
}

static ht_status cpu_create(const ht_lattice_tables *tables, void **opaque, char device[128]) {
  cpu_state *state = NULL;
  *opaque = NULL;
  HT_TRY(ht_alloc((void **)&state, 1, sizeof *state, "the solver"));
  state->tables = tables;
  state->threads = ht_cpu_threads(tables->threads);
  state->kernel = choose_kernel(tables->precision);
  ht_status status = cpu_allocate(state);
  if (status != HT_OK) {
    cpu_destroy(state);
    return status;
  }
  state->job = (ht_cpu_job){.neighbour = tables->neighbour,
                            .wall_slot = state->wall_slot,
                            .wall = state->wall,
                            .model = job_model(tables),
                            .omega = tables->omega};
  snprintf(device, 128, "CPU, %d thread%s, %s", state->threads, state->threads == 1 ? "" : "s",
           ht_cpu_instruction_set());
  *opaque = state;
  return HT_OK;
}

/* ---- steps ---- */

static void step_ports(const cpu_state *state, const void *source, void *target, double share) {
  const ht_lattice_tables *tables = state->tables;
  const int32_t *neighbours = tables->neighbour;
#pragma omp parallel for schedule(static) num_threads(state->threads)
  for (int64_t p = 0; p < tables->port_nodes; p++) {
    const ht_port_node *port = tables->port_node + p;
    int64_t at = (port->node >> 6) * HT_TILE_VALUES + (port->node & 63);
    if (tables->precision == HT_FP32) {
      float g[HT_Q];
      arrive_at_port_f32(source, neighbours, tables->links, port, share, tables->model % 2, g);
      relax_f32(g, tables->model, (float)tables->omega);
      for (int q = 0; q < HT_Q; q++) ((float *)target)[at + 64 * q] = g[q];
    } else {
      double g[HT_Q];
      arrive_at_port_f64(source, neighbours, tables->links, port, share, tables->model % 2, g);
      relax_f64(g, tables->model, tables->omega);
      for (int q = 0; q < HT_Q; q++) ((double *)target)[at + 64 * q] = g[q];
    }
  }
}

static void step_once(cpu_state *state, double share) {
  int64_t tiles = state->tables->tiling->tiles;
  ht_cpu_job job = state->job;
  job.source = state->copy[state->current];
  job.target = state->copy[!state->current];
#pragma omp parallel for schedule(static) num_threads(state->threads)
  for (int64_t begin = 0; begin < tiles; begin += TILES_A_RUN)
    state->kernel(&job, begin, begin + TILES_A_RUN < tiles ? begin + TILES_A_RUN : tiles);
  if (state->tables->step_kind == HT_STEP_FLOW) step_ports(state, job.source, job.target, share);
  state->current = !state->current;
}

static ht_status cpu_step(void *opaque, int64_t first, int64_t count) {
  cpu_state *state = opaque;
  for (int64_t s = first; s < first + count; s++)
    step_once(state, ht_inflow_share(s, state->tables->ramp_steps));
  return HT_OK;
}

/* ---- watching and reading ---- */

static void node_velocity(const cpu_state *state, int64_t tile, int local, double u[3]) {
  const void *values = state->copy[state->current];
  int64_t at = tile * HT_TILE_VALUES + local;
  double g[HT_Q], rho;
  for (int q = 0; q < HT_Q; q++)
    g[q] = state->tables->precision == HT_FP32 ? (double)((const float *)values)[at + 64 * q]
                                               : ((const double *)values)[at + 64 * q];
  moments_f64(g, &rho, &u[0], &u[1], &u[2]);
  if (!isfinite(rho)) u[0] = rho; /* so that it shows */
}

static ht_status cpu_watch(void *opaque, ht_backend_change *change) {
  cpu_state *state = opaque;
  int64_t nodes = state->tables->tiling->tiles * HT_TILE_NODES;
  double difference2 = 0, speed2 = 0, most = 0;
  int64_t broken = 0;
#pragma omp parallel for schedule(static) num_threads(state->threads)                              \
    reduction(+ : difference2, speed2, broken) reduction(max : most)
  for (int64_t n = 0; n < nodes; n++) {
    double u[3], size2 = 0;
    node_velocity(state, n >> 6, (int)(n & 63), u);
    for (int a = 0; a < 3; a++) {
      float *last = state->last_velocity + 3 * n + a;
      difference2 += (u[a] - *last) * (u[a] - *last);
      size2 += u[a] * u[a];
      *last = (float)u[a];
    }
    speed2 += size2;
    broken += !isfinite(size2);
    if (size2 > most) most = size2;
  }
  *change = (ht_backend_change){difference2, speed2, broken ? NAN : most};
  return HT_OK;
}

static ht_status cpu_port_flow(void *opaque, double *flow) {
  const cpu_state *state = opaque;
  const ht_lattice_tables *tables = state->tables;
  const int32_t *neighbours = tables->neighbour;
  const void *values = state->copy[state->current];
#pragma omp parallel for schedule(static) num_threads(state->threads)
  for (int64_t p = 0; p < tables->port_nodes; p++)
    flow[p] = tables->precision == HT_FP32
                  ? port_flow_f32(values, neighbours, tables->links, tables->port_node + p)
                  : port_flow_f64(values, neighbours, tables->links, tables->port_node + p);
  return HT_OK;
}

static ht_status cpu_reload_ports(void *opaque) {
  (void)opaque; /* it works on the table itself */
  return HT_OK;
}

static ht_status cpu_download(void *opaque, void *values) {
  cpu_state *state = opaque;
  memcpy(values, state->copy[state->current], copy_size(state));
  return HT_OK;
}

static ht_status cpu_upload(void *opaque, const void *values) {
  cpu_state *state = opaque;
  memcpy(state->copy[state->current], values, copy_size(state));
  return HT_OK;
}

static void cpu_measure_cost(const void *opaque, ht_lattice_cost *cost) {
  const cpu_state *state = opaque;
  const ht_lattice_tables *tables = state->tables;
  int64_t a_tile = HT_TILE_NODES * (int64_t)(3 * sizeof(float) + sizeof(uint32_t)) +
                   HT_TILE_NEIGHBOURS * (int64_t)sizeof(int32_t);
  *cost =
      (ht_lattice_cost){.bytes = 2 * (int64_t)copy_size(state) + tables->tiling->tiles * a_tile +
                                 tables->port_nodes * (int64_t)sizeof(ht_port_node)};
}

const ht_backend ht_backend_cpu = {cpu_create,   cpu_destroy,   cpu_step,
                                   cpu_watch,    cpu_port_flow, cpu_reload_ports,
                                   cpu_download, cpu_upload,    cpu_measure_cost};

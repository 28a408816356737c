/* Plane flows on the CPU: OpenMP over runs of tiles, a vectorised kernel for each instruction set.
 */
#include "bench/papers/plane/plane_kernel.h"
#include "bench/papers/plane/plane_nodes.h"
#include "core/text/words.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const ht_plane_tables *tables;
  ht_plane_kernel kernel;
  int threads;
  void *copy[2];
  int current; /* copy that holds the state */
} cpu_state;

enum { TILES_A_RUN = 8 }; /* tiles that a thread takes at a time */

static ht_plane_kernel choose_kernel(ht_precision precision) {
#define HT_KERNELS(isa)                                                                            \
  { ht_plane_step_f32_##isa, ht_plane_step_f64_##isa, ht_plane_step_f16_##isa }
#ifdef HEMOTILE_HAVE_WIDE
  static const ht_plane_kernel avx2[] = HT_KERNELS(avx2), avx512[] = HT_KERNELS(avx512);
  const char *isa = ht_cpu_instruction_set();
  if (strcmp(isa, "AVX-512") == 0) return avx512[precision];
  if (strcmp(isa, "AVX2") == 0) return avx2[precision];
#endif
  static const ht_plane_kernel base[] = HT_KERNELS(base);
  return base[precision];
}

/* 64-byte aligned, zeroed by the threads that will use it (first touch places the pages). */
static ht_status alloc_copy(cpu_state *state, void **copy) {
  size_t bytes = ht_plane_copy_bytes(state->tables);
  size_t run = bytes / (size_t)state->tables->tiles * TILES_A_RUN;
  *copy = aligned_alloc(64, bytes); /* a tile is a multiple of 64 bytes */
  if (!*copy)
    return ht_fail(HT_ERR_MEMORY,
                   "not enough memory: %s for one of the two copies of the distribution "
                   "functions; use fewer nodes or fp32",
                   ht_memory_words((double)bytes).text);
  char *begin = *copy;
#pragma omp parallel for schedule(static) num_threads(state->threads)
  for (size_t at = 0; at < bytes; at += run)
    memset(begin + at, 0, at + run < bytes ? run : bytes - at);
  return HT_OK;
}

static void cpu_destroy(void *opaque) {
  cpu_state *state = opaque;
  if (!state) return;
  free(state->copy[0]);
  free(state->copy[1]);
  free(state);
}

static ht_status cpu_create(const ht_plane_tables *tables, void **opaque, char device[128]) {
  cpu_state *state = NULL;
  *opaque = NULL;
  HT_TRY(ht_alloc((void **)&state, 1, sizeof *state, "the solver"));
  state->tables = tables;
  state->threads = ht_cpu_threads(tables->threads);
  state->kernel = choose_kernel(tables->precision);
  ht_status status = alloc_copy(state, &state->copy[0]);
  if (status == HT_OK) status = alloc_copy(state, &state->copy[1]);
  if (status != HT_OK) {
    cpu_destroy(state);
    return status;
  }
  snprintf(device, 128, "CPU, %d thread%s, %s", state->threads, state->threads == 1 ? "" : "s",
           ht_cpu_instruction_set());
  *opaque = state;
  return HT_OK;
}

/* ---- steps ---- */

static void step_port(const ht_plane_tables *tables, const void *source, void *target,
                      const ht_plane_port_node *port, double share) {
  if (tables->precision == HT_FP64)
    plane_step_port_f64(source, target, tables->neighbour, tables->links, port, share,
                        tables->model, tables->omega);
  else if (tables->precision == HT_FP32)
    plane_step_port_f32(source, target, tables->neighbour, tables->links, port, share,
                        tables->model, tables->omega);
  else
    plane_step_port_f16(source, target, tables->neighbour, tables->links, port, share,
                        tables->model, tables->omega);
}

/* Both loops in one team: a small flow has little work between its starts. */
static void step_once(const cpu_state *state, const void *source, void *target, double share) {
  const ht_plane_tables *tables = state->tables;
  int64_t tiles = tables->tiles;
#pragma omp parallel num_threads(state->threads)
  {
#pragma omp for schedule(static)
    for (int64_t begin = 0; begin < tiles; begin += TILES_A_RUN)
      state->kernel(tables, source, target, begin,
                    begin + TILES_A_RUN < tiles ? begin + TILES_A_RUN : tiles);
#pragma omp for schedule(static)
    for (int64_t p = 0; p < tables->port_nodes; p++)
      step_port(tables, source, target, tables->port_node + p, share);
  }
}

static ht_status cpu_step(void *opaque, int64_t first, int64_t count) {
  cpu_state *state = opaque;
  for (int64_t s = first; s < first + count; s++) {
    step_once(state, state->copy[state->current], state->copy[!state->current],
              ht_inflow_share(s, state->tables->ramp_steps));
    state->current = !state->current;
  }
  return HT_OK;
}

static ht_status cpu_download(void *opaque, void *values) {
  cpu_state *state = opaque;
  memcpy(values, state->copy[state->current], ht_plane_copy_bytes(state->tables));
  return HT_OK;
}

static ht_status cpu_upload(void *opaque, const void *values) {
  cpu_state *state = opaque;
  memcpy(state->copy[state->current], values, ht_plane_copy_bytes(state->tables));
  return HT_OK;
}

static void cpu_measure_cost(const void *opaque, ht_lattice_cost *cost) {
  const cpu_state *state = opaque;
  *cost = (ht_lattice_cost){.bytes = 2 * (int64_t)ht_plane_copy_bytes(state->tables) +
                                     ht_plane_table_bytes(state->tables)};
}

const ht_plane_backend ht_plane_backend_cpu = {cpu_create,   cpu_destroy, cpu_step,
                                               cpu_download, cpu_upload,  cpu_measure_cost};

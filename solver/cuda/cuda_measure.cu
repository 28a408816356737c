/* Measurements of the flow. */
#include "solver/cuda/cuda_functions.cuh"
#include "solver/cuda/cuda_reading.cuh"
#include "solver/cuda/host_array.cuh"
#include <cmath>

/* Watches by block. There are no more blocks than tiles: each has a tile of its own. */
ht_status ht_cuda_watch_tiles(void *opaque, ht_backend_change *of_tile) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  const size_t blocks = (size_t)state->blocks.own;
  ht_host_array<double> change;
  HT_TRY(change.make(3 * (int64_t)blocks, "the change of the flow"));
  if (blocks > 0) state->kernels.watch_blocks(state);
  HT_TRY(ht_cuda_bring_result(state, state->part.d_change, change.bytes(), change.data,
                              "measuring the flow"));
  for (int64_t t = 0; t < state->tables->own_tiles; t++) of_tile[t] = ht_backend_change{0, 0, 0};
  for (int64_t b = 0; b < (int64_t)blocks; b++)
    of_tile[b] = ht_backend_change{change[3 * b], change[3 * b + 1], change[3 * b + 2]};
  return HT_OK;
}

ht_status ht_cuda_watch(void *opaque, ht_backend_change *change) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  double sums[4 * WATCH_BLOCKS], broken = 0;
  state->kernels.watch(state);
  HT_TRY(
      ht_cuda_bring_result(state, state->measure.d_sums, sizeof sums, sums, "measuring the flow"));
  *change = ht_backend_change{0, 0, 0};
  for (int b = 0; b < WATCH_BLOCKS; b++) {
    change->difference2 += sums[4 * b];
    change->speed2 += sums[4 * b + 1];
    change->max_speed2 = fmax(change->max_speed2, sums[4 * b + 2]);
    broken += sums[4 * b + 3];
  }
  if (broken > 0) change->max_speed2 = NAN;
  return HT_OK;
}

ht_status ht_cuda_momentum(void *opaque, double momentum[3]) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  double sums[4 * WATCH_BLOCKS];
  state->kernels.momentum(state);
  HT_TRY(ht_cuda_bring_result(state, state->measure.d_sums, sizeof sums, sums,
                              "measuring the momentum"));
  for (int a = 0; a < 3; a++) {
    momentum[a] = 0;
    for (int b = 0; b < WATCH_BLOCKS; b++) momentum[a] += sums[4 * b + a];
  }
  return HT_OK;
}

ht_status ht_cuda_port_flow(void *opaque, double *flow) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  if (state->tables->port_nodes == 0) return HT_OK;
  /* Copies the ports of the present state, also before the first step. */
  HT_TRY(ht_cuda_check(state->kernels.copy_ports(state, 1), "measuring the ports"));
  state->kernels.port_flows(state);
  return ht_cuda_bring_result(state, state->measure.d_port_flow,
                              (size_t)state->tables->port_nodes * sizeof(double), flow,
                              "measuring the ports");
}

void ht_cuda_measure_cost(const void *opaque, ht_lattice_cost *cost) {
  const ht_cuda_state *state = (const ht_cuda_state *)opaque;
  cost->bytes = state->memory.bytes;
  ht_cuda_measure_kernel(state->kernels.main_kernel(state), HT_STEP_THREADS, cost);
}

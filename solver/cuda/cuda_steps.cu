/* The steps: launches, graphs of them, and waiting. */
#include "solver/cuda/cuda_functions.cuh"
#include "solver/cuda/cuda_launch.cuh"

/* Launches a step with its exchange, which runs concurrently with the blocks after the edge. */
static cudaError_t launch_linked(ht_cuda_state *state, int64_t step, int row) {
  const ht_cuda_part *part = &state->part;
  const int is_up = state->stored.is_up;
  cudaError_t error = state->kernels.edge(state, step, row);
  if (error == cudaSuccess) error = cudaEventRecord(part->edge_done, state->streams.stream[0]);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(part->side, part->edge_done, 0);
  if (error == cudaSuccess) error = ht_cuda_exchange_in(state, !is_up, part->side);
  if (error == cudaSuccess) error = cudaEventRecord(part->has_come, part->side);
  if (error == cudaSuccess) error = state->kernels.rest(state);
  return error == cudaSuccess ? cudaStreamWaitEvent(state->streams.stream[0], part->has_come, 0)
                              : error;
}

/* Launches the steps of the window, from `first` on. */
static cudaError_t launch_steps(ht_cuda_state *state, int64_t first, int count) {
  cudaError_t error = cudaSuccess;
  auto one = state->part.way != HT_BY_HOST ? launch_linked : state->kernels.step;
  for (int row = 0; row < count && error == cudaSuccess; row++)
    error = one(state, first + row, row);
  return error;
}

/* GRAPH_STEPS steps as one launch, so that small cases do not wait for the program. An even number:
 * the state ends where it began. */
static cudaError_t launch_graph(ht_cuda_state *state, int64_t first) {
  cudaGraphExec_t *graph = &state->streams.graph[state->stored.is_up][first % GRAPHS];
  cudaError_t error = cudaSuccess;
  if (!*graph)
    error = make_graph(
        state->streams.stream[0], [=] { return launch_steps(state, first, GRAPH_STEPS); }, graph);
  return error == cudaSuccess ? cudaGraphLaunch(*graph, state->streams.stream[0]) : error;
}

/* Marks the place that await_steps() sleeps up to: more than GRAPH_STEPS steps before the end. */
static cudaError_t mark_nearly(const ht_cuda_state *state, int64_t left) {
  if (left <= GRAPH_STEPS || left > 2 * GRAPH_STEPS) return cudaSuccess;
  return cudaEventRecord(state->streams.nearly, state->streams.stream[0]);
}

static cudaError_t run_steps(ht_cuda_state *state, int64_t first, int64_t count) {
  const ht_lattice_tables *tables = state->tables;
  while (count > 0) {
    int now = count < GRAPH_STEPS ? (int)count : GRAPH_STEPS;
    cudaError_t error = mark_nearly(state, count);
    if (error == cudaSuccess)
      error = ht_drive_window_send(&state->window, tables, first, now, state->streams.stream[0]);
    if (error == cudaSuccess)
      error = now == GRAPH_STEPS ? launch_graph(state, first) : launch_steps(state, first, now);
    if (error != cudaSuccess) return error;
    first += now, count -= now;
  }
  return cudaSuccess;
}

/* Sleeps, so that the core is free for other work during the steps; the last steps are waited for
 * awake, so that the next ones begin at once. */
static cudaError_t await_steps(const ht_cuda_state *state, int64_t count) {
  if (count > GRAPH_STEPS) {
    cudaError_t error = cudaEventSynchronize(state->streams.nearly);
    if (error != cudaSuccess) return error;
  }
  return cudaStreamSynchronize(state->streams.stream[0]);
}

ht_status ht_cuda_step(void *opaque, int64_t first, int64_t count) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  const int ports = has_ports(state);
  if (state->finer) return ht_cuda_step_levels(state, first, count);
  if (ports) HT_TRY(ht_cuda_check(state->kernels.copy_ports(state, 1), "starting a step"));
  HT_TRY(ht_cuda_check(run_steps(state, first, count), "starting a step"));
  if (ports) HT_TRY(ht_cuda_check(state->kernels.copy_ports(state, 0), "starting a step"));
  HT_TRY(ht_cuda_check(await_steps(state, count), "stepping"));
  ht_drive_window_arrived(&state->window);
  return ht_cuda_check_peers(state);
}

ht_status ht_cuda_step_edge(void *opaque, int64_t step) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  const char what[] = "starting a step";
  if (has_ports(state)) HT_TRY(ht_cuda_check(state->kernels.copy_ports(state, 1), what));
  HT_TRY(ht_cuda_check(
      ht_drive_window_send(&state->window, state->tables, step, 1, state->streams.stream[0]),
      what));
  state->part.is_begun = 1;
  return ht_cuda_check(state->kernels.edge(state, step, 0), what);
}

ht_status ht_cuda_step_rest(void *opaque) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  state->part.is_begun = 0;
  return ht_cuda_check(state->kernels.rest(state), "starting a step");
}

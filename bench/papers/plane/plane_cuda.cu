/* Plane flows on the GPU. One tile per block, one thread per node; layout in plane_backend.h.
 *
 * A step of a small flow takes less time than its launch. So after the ramp GRAPH_STEPS steps are
 * one CUDA graph. */
#include "solver/cuda/cuda_device.cuh"
#include "solver/cuda/blocks/cuda_stored.cuh"
#include "bench/papers/plane/plane_nodes.h"
#include <cstdlib>

/* ---- storage and the precision of its arithmetic ---- */

template <class store> struct arithmetic { typedef float real; };
template <> struct arithmetic<double> { typedef double real; };

template <int model> HT_INLINE void relax(float *g, double omega) {
  d2q9_relax_f32(g, model, (float)omega);
}
template <int model> HT_INLINE void relax(double *g, double omega) {
  d2q9_relax_f64(g, model, omega);
}

/* The ports' nodes, and what is around them. */
typedef struct {
  const int32_t *neighbours;
  const uint16_t *links;
  const ht_plane_port_node *node; /* [count] */
  int64_t count;
  double omega;
} plane_ports;

template <int model>
HT_INLINE void step_port(const float *source, float *target, const plane_ports &of, int64_t p,
                         double share) {
  plane_step_port_f32(source, target, of.neighbours, of.links, of.node + p, share, model, of.omega);
}
template <int model>
HT_INLINE void step_port(const double *source, double *target, const plane_ports &of, int64_t p,
                         double share) {
  plane_step_port_f64(source, target, of.neighbours, of.links, of.node + p, share, model, of.omega);
}
template <int model>
HT_INLINE void step_port(const ht_half *source, ht_half *target, const plane_ports &of, int64_t p,
                         double share) {
  plane_step_port_f16(source, target, of.neighbours, of.links, of.node + p, share, model, of.omega);
}

/* ---- kernels ---- */

/* Pull, half-way walls, collide, write. Tiles without walls read no links. A solid node's thread
 * leaves; a missing neighbour is never read because its links are walls. */
template <class store, int model>
__global__ void __launch_bounds__(HT_PLANE_NODES)
    step_tiles(const store *__restrict__ source, store *__restrict__ target,
               const int32_t *__restrict__ neighbours, const uint8_t *__restrict__ walled,
               const uint16_t *__restrict__ links, typename arithmetic<store>::real omega) {
  __shared__ int32_t near_tile[HT_PLANE_NEIGHBOURS + 1];
  int64_t tile = blockIdx.x;
  int local = threadIdx.x;
  if (local < HT_PLANE_NEIGHBOURS)
    near_tile[local] = neighbours[HT_PLANE_NEIGHBOURS * tile + local];
  else if (local == HT_PLANE_NEIGHBOURS)
    near_tile[local] = walled[tile];
  __syncthreads();
  unsigned link = 1;
  if (near_tile[HT_PLANE_NEIGHBOURS]) link = links[HT_PLANE_NODES * tile + local];
  if (!(link & 1)) return;
  const store *own = source + tile * HT_PLANE_VALUES + local;
  int x = local & 15, y = local >> 4;
  typename arithmetic<store>::real g[HT_D2Q9_Q];
  g[0] = ht_load(own);
#define PULL(q, cx, cy)                                                                            \
  {                                                                                                \
    int xs = x - cx, ys = y - cy;                                                                  \
    int slot = ht_plane_slot(xs) + 3 * ht_plane_slot(ys);                                          \
    int from = HT_PLANE_NODES * q + (xs & 15) + 16 * (ys & 15);                                    \
    const int back = HT_PLANE_NODES * (((q - 1) ^ 1) + 1);                                         \
    const store *where =                                                                           \
        (link >> q) & 1 ? own + back : source + (int64_t)near_tile[slot] * HT_PLANE_VALUES + from; \
    g[q] = ht_load(where);                                                                         \
  }
  HT_D2Q9_MOVING(PULL)
#undef PULL
  relax<model>(g, omega);
  store *out = target + tile * HT_PLANE_VALUES + local;
#pragma unroll
  for (int q = 0; q < HT_D2Q9_Q; q++) ht_store(out + HT_PLANE_NODES * q, g[q]);
}

template <class store, int model>
__global__ void step_ports(const store *source, store *target, plane_ports of, double share) {
  int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (p < of.count) step_port<model>(source, target, of, p, share);
}

/* ---- host side ---- */

enum { GRAPH_STEPS = 32, PORT_THREADS = 64 }; /* an even number ends where it began */

typedef struct cuda_state cuda_state;
typedef void (*launcher)(cuda_state *state, double share, cudaStream_t stream);

struct cuda_state {
  const ht_plane_tables *tables;
  void *d_copy[2];
  int current; /* copy that holds the state */
  int32_t *d_neighbours;
  uint8_t *d_walled;
  uint16_t *d_links;
  ht_plane_port_node *d_ports;
  launcher launch;
  const void *kernel;
  cudaGraphExec_t graph; /* GRAPH_STEPS steps from copy 0, the ramp over */
};

template <class store, int model>
static void launch_step(cuda_state *state, double share, cudaStream_t stream) {
  const ht_plane_tables *tables = state->tables;
  const store *source = (const store *)state->d_copy[state->current];
  store *target = (store *)state->d_copy[!state->current];
  typedef typename arithmetic<store>::real real;
  step_tiles<store, model><<<(unsigned)tables->tiles, HT_PLANE_NODES, 0, stream>>>(
      source, target, state->d_neighbours, state->d_walled, state->d_links, (real)tables->omega);
  const plane_ports ports = {state->d_neighbours, state->d_links, state->d_ports,
                             tables->port_nodes, tables->omega};
  unsigned blocks = (unsigned)((ports.count + PORT_THREADS - 1) / PORT_THREADS);
  if (blocks)
    step_ports<store, model><<<blocks, PORT_THREADS, 0, stream>>>(source, target, ports, share);
  state->current = !state->current;
}

template <class store> static void choose_kernels(cuda_state *state) {
  const launcher launch[] = {launch_step<store, 0>, launch_step<store, 1>, launch_step<store, 2>,
                             launch_step<store, 3>};
  const void *kernel[] = {(const void *)step_tiles<store, 0>, (const void *)step_tiles<store, 1>,
                          (const void *)step_tiles<store, 2>, (const void *)step_tiles<store, 3>};
  state->launch = launch[state->tables->model];
  state->kernel = kernel[state->tables->model];
}

static ht_status capture(cuda_state *state, cudaStream_t stream) {
  cudaGraph_t graph;
  HT_TRY(
      ht_cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "recording"));
  for (int s = 0; s < GRAPH_STEPS; s++) state->launch(state, 1, stream);
  HT_TRY(ht_cuda_check(cudaStreamEndCapture(stream, &graph), "recording its steps"));
  cudaError_t error = cudaGraphInstantiate(&state->graph, graph, 0);
  cudaGraphDestroy(graph);
  return ht_cuda_check(error, "recording its steps");
}

static ht_status build_graph(cuda_state *state) {
  cudaStream_t stream;
  HT_TRY(ht_cuda_check(cudaStreamCreate(&stream), "recording its steps"));
  ht_status status = capture(state, stream);
  cudaStreamDestroy(stream);
  return status;
}

/* Copies to the device; `host` NULL: zeros. */
static ht_status to_device(void **device, const void *host, size_t bytes) {
  HT_TRY(ht_cuda_check(cudaMalloc(device, bytes ? bytes : 1), "allocating the flow"));
  if (!host) return ht_cuda_check(cudaMemset(*device, 0, bytes), "allocating the flow");
  return ht_cuda_check(cudaMemcpy(*device, host, bytes, cudaMemcpyHostToDevice),
                       "copying the tiles");
}

static ht_status fill(cuda_state *state) {
  const ht_plane_tables *tables = state->tables;
  size_t tiles = (size_t)tables->tiles, copy = ht_plane_copy_bytes(tables);
  for (int i = 0; i < 2; i++) HT_TRY(to_device(&state->d_copy[i], NULL, copy));
  HT_TRY(to_device((void **)&state->d_neighbours, tables->neighbour,
                   tiles * HT_PLANE_NEIGHBOURS * sizeof(int32_t)));
  HT_TRY(to_device((void **)&state->d_walled, tables->walled, tiles));
  HT_TRY(to_device((void **)&state->d_links, tables->links,
                   tiles * HT_PLANE_NODES * sizeof(uint16_t)));
  HT_TRY(to_device((void **)&state->d_ports, tables->port_node,
                   (size_t)tables->port_nodes * sizeof(ht_plane_port_node)));
  return build_graph(state);
}

static void cuda_destroy(void *opaque) {
  cuda_state *state = (cuda_state *)opaque;
  if (!state) return;
  if (state->graph) cudaGraphExecDestroy(state->graph);
  cudaFree(state->d_copy[0]);
  cudaFree(state->d_copy[1]);
  cudaFree(state->d_neighbours);
  cudaFree(state->d_walled);
  cudaFree(state->d_links);
  cudaFree(state->d_ports);
  free(state);
}

static ht_status cuda_create(const ht_plane_tables *tables, void **opaque, char device[128]) {
  char why[256];
  *opaque = NULL;
  if (!ht_cuda_available(device, why)) return ht_fail(HT_ERR_DEVICE, "no GPU can be used: %s", why);
  cuda_state *state = NULL;
  HT_TRY(ht_alloc((void **)&state, 1, sizeof *state, "the solver"));
  state->tables = tables;
  if (tables->precision == HT_FP64)
    choose_kernels<double>(state);
  else if (tables->precision == HT_FP32)
    choose_kernels<float>(state);
  else
    choose_kernels<ht_half>(state);
  ht_status status = fill(state);
  if (status == HT_OK)
    *opaque = state;
  else
    cuda_destroy(state);
  return status;
}

static ht_status cuda_step(void *opaque, int64_t first, int64_t count) {
  cuda_state *state = (cuda_state *)opaque;
  int64_t ramp = state->tables->ramp_steps, end = first + count;
  for (int64_t s = first; s < end;) {
    if (s >= ramp && state->current == 0 && end - s >= GRAPH_STEPS) {
      HT_TRY(ht_cuda_check(cudaGraphLaunch(state->graph, 0), "starting steps"));
      s += GRAPH_STEPS;
    } else {
      state->launch(state, ht_inflow_share(s++, ramp), 0);
    }
  }
  HT_TRY(ht_cuda_check(cudaGetLastError(), "starting a step"));
  return ht_cuda_check(cudaDeviceSynchronize(), "stepping");
}

static ht_status cuda_download(void *opaque, void *values) {
  cuda_state *state = (cuda_state *)opaque;
  return ht_cuda_check(cudaMemcpy(values, state->d_copy[state->current],
                                  ht_plane_copy_bytes(state->tables), cudaMemcpyDeviceToHost),
                       "copying the flow to the host");
}

static ht_status cuda_upload(void *opaque, const void *values) {
  cuda_state *state = (cuda_state *)opaque;
  return ht_cuda_check(cudaMemcpy(state->d_copy[state->current], values,
                                  ht_plane_copy_bytes(state->tables), cudaMemcpyHostToDevice),
                       "copying the flow to the GPU");
}

static void cuda_measure_cost(const void *opaque, ht_lattice_cost *cost) {
  const cuda_state *state = (const cuda_state *)opaque;
  cost->bytes =
      2 * (int64_t)ht_plane_copy_bytes(state->tables) + ht_plane_table_bytes(state->tables);
  ht_cuda_measure_kernel(state->kernel, HT_PLANE_NODES, cost);
}

extern "C" const ht_plane_backend ht_plane_backend_cuda = {
    cuda_create, cuda_destroy, cuda_step, cuda_download, cuda_upload, cuda_measure_cost};

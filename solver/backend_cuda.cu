/* The CUDA backend. One thread a node, two tiles a block; see backend.h for the layout.
 */
#include "nodes.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

/* ---- the physics, for both precisions ---- */

template <int model> HT_INLINE void relax(float *g, double omega) {
  relax_f32(g, model, (float)omega);
}
template <int model> HT_INLINE void relax(double *g, double omega) {
  relax_f64(g, model, omega);
}
HT_INLINE void arrive_at_port(const float *values, const int32_t *neighbours, const uint32_t *links,
                              const ht_port_node *port, double share, int compressibility,
                              float *g) {
  arrive_at_port_f32(values, neighbours, links, port, share, compressibility, g);
}
HT_INLINE void arrive_at_port(const double *values, const int32_t *neighbours,
                              const uint32_t *links, const ht_port_node *port, double share,
                              int compressibility, double *g) {
  arrive_at_port_f64(values, neighbours, links, port, share, compressibility, g);
}

/* ---- kernels ---- */

enum { TILES_A_BLOCK = 2, BLOCK = TILES_A_BLOCK * HT_TILE_NODES };

/* Pull, half-way walls, collide, write. A solid node's thread leaves; a missing neighbour is never
 * read because its links are walls. */
template <class real, int model>
__global__ void __launch_bounds__(BLOCK)
    step_tiles(const real *__restrict__ source, real *__restrict__ target,
               const int32_t *__restrict__ neighbours, const uint32_t *__restrict__ links,
               int64_t tiles, real omega) {
  __shared__ int32_t near_tile[TILES_A_BLOCK][HT_TILE_NEIGHBOURS];
  int64_t first = (int64_t)blockIdx.x * TILES_A_BLOCK;
  for (int i = threadIdx.x; i < TILES_A_BLOCK * HT_TILE_NEIGHBOURS; i += BLOCK) {
    int64_t at = first * HT_TILE_NEIGHBOURS + i;
    if (at < tiles * HT_TILE_NEIGHBOURS) near_tile[0][i] = neighbours[at];
  }
  __syncthreads();
  int half = threadIdx.x / HT_TILE_NODES, local = threadIdx.x % HT_TILE_NODES;
  int64_t tile = first + half;
  if (tile >= tiles) return;
  uint32_t link = links[tile * HT_TILE_NODES + local];
  if (!(link & 1)) return;
  const int32_t *near = near_tile[half];
  const real *own = source + tile * HT_TILE_VALUES + local;
  int x = local & 3, y = (local >> 2) & 3, z = local >> 4;
  real g[HT_Q];
  g[0] = own[0];
#define PULL(q, cx, cy, cz)                                                                        \
  {                                                                                                \
    int xs = x - cx, ys = y - cy, zs = z - cz;                                                     \
    int slot = (1 + (xs >> 2)) + 3 * (1 + (ys >> 2)) + 9 * (1 + (zs >> 2));                        \
    int from = 64 * q + (xs & 3) + 4 * (ys & 3) + 16 * (zs & 3);                                   \
    const int back = q == 0 ? 0 : ((q - 1) ^ 1) + 1;                                               \
    const real *where =                                                                            \
        (link >> q) & 1 ? own + 64 * back : source + (int64_t)near[slot] * HT_TILE_VALUES + from;  \
    g[q] = *where;                                                                                 \
  }
  HT_D3Q19_MOVING(PULL)
#undef PULL
  relax<model>(g, omega);
  real *out = target + tile * HT_TILE_VALUES + local;
#pragma unroll
  for (int q = 0; q < HT_Q; q++) out[64 * q] = g[q];
}

template <class real, int model>
__global__ void step_ports(const real *source, real *target, const int32_t *neighbours,
                           const uint32_t *links, const ht_port_node *ports, int64_t count,
                           double share, double omega) {
  int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= count) return;
  real g[HT_Q];
  arrive_at_port(source, neighbours, links, &ports[p], share, model % 2, g);
  relax<model>(g, omega);
  real *out = target + (ports[p].node >> 6) * HT_TILE_VALUES + (ports[p].node & 63);
  for (int q = 0; q < HT_Q; q++) out[64 * q] = g[q];
}

HT_INLINE double port_flow(const float *values, const int32_t *neighbours, const uint32_t *links,
                           const ht_port_node *port) {
  return port_flow_f32(values, neighbours, links, port);
}
HT_INLINE double port_flow(const double *values, const int32_t *neighbours, const uint32_t *links,
                           const ht_port_node *port) {
  return port_flow_f64(values, neighbours, links, port);
}

template <class real>
__global__ void port_flows(const real *values, const int32_t *neighbours, const uint32_t *links,
                           const ht_port_node *ports, int64_t count, double *flow) {
  int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (p < count) flow[p] = port_flow(values, neighbours, links, &ports[p]);
}

/* Adds up over a block; the first thread has the sum. */
template <class T, class Op> __device__ T reduce(T value, Op combine) {
  __shared__ T part[32];
  for (int d = 16; d > 0; d /= 2) value = combine(value, __shfl_down_sync(~0u, value, d));
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : T(0);
    for (int d = 16; d > 0; d /= 2) value = combine(value, __shfl_down_sync(~0u, value, d));
  }
  return value;
}

/* Each block writes its own sums: difference, square, largest square, number that are not finite.
 */
template <class real>
__global__ void watch_nodes(const real *values, const uint32_t *links, float *last, int64_t nodes,
                            double *sums) {
  double difference = 0, square = 0, most = 0, broken = 0;
  for (int64_t n = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; n < nodes;
       n += (int64_t)gridDim.x * blockDim.x) {
    if (!(links[n] & 1)) continue;
    double g[HT_Q], rho, u[3], size = 0;
    for (int q = 0; q < HT_Q; q++) g[q] = values[(n >> 6) * HT_TILE_VALUES + 64 * q + (n & 63)];
    moments_f64(g, &rho, &u[0], &u[1], &u[2]);
    for (int a = 0; a < 3; a++) {
      double d = u[a] - last[3 * n + a];
      difference += d * d;
      size += u[a] * u[a];
      last[3 * n + a] = (float)u[a];
    }
    square += size;
    most = fmax(most, size);
    broken += !(isfinite(size) && isfinite(rho));
  }
  auto add = [](double a, double b) { return a + b; };
  auto larger = [](double a, double b) { return fmax(a, b); };
  difference = reduce(difference, add);
  square = reduce(square, add);
  most = reduce(most, larger);
  broken = reduce(broken, add);
  if (threadIdx.x) return;
  double *out = sums + 4 * blockIdx.x;
  out[0] = difference, out[1] = square, out[2] = most, out[3] = broken;
}

/* ---- host side ---- */

enum { WATCH_BLOCKS = 512, WATCH_THREADS = 256 };

typedef struct {
  const ht_lattice_tables *tables;
  void *d_copy[2];
  int current;
  int32_t *d_neighbours;
  uint32_t *d_links;
  ht_port_node *d_ports;
  float *d_last;
  double *d_sums;
  double *d_port_flow;
} cuda_state;

static ht_status cuda_check(cudaError_t error, const char *doing) {
  if (error == cudaSuccess) return HT_OK;
  ht_status code = error == cudaErrorMemoryAllocation ? HT_ERR_MEMORY : HT_ERR_DEVICE;
  return ht_fail(code, "the GPU failed while %s: %s; try --device cpu, or a coarser spacing", doing,
                 cudaGetErrorString(error));
}

extern "C" int ht_cuda_available(char name[128], char why[256]) {
  int count = 0;
  cudaDeviceProp properties;
  name[0] = why[0] = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) error = cudaGetDeviceProperties(&properties, 0);
  if (error != cudaSuccess || count == 0) {
    snprintf(why, 256, "no CUDA device was found (%s)",
             error == cudaSuccess ? "none installed" : cudaGetErrorString(error));
    cudaGetLastError(); /* forget it */
    return 0;
  }
  snprintf(name, 128, "%s", properties.name);
  return 1;
}

static size_t copy_bytes(const cuda_state *state) {
  size_t size = state->tables->precision == HT_FP32 ? sizeof(float) : sizeof(double);
  return (size_t)state->tables->tiling->tiles * HT_TILE_VALUES * size;
}

static void cuda_destroy(void *opaque) {
  cuda_state *state = (cuda_state *)opaque;
  if (!state) return;
  cudaFree(state->d_copy[0]);
  cudaFree(state->d_copy[1]);
  cudaFree(state->d_neighbours);
  cudaFree(state->d_links);
  cudaFree(state->d_ports);
  cudaFree(state->d_last);
  cudaFree(state->d_sums);
  cudaFree(state->d_port_flow);
  free(state);
}

static ht_status to_device(void **device, const void *host, size_t bytes, const char *what) {
  HT_TRY(cuda_check(cudaMalloc(device, bytes ? bytes : 1), what));
  if (!host) return cuda_check(cudaMemset(*device, 0, bytes), what);
  return cuda_check(cudaMemcpy(*device, host, bytes, cudaMemcpyHostToDevice), what);
}

static ht_status enough_memory(size_t bytes) {
  size_t unused = 0, total = 0;
  HT_TRY(cuda_check(cudaMemGetInfo(&unused, &total), "asking for its memory"));
  if (bytes <= unused) return HT_OK;
  return ht_fail(HT_ERR_MEMORY,
                 "not enough GPU memory: %.2f GB are needed, %.2f GB are free; use a coarser "
                 "spacing, fp32, or --device cpu",
                 (double)bytes / 1e9, (double)unused / 1e9);
}

static ht_status cuda_fill(cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  size_t tiles = (size_t)tables->tiling->tiles, nodes = tiles * HT_TILE_NODES;
  size_t neighbours = tiles * HT_TILE_NEIGHBOURS * sizeof(int32_t), links = nodes * 4;
  size_t ports = (size_t)tables->port_nodes * sizeof(ht_port_node), last = nodes * 3 * 4;
  HT_TRY(enough_memory(2 * copy_bytes(state) + neighbours + links + ports + last));
  for (int i = 0; i < 2; i++)
    HT_TRY(to_device(&state->d_copy[i], NULL, copy_bytes(state), "allocating the flow"));
  HT_TRY(
      to_device((void **)&state->d_neighbours, tables->neighbour, neighbours, "copying the tiles"));
  HT_TRY(to_device((void **)&state->d_links, tables->links, links, "copying the walls"));
  HT_TRY(to_device((void **)&state->d_ports, tables->port_node, ports, "copying the ports"));
  HT_TRY(to_device((void **)&state->d_last, NULL, last, "allocating the velocity"));
  HT_TRY(to_device((void **)&state->d_port_flow, NULL, (size_t)tables->port_nodes * sizeof(double),
                   "allocating the ports"));
  return to_device((void **)&state->d_sums, NULL, 4 * WATCH_BLOCKS * sizeof(double),
                   "allocating the sums");
}

static ht_status cuda_create(const ht_lattice_tables *tables, void **opaque, char device[128]) {
  char why[256];
  *opaque = NULL;
  if (!ht_cuda_available(device, why)) return ht_fail(HT_ERR_DEVICE, "no GPU can be used: %s", why);
  cuda_state *state = NULL;
  HT_TRY(ht_alloc((void **)&state, 1, sizeof *state, "the solver"));
  state->tables = tables;
  ht_status status = cuda_fill(state);
  if (status == HT_OK)
    *opaque = state;
  else
    cuda_destroy(state);
  return status;
}

template <class real, int model> static void launch_step(cuda_state *state, double share) {
  const ht_lattice_tables *tables = state->tables;
  int64_t tiles = tables->tiling->tiles;
  const real *source = (const real *)state->d_copy[state->current];
  real *target = (real *)state->d_copy[!state->current];
  unsigned blocks = (unsigned)((tiles + TILES_A_BLOCK - 1) / TILES_A_BLOCK);
  step_tiles<real, model><<<blocks, BLOCK>>>(source, target, state->d_neighbours, state->d_links,
                                             tiles, (real)tables->omega);
  if (tables->port_nodes) {
    unsigned port_blocks = (unsigned)((tables->port_nodes + 63) / 64);
    step_ports<real, model><<<port_blocks, 64>>>(source, target, state->d_neighbours,
                                                 state->d_links, state->d_ports, tables->port_nodes,
                                                 share, tables->omega);
  }
  state->current = !state->current;
}

typedef void (*step_launcher)(cuda_state *state, double share);

template <class real> static step_launcher launcher_of(int model) {
  static const step_launcher all[] = {launch_step<real, 0>, launch_step<real, 1>,
                                      launch_step<real, 2>, launch_step<real, 3>};
  return all[model];
}

static ht_status cuda_step(void *opaque, int64_t first, int64_t count) {
  cuda_state *state = (cuda_state *)opaque;
  const ht_lattice_tables *tables = state->tables;
  step_launcher launch = tables->precision == HT_FP32 ? launcher_of<float>(tables->model)
                                                      : launcher_of<double>(tables->model);
  for (int64_t s = first; s < first + count; s++)
    launch(state, ht_inflow_share(s, tables->ramp_steps));
  HT_TRY(cuda_check(cudaGetLastError(), "starting a step"));
  return cuda_check(cudaDeviceSynchronize(), "stepping");
}

static ht_status cuda_watch(void *opaque, ht_backend_change *change) {
  cuda_state *state = (cuda_state *)opaque;
  const void *values = state->d_copy[state->current];
  int64_t nodes = state->tables->tiling->tiles * HT_TILE_NODES;
  if (state->tables->precision == HT_FP32)
    watch_nodes<float><<<WATCH_BLOCKS, WATCH_THREADS>>>((const float *)values, state->d_links,
                                                        state->d_last, nodes, state->d_sums);
  else
    watch_nodes<double><<<WATCH_BLOCKS, WATCH_THREADS>>>((const double *)values, state->d_links,
                                                         state->d_last, nodes, state->d_sums);
  HT_TRY(cuda_check(cudaGetLastError(), "measuring the flow"));
  static double sums[4 * WATCH_BLOCKS];
  HT_TRY(cuda_check(cudaMemcpy(sums, state->d_sums, sizeof sums, cudaMemcpyDeviceToHost),
                    "measuring the flow"));
  double broken = 0;
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

static ht_status cuda_port_flow(void *opaque, double *flow) {
  cuda_state *state = (cuda_state *)opaque;
  const ht_lattice_tables *tables = state->tables;
  const void *values = state->d_copy[state->current];
  unsigned blocks = (unsigned)((tables->port_nodes + 63) / 64);
  if (tables->port_nodes == 0) return HT_OK;
  if (tables->precision == HT_FP32)
    port_flows<float><<<blocks, 64>>>((const float *)values, state->d_neighbours, state->d_links,
                                      state->d_ports, tables->port_nodes, state->d_port_flow);
  else
    port_flows<double><<<blocks, 64>>>((const double *)values, state->d_neighbours, state->d_links,
                                       state->d_ports, tables->port_nodes, state->d_port_flow);
  HT_TRY(cuda_check(cudaGetLastError(), "measuring the ports"));
  return cuda_check(cudaMemcpy(flow, state->d_port_flow,
                               (size_t)tables->port_nodes * sizeof(double), cudaMemcpyDeviceToHost),
                    "measuring the ports");
}

static ht_status cuda_reload_ports(void *opaque) {
  cuda_state *state = (cuda_state *)opaque;
  const ht_lattice_tables *tables = state->tables;
  return cuda_check(cudaMemcpy(state->d_ports, tables->port_node,
                               (size_t)tables->port_nodes * sizeof(ht_port_node),
                               cudaMemcpyHostToDevice),
                    "copying the ports");
}

static ht_status cuda_download(void *opaque, void *values) {
  cuda_state *state = (cuda_state *)opaque;
  return cuda_check(
      cudaMemcpy(values, state->d_copy[state->current], copy_bytes(state), cudaMemcpyDeviceToHost),
      "copying the flow to the host");
}

static ht_status cuda_upload(void *opaque, const void *values) {
  cuda_state *state = (cuda_state *)opaque;
  return cuda_check(
      cudaMemcpy(state->d_copy[state->current], values, copy_bytes(state), cudaMemcpyHostToDevice),
      "copying the flow to the GPU");
}

template <class real> static const void *kernel_of(int model) {
  const void *all[] = {(const void *)step_tiles<real, 0>, (const void *)step_tiles<real, 1>,
                       (const void *)step_tiles<real, 2>, (const void *)step_tiles<real, 3>};
  return all[model];
}

static void cuda_measure_cost(const void *opaque, ht_lattice_cost *cost) {
  const cuda_state *state = (const cuda_state *)opaque;
  const ht_lattice_tables *tables = state->tables;
  int64_t a_tile = HT_TILE_NODES * (int64_t)(3 * sizeof(float) + sizeof(uint32_t)) +
                   HT_TILE_NEIGHBOURS * (int64_t)sizeof(int32_t);
  const void *kernel = tables->precision == HT_FP32 ? kernel_of<float>(tables->model)
                                                    : kernel_of<double>(tables->model);
  cudaFuncAttributes attributes = {};
  cudaDeviceProp device = {};
  int blocks = 0;
  cudaFuncGetAttributes(&attributes, kernel);
  cudaGetDeviceProperties(&device, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, BLOCK, 0);
  cost->bytes = 2 * (int64_t)copy_bytes(state) + tables->tiling->tiles * a_tile +
                tables->port_nodes * (int64_t)(sizeof(ht_port_node) + sizeof(double));
  cost->registers = attributes.numRegs;
  cost->occupancy = (double)blocks * BLOCK / device.maxThreadsPerMultiProcessor;
}

extern "C" const ht_backend ht_backend_cuda = {cuda_create,   cuda_destroy,   cuda_step,
                                               cuda_watch,    cuda_port_flow, cuda_reload_ports,
                                               cuda_download, cuda_upload,    cuda_measure_cost};

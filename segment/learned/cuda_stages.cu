/* The stages on a GPU. A slice is [channel][y][x] without a border. A convolution 3 x 3 x 3 is
 * computed in tiles of a slice: a block of threads brings the voxels of a few channels, with their
 * neighbours, and the weights of 16 output channels into shared memory; a thread sums all 16 for 4
 * voxels of a column in its registers. */
#include "segment/learned/encode.h"
#include "segment/learned/work.h"
#include "core/machine/find_gpu.cuh"
#include "core/text/words.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum { BLOCK = HT_LEARNED_BLOCK, TAPS = 27 };
enum { WIDE = 32, COLUMN = 4, HIGH = 4 * COLUMN, THREADS = WIDE * HIGH / COLUMN }; /* of a tile */
enum {
  ROW = WIDE + 2,
  PLANE = ROW * (HIGH + 2),
  CHUNK = 4
}; /* with its border; channels at once */

/* A slice of a stage. Its rings lie one after another in the GPU's memory. */
typedef struct {
  int nx, ny;
  const float *below, *here,
      *above; /* slices z - 1, z, z + 1 of the source; NULL beyond the lattice */
  int from, to;
  const float *weight, *bias; /* [to / 16][from][taps][16], [to] */
  float *out;
} slice_view;

/* Brings `count` channels from `first` on into shared memory: [channel][z][y][x]. */
static __device__ void bring_voxels(const slice_view &view, int first, int count, int x0, int y0,
                                    float *voxels) {
  const size_t slice = (size_t)view.nx * view.ny;
  for (int n = (int)threadIdx.x; n < count * 3 * PLANE; n += THREADS) {
    const int x = x0 - 1 + n % ROW, y = y0 - 1 + n / ROW % (HIGH + 2), z = n / PLANE % 3;
    const float *from = z == 0 ? view.below : z == 1 ? view.here : view.above;
    const bool is_in = from && x >= 0 && x < view.nx && y >= 0 && y < view.ny;
    voxels[n] = is_in ? from[(first + n / (3 * PLANE)) * slice + (size_t)y * view.nx + x] : 0;
  }
}

/* Adds what one channel gives: the voxels of a column and their weights [27][16]. */
static __device__ __forceinline__ void add_channel(const float *voxel, const float *weight,
                                                   float sum[COLUMN][BLOCK]) {
#pragma unroll 1
  for (int z = 0; z < 3; z++)
#pragma unroll
    for (int x = 0; x < 3; x++) {
      float column[COLUMN + 2];
#pragma unroll
      for (int y = 0; y < COLUMN + 2; y++) column[y] = voxel[z * PLANE + y * ROW + x];
#pragma unroll
      for (int y = 0; y < 3; y++) {
        const float *factor = weight + ((z * 3 + y) * 3 + x) * BLOCK;
#pragma unroll
        for (int to = 0; to < BLOCK; to++) {
          const float one = factor[to];
#pragma unroll
          for (int n = 0; n < COLUMN; n++) sum[n][to] += one * column[n + y];
        }
      }
    }
}

static __global__ void __launch_bounds__(THREADS) ht_convolve(slice_view view) {
  __shared__ float voxels[CHUNK * 3 * PLANE];
  __shared__ __align__(16) float weights[CHUNK * TAPS * BLOCK];
  const int wide = (view.nx + WIDE - 1) / WIDE, high = (view.ny + HIGH - 1) / HIGH;
  const int tile = (int)blockIdx.x % (wide * high), block = (int)blockIdx.x / (wide * high);
  const int x0 = tile % wide * WIDE, y0 = tile / wide * HIGH;
  const int column = (int)threadIdx.x % WIDE, row = (int)threadIdx.x / WIDE * COLUMN;
  float sum[COLUMN][BLOCK];
#pragma unroll
  for (int to = 0; to < BLOCK; to++)
#pragma unroll
    for (int n = 0; n < COLUMN; n++) sum[n][to] = view.bias[block * BLOCK + to];
  for (int first = 0; first < view.from; first += CHUNK) {
    const int count = view.from - first < CHUNK ? view.from - first : CHUNK;
    const float *from = view.weight + (size_t)(block * view.from + first) * TAPS * BLOCK;
    bring_voxels(view, first, count, x0, y0, voxels);
    for (int n = (int)threadIdx.x; n < count * TAPS * BLOCK; n += THREADS) weights[n] = from[n];
    __syncthreads();
    for (int c = 0; c < count; c++)
      add_channel(voxels + c * 3 * PLANE + row * ROW + column, weights + c * TAPS * BLOCK, sum);
    __syncthreads();
  }
  const int x = x0 + column;
#pragma unroll
  for (int n = 0; n < COLUMN; n++)
#pragma unroll
    for (int to = 0; to < BLOCK; to++) {
      const int y = y0 + row + n;
      if (x < view.nx && y < view.ny)
        view.out[((size_t)(block * BLOCK + to) * view.ny + y) * view.nx + x] = fmaxf(sum[n][to], 0);
    }
}

/* 1 x 1 x 1: a thread computes 16 channels of a voxel. */
static __device__ void sum_channels(const slice_view &view, int block, size_t voxel,
                                    float sum[BLOCK]) {
  const size_t slice = (size_t)view.nx * view.ny;
  const float *weight = view.weight + (size_t)block * view.from * BLOCK;
  for (int to = 0; to < BLOCK; to++) sum[to] = view.bias[block * BLOCK + to];
  for (int from = 0; from < view.from; from++, weight += BLOCK) {
    const float value = view.here[from * slice + voxel];
#pragma unroll
    for (int to = 0; to < BLOCK; to++) sum[to] += weight[to] * value;
  }
}

static __global__ void ht_lift(slice_view view) {
  const size_t slice = (size_t)view.nx * view.ny, groups = (slice + THREADS - 1) / THREADS;
  const size_t voxel = blockIdx.x % groups * THREADS + threadIdx.x;
  const int block = (int)(blockIdx.x / groups);
  if (voxel >= slice) return;
  float sum[BLOCK];
  sum_channels(view, block, voxel, sum);
#pragma unroll
  for (int to = 0; to < BLOCK; to++)
    view.out[(size_t)(block * BLOCK + to) * slice + voxel] = sum[to];
}

/* `raw` [5][y][x] or NULL; `found` [4][y][x]: three labels and the distance. */
static __global__ void ht_write_outputs(slice_view view, float *raw, uint8_t *found) {
  const size_t slice = (size_t)view.nx * view.ny,
               voxel = (size_t)blockIdx.x * THREADS + threadIdx.x;
  if (voxel >= slice) return;
  float sum[BLOCK];
  sum_channels(view, 0, voxel, sum);
  for (int n = 0; raw && n < HT_LEARNED_OUTPUTS; n++) raw[n * slice + voxel] = sum[n];
  const ht_learned_voxel one = ht_learned_encode(sum);
  for (int n = 0; n < 3; n++) found[n * slice + voxel] = one.label[n];
  found[3 * slice + voxel] = (uint8_t)one.distance;
}

/* Of 2 x 2 x 2 voxels of slices `here` and `above`, twice as wide and high. */
static __global__ void ht_pool(slice_view view) {
  const size_t slice = (size_t)view.nx * view.ny, n = (size_t)blockIdx.x * THREADS + threadIdx.x;
  if (n >= slice * view.to) return;
  const size_t row = n / view.nx, at = 4 * row * view.nx + 2 * (n % view.nx),
               next = 2 * (size_t)view.nx;
  float most = -INFINITY;
  for (int z = 0; z < 2; z++) {
    const float *from = (z ? view.above : view.here) + at;
    most = fmaxf(most, fmaxf(fmaxf(from[0], from[1]), fmaxf(from[next], from[next + 1])));
  }
  view.out[n] = most;
}

/* Adds voxels of the slice `here`, half as wide and high. */
static __global__ void ht_add(slice_view view) {
  const size_t slice = (size_t)view.nx * view.ny, n = (size_t)blockIdx.x * THREADS + threadIdx.x;
  if (n >= slice * view.to) return;
  const size_t channel = n / slice, y = n / view.nx % view.ny, x = n % view.nx;
  view.out[n] += view.here[(channel * (view.ny / 2) + y / 2) * (view.nx / 2) + x / 2];
}

/* ---- the host's side ---- */

typedef struct {
  ht_learned_work *work;
  void *memory; /* on the GPU, of all that follows */
  float *ring[HT_STAGES], *weight[HT_STAGES], *bias[HT_STAGES];
  float *raw;
  uint8_t *found;
  float *host; /* room for a slice: brightness, raw outputs, or what was found */
} cuda_state;

static ht_status check(cudaError_t error, const char *doing) {
  if (error == cudaSuccess) return HT_OK;
  cudaGetLastError(); /* forget it */
  if (error == cudaErrorMemoryAllocation)
    return ht_fail(HT_ERR_MEMORY,
                   "the GPU ran out of memory while %s for the network (nvidia-smi shows who uses "
                   "it); wait for the others, or use --device cpu",
                   doing);
  return ht_fail(HT_ERR_DEVICE,
                 "the GPU failed while %s for the network: %s; try again, or with --device cpu",
                 doing, cudaGetErrorString(error));
}

int ht_learned_cuda_find(char name[128], char why[256], double *free_bytes) {
  size_t available = 0, total = 0;
  *free_bytes = 0;
  if (!ht_find_gpu(name, why)) return 0;
  const cudaError_t error = cudaMemGetInfo(&available, &total);
  *free_bytes = (double)available;
  if (error == cudaSuccess) return 1;
  snprintf(why, 256, "no CUDA device was found (%s)", cudaGetErrorString(error));
  cudaGetLastError(); /* forget it */
  return 0;
}

static size_t slice_voxels(const ht_stream *stream, int level) {
  return (size_t)(stream->size[0] >> level) * (stream->size[1] >> level);
}

static size_t count_taps(const ht_learned_layer *layer) {
  return (size_t)layer->edge * layer->edge * layer->edge;
}

static size_t filled_up(const ht_learned_layer *layer) {
  return (size_t)(layer->to + BLOCK - 1) / BLOCK * BLOCK;
}

/* Takes `count` floats at a multiple of 256 bytes; `next` counts those taken so far. */
static float *take(float *memory, size_t *next, size_t count) {
  float *taken = memory ? memory + *next : NULL;
  *next += (count + 63) / 64 * 64;
  return taken;
}

/* Places everything in `memory`, or with NULL only counts the floats. */
static size_t place_all(const ht_stream *stream, bool is_raw, float *memory, cuda_state *state) {
  const size_t voxels = slice_voxels(stream, 0);
  size_t next = 0;
  for (int n = 0; n < stream->count; n++) {
    const ht_stage *stage = &stream->stage[n];
    state->ring[n] =
        take(memory, &next, stage->kept * slice_voxels(stream, stage->level) * stage->channels);
    if (!stage->layer) continue;
    state->weight[n] = take(
        memory, &next, filled_up(stage->layer) * stage->layer->from * count_taps(stage->layer));
    state->bias[n] = take(memory, &next, filled_up(stage->layer));
  }
  state->found = (uint8_t *)take(memory, &next, voxels);
  state->raw = is_raw ? take(memory, &next, HT_LEARNED_OUTPUTS * voxels) : NULL;
  return next;
}

double ht_learned_cuda_bytes(const ht_stream *stream) {
  cuda_state unused;
  return 4.0 * (double)place_all(stream, false, NULL, &unused);
}

/* From [to][from][tap] to [to / 16][from][tap][16], zeros for channels that fill up; with the
 * biases. */
static ht_status send_weights(const ht_learned_layer *layer, float *weight, float *bias) {
  const size_t taps = count_taps(layer), to_all = filled_up(layer),
               count = to_all * layer->from * taps;
  void *packed;
  HT_TRY(ht_alloc(&packed, count + to_all, sizeof(float), "the network's weights"));
  float *values = (float *)packed;
  for (int to = 0; to < layer->to; to++) {
    values[count + to] = layer->bias[to];
    for (size_t n = 0; n < layer->from * taps; n++)
      values[(to / BLOCK * layer->from * taps + n) * BLOCK + to % BLOCK] =
          layer->weight[to * layer->from * taps + n];
  }
  cudaError_t error = cudaMemcpy(weight, values, count * sizeof(float), cudaMemcpyHostToDevice);
  if (error == cudaSuccess)
    error = cudaMemcpy(bias, values + count, to_all * sizeof(float), cudaMemcpyHostToDevice);
  free(packed);
  return check(error, "copying the weights");
}

/* Returns slice z of the ring of a stage; NULL beyond the lattice. */
static float *slice_at(const cuda_state *state, int number, int z) {
  const ht_stream *stream = state->work->stream;
  const int ring = stream->stage[number].ring;
  const ht_stage *stage = &stream->stage[ring];
  if (z < 0 || z >= stage->slices) return NULL;
  return state->ring[ring] +
         (z % stage->kept) * slice_voxels(stream, stage->level) * stage->channels;
}

static ht_status send_slice(const cuda_state *state, int z, float *out) {
  const ht_learned_work *work = state->work;
  const int *size = work->stream->size;
  for (int y = 0; y < size[1]; y++)
    ht_learned_read_row(work, y, z, state->host + (size_t)y * size[0]);
  return check(cudaMemcpy(out, state->host, slice_voxels(work->stream, 0) * sizeof(float),
                          cudaMemcpyHostToDevice),
               "copying the scan");
}

/* Copies what counts of image `n` of a slice on the host, whose values have `bytes` each. */
static void keep_rows(const ht_learned_work *work, int z, const void *image, size_t bytes,
                      void *to) {
  const int *size = work->stream->size;
  for (int y = 0; y < size[1]; y++) {
    const int64_t first = ht_learned_row_voxel(work, y, z);
    if (first >= 0)
      memcpy((char *)to + first * bytes, (const char *)image + (size_t)y * size[0] * bytes,
             work->scan->grid.dim[0] * bytes);
  }
}

static ht_status receive_slice(const cuda_state *state, int z) {
  const ht_learned_work *work = state->work;
  const size_t slice = slice_voxels(work->stream, 0);
  const int64_t voxels = ht_grid_voxels(&work->scan->grid);
  if (work->found) {
    uint8_t *host = (uint8_t *)state->host;
    HT_TRY(check(cudaMemcpy(host, state->found, 4 * slice, cudaMemcpyDeviceToHost),
                 "copying what was found"));
    keep_rows(work, z, host, 1, work->found->artery);
    keep_rows(work, z, host + slice, 1, work->found->other);
    keep_rows(work, z, host + 2 * slice, 1, work->found->hard);
    keep_rows(work, z, host + 3 * slice, 1, work->found->distance);
  }
  if (work->raw) {
    HT_TRY(check(cudaMemcpy(state->host, state->raw, HT_LEARNED_OUTPUTS * slice * sizeof(float),
                            cudaMemcpyDeviceToHost),
                 "copying the outputs"));
    for (int n = 0; n < HT_LEARNED_OUTPUTS; n++)
      keep_rows(work, z, state->host + n * slice, sizeof(float), work->raw + n * voxels);
  }
  return HT_OK;
}

static void launch(const cuda_state *state, const ht_stage *stage, const slice_view &view) {
  const unsigned voxels = (unsigned)slice_voxels(state->work->stream, stage->level);
  const unsigned blocks = (unsigned)(view.to + BLOCK - 1) / BLOCK,
                 groups = (voxels + THREADS - 1) / THREADS;
  const unsigned all = (unsigned)(((size_t)voxels * view.to + THREADS - 1) / THREADS);
  const unsigned tiles = (unsigned)((view.nx + WIDE - 1) / WIDE * ((view.ny + HIGH - 1) / HIGH));
  switch (stage->kind) {
  case HT_STAGE_CONV:
    ht_convolve<<<tiles * blocks, THREADS>>>(view);
    break;
  case HT_STAGE_LIFT:
    ht_lift<<<groups * blocks, THREADS>>>(view);
    break;
  case HT_STAGE_POOL:
    ht_pool<<<all, THREADS>>>(view);
    break;
  case HT_STAGE_ADD:
    ht_add<<<all, THREADS>>>(view);
    break;
  default:
    ht_write_outputs<<<groups, THREADS>>>(view, state->raw, state->found);
  }
}

static ht_status compute_slice(void *user, const ht_stage *stage, int z) {
  const cuda_state *state = (const cuda_state *)user;
  const ht_stream *stream = state->work->stream;
  const int number = (int)(stage - stream->stage);
  float *out = stage->kind == HT_STAGE_OUTPUT ? NULL : slice_at(state, number, z);
  if (stage->kind == HT_STAGE_INPUT) return send_slice(state, z, out);
  const int here = stage->kind == HT_STAGE_POOL ? 2 * z : stage->kind == HT_STAGE_ADD ? z / 2 : z;
  slice_view view = {};
  view.nx = stream->size[0] >> stage->level, view.ny = stream->size[1] >> stage->level;
  view.below = slice_at(state, stage->source, here - 1);
  view.here = slice_at(state, stage->source, here);
  view.above = slice_at(state, stage->source, here + 1);
  view.from = stream->stage[stage->source].channels, view.to = stage->channels;
  view.weight = state->weight[number], view.bias = state->bias[number];
  view.out = out;
  launch(state, stage, view);
  HT_TRY(check(cudaGetLastError(), "starting a layer"));
  if (stage->kind == HT_STAGE_OUTPUT) HT_TRY(receive_slice(state, z));
  return ht_learned_report(state->work, stage);
}

static ht_status run_placed(cuda_state *state) {
  const ht_stream *stream = state->work->stream;
  for (int n = 0; n < stream->count; n++)
    if (stream->stage[n].layer)
      HT_TRY(send_weights(stream->stage[n].layer, state->weight[n], state->bias[n]));
  HT_TRY(ht_stream_run(state->work->stream, compute_slice, state));
  return check(cudaDeviceSynchronize(), "finishing its work");
}

ht_status ht_learned_cuda_run(ht_learned_work *work) {
  cuda_state state = {};
  state.work = work;
  const size_t voxels = slice_voxels(work->stream, 0),
               floats = place_all(work->stream, work->raw != NULL, NULL, &state);
  void *host;
  HT_TRY(ht_alloc(&host, HT_LEARNED_OUTPUTS * voxels, sizeof(float), "a slice of the network"));
  state.host = (float *)host;
  ht_status status = check(cudaMalloc(&state.memory, floats * sizeof(float)), "taking memory");
  if (status == HT_OK) {
    place_all(work->stream, work->raw != NULL, (float *)state.memory, &state);
    status = run_placed(&state);
    cudaFree(state.memory);
  }
  free(host);
  return status;
}

/* The stages on the CPU: OpenMP over the rows of a slice. A slice is [y][x][channel]; each row has
 * a voxel of zeros before and some after it, which count as the border. */
#include "segment/learned/conv.h"
#include "segment/learned/encode.h"
#include "segment/learned/work.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum {
  BORDER = 1 + HT_CONV_BEYOND,
  LINE = 16
}; /* voxels of a row beside its own; floats of a cache line */

typedef struct {
  ht_learned_work *work;
  ht_conv_fn conv;
  void *memory;                               /* of all that follows */
  float *ring[HT_STAGES];                     /* [kept][y][BORDER + x][channel] */
  float *weight[HT_STAGES], *bias[HT_STAGES]; /* as ht_conv_row has them */
  float *zeros;                               /* a row beyond the lattice */
  float *output;                              /* [thread][x][16]: a row of outputs, filled up */
} cpu_state;

static int count_blocks(const ht_learned_layer *layer) {
  return (layer->to + HT_LEARNED_BLOCK - 1) / HT_LEARNED_BLOCK;
}

static size_t count_taps(const ht_learned_layer *layer) {
  return (size_t)layer->edge * layer->edge * layer->edge;
}

static size_t row_floats(const ht_stream *stream, const ht_stage *stage) {
  return (size_t)((stream->size[0] >> stage->level) + BORDER) * stage->channels;
}

static size_t slice_floats(const ht_stream *stream, const ht_stage *stage) {
  return (size_t)(stream->size[1] >> stage->level) * row_floats(stream, stage);
}

/* Takes `count` floats at the start of a cache line; `next` counts those taken so far. */
static float *take(float *memory, size_t *next, size_t count) {
  float *taken = memory ? memory + *next : NULL;
  *next += (count + LINE - 1) / LINE * LINE;
  return taken;
}

/* Places everything in `memory`, or with NULL only counts the floats. */
static size_t place_all(const ht_stream *stream, int threads, float *memory, cpu_state *state) {
  size_t next = 0, longest = 0;
  for (int n = 0; n < stream->count; n++) {
    const ht_stage *stage = &stream->stage[n];
    const size_t row = row_floats(stream, stage);
    if (longest < row) longest = row;
    state->ring[n] = take(memory, &next, (size_t)stage->kept * slice_floats(stream, stage));
    if (!stage->layer) continue;
    const size_t to = (size_t)count_blocks(stage->layer) * HT_LEARNED_BLOCK;
    state->weight[n] = take(memory, &next, to * stage->layer->from * count_taps(stage->layer));
    state->bias[n] = take(memory, &next, to);
  }
  state->zeros = take(memory, &next, longest);
  state->output =
      take(memory, &next, (size_t)threads * (stream->size[0] + BORDER) * HT_LEARNED_BLOCK);
  return next;
}

double ht_learned_cpu_bytes(const ht_stream *stream) {
  cpu_state unused;
  return 4.0 * (double)place_all(stream, 64, NULL, &unused);
}

/* From [to][from][tap] to [to / 16][tap][from][16]. */
static void pack_weights(const ht_learned_layer *layer, float *weight, float *bias) {
  const size_t taps = count_taps(layer);
  for (int to = 0; to < layer->to; to++) {
    bias[to] = layer->bias[to];
    for (int from = 0; from < layer->from; from++)
      for (size_t tap = 0; tap < taps; tap++)
        weight[((to / HT_LEARNED_BLOCK * taps + tap) * layer->from + from) * HT_LEARNED_BLOCK +
               to % HT_LEARNED_BLOCK] =
            layer->weight[((size_t)to * layer->from + from) * taps + tap];
  }
}

/* Returns voxel -1 of a row of a stage's slice; zeros beyond the lattice. */
static float *row_at(const cpu_state *state, int number, int y, int z) {
  const ht_stream *stream = state->work->stream;
  const int ring = stream->stage[number].ring;
  const ht_stage *stage = &stream->stage[ring];
  if (y < 0 || y >= stream->size[1] >> stage->level || z < 0 || z >= stage->slices)
    return state->zeros;
  return state->ring[ring] + (size_t)(z % stage->kept) * slice_floats(stream, stage) +
         (size_t)y * row_floats(stream, stage);
}

static void convolve_row(const cpu_state *state, const ht_stage *stage, int y, int z, float *out) {
  const ht_learned_layer *layer = stage->layer;
  const int number = (int)(stage - state->work->stream->stage), whole = layer->edge == 3;
  ht_conv_row row = {.row_count = whole ? 9 : 1,
                     .taps = layer->edge,
                     .from = layer->from,
                     .to = HT_LEARNED_BLOCK * count_blocks(layer),
                     .count = state->work->stream->size[0] >> stage->level,
                     .relu = whole,
                     .weight = state->weight[number],
                     .bias = state->bias[number],
                     .out = out};
  for (int n = 0; n < row.row_count; n++)
    row.rows[n] = whole ? row_at(state, stage->source, y + n % 3 - 1, z + n / 3 - 1)
                        : row_at(state, stage->source, y, z) + layer->from;
  state->conv(&row);
}

static void pool_row(const cpu_state *state, const ht_stage *stage, int y, int z, float *out) {
  const int channels = stage->channels, count = state->work->stream->size[0] >> stage->level;
  for (int n = 0; n < 4; n++) {
    const float *in = row_at(state, stage->source, 2 * y + n % 2, 2 * z + n / 2) + channels;
    for (int x = 0; x < count; x++)
      for (int c = 0; c < channels; c++) {
        const float a = in[(size_t)2 * x * channels + c],
                    b = in[((size_t)2 * x + 1) * channels + c];
        const float most = a > b ? a : b, before = out[(size_t)x * channels + c];
        out[(size_t)x * channels + c] = n == 0 || most > before ? most : before;
      }
  }
}

static void add_row(const cpu_state *state, const ht_stage *stage, int y, int z, float *out) {
  const int channels = stage->channels, count = state->work->stream->size[0] >> stage->level;
  const float *in = row_at(state, stage->source, y / 2, z / 2) + channels;
  for (int x = 0; x < count; x++)
    for (int c = 0; c < channels; c++)
      out[(size_t)x * channels + c] += in[(size_t)(x / 2) * channels + c];
}

static void write_row(const cpu_state *state, const ht_stage *stage, int y, int z, float *room) {
  const ht_learned_work *work = state->work;
  const int64_t first = ht_learned_row_voxel(work, y, z),
                voxels = ht_grid_voxels(&work->scan->grid);
  if (first < 0) return;
  convolve_row(state, stage, y, z, room);
  for (int x = 0; x < work->scan->grid.dim[0]; x++) {
    const float *output = room + (size_t)x * HT_LEARNED_BLOCK;
    for (int n = 0; work->raw && n < HT_LEARNED_OUTPUTS; n++)
      work->raw[n * voxels + first + x] = output[n];
    if (!work->found) continue;
    const ht_learned_voxel voxel = ht_learned_encode(output);
    work->found->artery[first + x] = voxel.label[0];
    work->found->other[first + x] = voxel.label[1];
    work->found->hard[first + x] = voxel.label[2];
    work->found->distance[first + x] = voxel.distance;
  }
}

static void compute_row(const cpu_state *state, const ht_stage *stage, int y, int z, int thread) {
  if (stage->kind == HT_STAGE_OUTPUT) {
    const size_t row = (size_t)(state->work->stream->size[0] + BORDER) * HT_LEARNED_BLOCK;
    write_row(state, stage, y, z, state->output + thread * row);
    return;
  }
  float *out = row_at(state, (int)(stage - state->work->stream->stage), y, z) + stage->channels;
  switch (stage->kind) {
  case HT_STAGE_INPUT:
    ht_learned_read_row(state->work, y, z, out);
    break;
  case HT_STAGE_POOL:
    pool_row(state, stage, y, z, out);
    break;
  case HT_STAGE_ADD:
    add_row(state, stage, y, z, out);
    break;
  default:
    convolve_row(state, stage, y, z, out);
  }
}

static ht_status compute_slice(void *user, const ht_stage *stage, int z) {
  const cpu_state *state = user;
  const int rows = state->work->stream->size[1] >> stage->level;
#pragma omp parallel for schedule(dynamic) num_threads(state->work->threads)
  for (int y = 0; y < rows; y++) compute_row(state, stage, y, z, omp_get_thread_num());
  return ht_learned_report(state->work, stage);
}

ht_status ht_learned_cpu_run(ht_learned_work *work) {
  const ht_stream *stream = work->stream;
  const char *name;
  cpu_state state = {.work = work, .conv = ht_conv_choose(&name)};
  const size_t floats = place_all(stream, work->threads, NULL, &state);
  HT_TRY(ht_alloc(&state.memory, floats + LINE, sizeof(float), "the layers of the network"));
  const size_t line = LINE * sizeof(float), over = (uintptr_t)state.memory % line;
  place_all(stream, work->threads, (float *)((char *)state.memory + (over ? line - over : 0)),
            &state);
  for (int n = 0; n < stream->count; n++)
    if (stream->stage[n].layer)
      pack_weights(stream->stage[n].layer, state.weight[n], state.bias[n]);
  const ht_status status = ht_stream_run(work->stream, compute_slice, &state);
  free(state.memory);
  return status;
}

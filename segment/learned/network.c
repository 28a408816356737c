#include "segment/learned/network.h"
#include "segment/learned/conv.h"
#include "segment/learned/work.h"
#include "core/machine/clock.h"
#include "core/machine/host_memory.h"
#include "core/text/words.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const ht_learned_weights *weights;
  const ht_learned_options *options;
  ht_learned_work work;
  int on_gpu;
  char name[128], why_cpu[256];
  double most_bytes; /* 0: no limit is known */
  double peak_bytes; /* of the largest strip */
} apply_state;

static int round_up(int value, int step) {
  return (value + step - 1) / step * step;
}

static double work_bytes(const apply_state *state, int rows, ht_stream *stream) {
  const int *dim = state->work.scan->grid.dim, step = 1 << (state->weights->levels - 1);
  ht_stream_make(state->weights, (int[3]){round_up(dim[0], step), rows, round_up(dim[2], step)},
                 stream);
  return state->on_gpu ? ht_learned_cuda_bytes(stream) : ht_learned_cpu_bytes(stream);
}

/* Finds the rows of a strip whose outputs count: all, or so many that the work fits. */
static ht_status choose_strips(const apply_state *state, ht_stream *stream, int *rows) {
  const int step = 1 << (state->weights->levels - 1), margin = ht_stream_margin(state->weights);
  const int all = round_up(state->work.scan->grid.dim[1], step);
  double bytes = work_bytes(state, all, stream);
  *rows = all;
  if (state->most_bytes <= 0 || bytes <= state->most_bytes) return HT_OK;
  for (int strips = 2; strips <= all / step; strips++) {
    *rows = round_up((all + strips - 1) / strips, step);
    const int with_margins = *rows + 2 * margin;
    bytes = work_bytes(state, with_margins < all ? with_margins : all, stream);
    if (bytes <= state->most_bytes) return HT_OK;
  }
  return ht_fail(HT_ERR_MEMORY,
                 "the network needs %s on the %s for this scan, and may take %s; make memory free, "
                 "or cut the scan to the part that matters",
                 ht_memory_words(bytes).text, state->on_gpu ? "GPU" : "CPU",
                 ht_memory_words(state->most_bytes).text);
}

/* Sets the strip of which `rows` rows from `from_row` on count, and its margins within the lattice.
 */
static void set_strip(apply_state *state, int from_row, int rows, ht_stream *stream) {
  ht_learned_work *work = &state->work;
  const int step = 1 << (state->weights->levels - 1), margin = ht_stream_margin(state->weights);
  const int last = work->scan->grid.dim[1], all = round_up(last, step);
  const int end = from_row + rows + margin < all ? from_row + rows + margin : all;
  work->from_row = from_row;
  work->end_row = from_row + rows < last ? from_row + rows : last;
  work->first_row = from_row > margin ? from_row - margin : 0;
  const double bytes = work_bytes(state, end - work->first_row, stream);
  if (state->peak_bytes < bytes) state->peak_bytes = bytes;
}

static ht_status compute_strips(apply_state *state) {
  ht_learned_work *work = &state->work;
  const int *dim = work->scan->grid.dim;
  ht_stream stream;
  int rows;
  HT_TRY(choose_strips(state, &stream, &rows));
  work->stream = &stream;
  work->done = work->total = state->peak_bytes = 0;
  for (int y = 0; y < dim[1]; y += rows) {
    set_strip(state, y, rows, &stream);
    work->total += ht_learned_total(&stream);
  }
  for (int y = 0; y < dim[1]; y += rows) {
    set_strip(state, y, rows, &stream);
    HT_TRY(state->on_gpu ? ht_learned_cuda_run(work) : ht_learned_cpu_run(work));
  }
  return HT_OK;
}

static ht_status compute_on_cpu(apply_state *state) {
  const char *set;
  ht_conv_choose(&set);
  state->on_gpu = 0;
  state->work.threads =
      state->options->threads > 0 ? state->options->threads : omp_get_max_threads();
  state->most_bytes =
      state->options->most_bytes > 0 ? state->options->most_bytes : ht_host_memory_free() / 2;
  snprintf(state->name, sizeof state->name, "CPU, %d thread%s, %s", state->work.threads,
           state->work.threads == 1 ? "" : "s", set);
  return compute_strips(state);
}

static ht_status compute(apply_state *state) {
  const ht_learned_device device = state->options->device;
  double free_bytes;
  if (device == HT_LEARNED_CPU) return compute_on_cpu(state);
  state->on_gpu = ht_learned_cuda_find(state->name, state->why_cpu, &free_bytes);
  if (state->on_gpu) {
    state->work.threads = 1;
    state->most_bytes =
        state->options->most_bytes > 0 ? state->options->most_bytes : free_bytes / 2;
    const ht_status status = compute_strips(state);
    if (status == HT_OK || status == HT_ERR_INTERRUPTED || device == HT_LEARNED_CUDA) return status;
    snprintf(state->why_cpu, sizeof state->why_cpu, "%.255s", ht_error_message());
  } else if (device == HT_LEARNED_CUDA) {
    return ht_fail(HT_ERR_DEVICE, "no GPU can be used: %s; run with --device cpu, or auto",
                   state->why_cpu);
  }
  return compute_on_cpu(state);
}

static ht_status make_images(const ht_grid *grid, ht_learned *found) {
  const size_t voxels = (size_t)ht_grid_voxels(grid);
  void *images;
  HT_TRY(ht_alloc(&images, voxels, HT_LEARNED_IMAGES, "what the network finds"));
  found->grid = *grid;
  found->artery = images;
  found->other = found->artery + voxels;
  found->hard = found->other + voxels;
  found->distance = (int8_t *)(found->hard + voxels);
  return HT_OK;
}

ht_status ht_learned_apply(const ht_learned_weights *weights, const ht_volume *scan,
                           const ht_learned_options *options, float *raw, ht_learned *found) {
  const double began = ht_clock_s();
  apply_state state = {
      .weights = weights,
      .options = options,
      .work = {.scan = scan, .progress = options->progress, .raw = raw, .found = found}};
  ht_status status = HT_OK;
  if (found) memset(found, 0, sizeof *found);
  HT_TRY_DONE(ht_grid_check(&scan->grid));
  HT_TRY_DONE(ht_learned_find_brightness(scan, weights, &state.work.brightness));
  if (found) HT_TRY_DONE(make_images(&scan->grid, found));
  HT_TRY_DONE(compute(&state));
  if (found) {
    found->on_gpu = state.on_gpu;
    memcpy(found->device, state.name, sizeof found->device);
    memcpy(found->why_cpu, state.why_cpu, sizeof found->why_cpu);
    found->peak_bytes = state.peak_bytes;
    found->seconds = ht_clock_s() - began;
  }
done:
  if (status != HT_OK && found) {
    free(found->artery);
    memset(found, 0, sizeof *found);
  }
  return status;
}

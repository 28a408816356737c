/* The CPU backend's values to and from the host's image. */
#include "solver/cpu/cpu_state.h"
#include "solver/cpu/cpu_walls.h"
#include <string.h>

/* Copies a tile of a copy to the caller's [directions][64] values, float or double. */
static void download_tile(const cpu_state *state, int64_t tile, char *values) {
  const char *copy = state->copy[state->current];
  ht_cpu_parts parts = parts_of(state, tile);
  size_t size = value_size(state);
  for (int i = 0; i < (int)tile_values(state); i += HT_PLANE) {
    const char *plane = copy + ht_cpu_plane(&parts, i / 64, i % 64 / HT_PLANE) * (int64_t)size;
    if (state->tables->precision == HT_FP16)
      ht_half_load_many((const ht_half *)plane, HT_PLANE, (float *)values + i);
    else
      memcpy(values + (size_t)i * size, plane, HT_PLANE * size);
  }
}

static void upload_tile(cpu_state *state, int64_t tile, const char *values) {
  char *copy = state->copy[state->current];
  ht_cpu_parts parts = parts_of(state, tile);
  size_t size = value_size(state);
  for (int i = 0; i < (int)tile_values(state); i += HT_PLANE) {
    char *plane = copy + ht_cpu_plane(&parts, i / 64, i % 64 / HT_PLANE) * (int64_t)size;
    if (state->tables->precision == HT_FP16)
      ht_half_store_many((const float *)values + i, HT_PLANE, (ht_half *)plane);
    else
      memcpy(plane, values + (size_t)i * size, HT_PLANE * size);
  }
}

static ht_status cpu_download(void *opaque, void *values) {
  const cpu_state *state = opaque;
#pragma omp parallel for schedule(static) num_threads(state->threads)
  for (int64_t t = 0; t < state->tables->tiling->tiles; t++)
    download_tile(state, t, (char *)values + t * (int64_t)ht_tile_bytes(state->tables));
  return HT_OK;
}

static ht_status cpu_download_slip(void *opaque, double *slip) {
  const cpu_state *state = opaque;
  for (int64_t i = 0; i < state->tables->wall_links; i++)
    slip[i] = ht_cpu_wall_slip(state->tables, &state->walls, i);
  return HT_OK;
}

static ht_status cpu_read_marked(void *opaque, double *values) {
  const cpu_state *state = opaque;
  const ht_marked_values *marked = &state->image.marked.of;
  const int64_t a_tile = (int64_t)tile_values(state);
#pragma omp parallel for schedule(static) num_threads(state->threads)
  for (int64_t i = 0; i < marked->values; i++) {
    int64_t at = marked->place[i], node = at / a_tile * HT_TILE_NODES + at % HT_TILE_NODES;
    int q = (int)(at % a_tile / HT_TILE_NODES);
    values[i] = load_value(state, state->copy[state->current], place(state, node, q));
  }
  for (int64_t i = 0; i < marked->links; i++)
    values[marked->values + i] = ht_cpu_wall_slip(state->tables, &state->walls, marked->link[i]);
  return HT_OK;
}

static ht_status cpu_upload(void *opaque, const void *values) {
  cpu_state *state = opaque;
#pragma omp parallel for schedule(static) num_threads(state->threads)
  for (int64_t t = 0; t < state->tables->tiling->tiles; t++)
    upload_tile(state, t, (const char *)values + t * (int64_t)ht_tile_bytes(state->tables));
  for (int k = 0; k < 3 && state->tables->corrected; k++)
    memset(state->square[k], 0, squares_size(state));
  return HT_OK;
}

const ht_value_access ht_cpu_values = {.download = cpu_download,
                                       .upload = cpu_upload,
                                       .download_slip = cpu_download_slip,
                                       .read_marked = cpu_read_marked};

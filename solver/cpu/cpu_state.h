/* The state of the CPU backend. Private to solver/cpu/. */
#ifndef HT_CPU_STATE_H
#define HT_CPU_STATE_H

#include "solver/cpu/cpu_kernel.h"
#include "solver/cpu/cpu_layout.h"
#include "solver/kernels/half.h"
#include "solver/lattice/host_image.h"
#include "core/formats/state_stream.h"

/* Runs of tiles. */
typedef struct {
  int64_t begin, end;
} ht_cpu_run;

typedef struct {
  int64_t count, tiles; /* tiles: of all runs */
  ht_cpu_run *run;
} ht_cpu_runs;

/* Tiles of a rank's part: those that others read of, which are stepped first, and the rest. */
typedef struct {
  ht_cpu_runs runs, rest;
  uint8_t *is_port; /* [port_nodes] 1: of a tile of the edge; NULL: no edge */
} ht_cpu_edge;

typedef struct {
  ht_host_image image; /* first: see host_image.h */
  const ht_lattice_tables *tables;
  ht_cpu_job job;
  ht_cpu_kernel kernel;
  int threads;
  int32_t *wall_slot;
  uint64_t *wall;
  int32_t *sponge_slot; /* [tiles] -1: no sponge; NULL: none anywhere */
  float *keep;          /* [slots][64] */
  ht_cpu_walls walls;   /* interpolated */
  void *square[3];      /* of diagonal.h, of step s in number s % 3, see ht_cpu_job */
  void *square_before;  /* of the step before these three */
  int64_t *port_place;  /* [port_nodes][PORT_PLACES][directions], places in a copy */
  void *copy[2];
  int current;          /* copy that holds the state */
  double *coefficient;  /* [columns] of the step */
  float *last_velocity; /* [tiles][64][3] at the last watch */
  int64_t last_step;
  const ht_border *send, *receive;     /* borrowed; NULL: one rank */
  int64_t *send_place, *receive_place; /* the same places in this layout */
  ht_cpu_edge edge;
  uint8_t *replaced; /* [tiles] 1: an exchange replaces all nodes of the tile; NULL: no levels */
  int is_replaced;   /* 1: it does so right after the next step */
  void *finer;       /* coupling with a finer level (cpu_levels.h); NULL: none */
} cpu_state;

static inline size_t value_size(const cpu_state *state) {
  static const size_t size[] = {sizeof(float), sizeof(double), sizeof(ht_half)};
  return size[state->tables->precision];
}

/* Values of a tile. */
static inline size_t tile_values(const cpu_state *state) {
  return (size_t)HT_TILE_VALUES(state->tables->directions);
}

static inline size_t copy_size(const cpu_state *state) {
  return (size_t)state->tables->tiling->tiles * tile_values(state) * value_size(state);
}

/* Bytes of the squares of a step. */
static inline size_t squares_size(const cpu_state *state) {
  const size_t value = state->tables->precision == HT_FP64 ? sizeof(double) : sizeof(float);
  return (size_t)state->tables->tiling->tiles * 3 * HT_TILE_NODES * value;
}

static inline ht_cpu_parts parts_of(const cpu_state *state, int64_t tile) {
  return ht_cpu_parts_of(state->tables->directions, state->tables->tiling->tiles, tile);
}

/* The place in a copy of direction q of a node. */
static inline int64_t place(const cpu_state *state, int64_t node, int q) {
  return ht_cpu_place(state->tables->directions, state->tables->tiling->tiles, node >> 6, q,
                      (int)(node & 63));
}

/* The value at a place; double holds every value exactly. */
static inline double load_value(const cpu_state *state, const void *values, int64_t at) {
  switch (state->tables->precision) {
  case HT_FP16:
    return (double)ht_half_load(((const ht_half *)values)[at]);
  case HT_FP32:
    return (double)((const float *)values)[at];
  default:
    return ((const double *)values)[at];
  }
}

/* Values to and from the host, see host_image.h. */
extern const ht_value_access ht_cpu_values;

/* state->wall_slot and wall, sponge_slot and keep. HT_ERR_MEMORY. */
ht_status ht_cpu_build_walls(cpu_state *state);
ht_status ht_cpu_build_sponge(cpu_state *state);

/* Moves the state to or from a stream: see ht_backend.transfer. */
ht_status ht_cpu_transfer(void *opaque, ht_state *stream);

/* Border functions: see ht_backend.border, .pack and .unpack. */
ht_status ht_cpu_border(void *opaque, const ht_border *send, const ht_border *receive,
                        const ht_part_peer *peer, int64_t peers);
ht_status ht_cpu_pack(void *opaque, void *bytes);
ht_status ht_cpu_unpack(void *opaque, const void *bytes);
void ht_cpu_edge_free(ht_cpu_edge *edge);

#endif

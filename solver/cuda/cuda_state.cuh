/* The CUDA backend's state on the device. Private to solver/cuda/; backend_cuda.cu describes how
 * the state moves. Names that begin with d_, and arrays of ht_device_..., lie on the device. */
#ifndef HT_CUDA_STATE_CUH
#define HT_CUDA_STATE_CUH

#include "solver/cuda/blocks/block_border.cuh"
#include "solver/cuda/blocks/block_fields.cuh"
#include "solver/cuda/blocks/block_kernels.cuh"
#include "solver/cuda/blocks/block_marks.cuh"
#include "solver/cuda/cuda_kernels.cuh"
#include "solver/cuda/cuda_memory.cuh"
#include "solver/cuda/drive_window.cuh"
#include "solver/lattice/host_image.h"

/* Compact: the change is measured on every 16th block, because the previous velocities of all nodes
 * would take as much memory as one and a half directions in fp64; the largest speed is always
 * measured on all. */
enum { COMPACT_WATCHED = 16 };
enum { WATCH_BLOCKS = 512, WATCH_THREADS = 256, GRAPH_STEPS = 16 };
/* Sums of the walls' mass: of this step, of the last one, and zeros for the next. */
enum { GIVEN_STEPS = 3 };
/* Number of steps after which the launches are the same again, but for is_up. */
enum { GRAPHS = HT_SLIP_EVERY * GIVEN_STEPS };

/* Streams, events and graphs of the steps. */
typedef struct {
  int overlap;                      /* the GPU can start a step while the one before ends */
  cudaStream_t stream[2];           /* the second for every other portion */
  cudaEvent_t begun, done[4];       /* the step; its last portions */
  cudaEvent_t nearly;               /* the last steps but a few: the host sleeps up to there */
  cudaGraphExec_t graph[2][GRAPHS]; /* GRAPH_STEPS steps that begin with is_up, and at a
                                              step; NULL: not made yet */
  mutable int joins; /* 1: the next launch waits for others than the one before it, too */
} ht_cuda_streams;

/* The distribution functions. */
typedef struct {
  int64_t portion, shift; /* blocks, see backend_cuda.cu */
  int is_too_large;       /* 1: two copies do not fit */
  void *d_values;
  int is_up; /* the state lies at the end of d_values */
} ht_cuda_stored;

/* Interpolated walls; of ht_device_walls and ht_share_tables. */
typedef struct {
  void *d_slip;
  uint2 *d_rule;
  int32_t *d_list_tile;
  int32_t *d_beside;
  double *d_part;
  double *d_taken[2];                       /* [wall_tiles]; [is_up]: in the next step */
  unsigned long long *d_given[GIVEN_STEPS]; /* [wall_tiles + 1] of step s in number s % 3 */
  int64_t spared;                           /* nodes of these tiles that do not share their mass */
  uint2 *d_spared;                          /* [spared] place of the value at rest, tile */
} ht_cuda_walls;

/* Forces on nodes. */
typedef struct {
  uint64_t *d_fluid;                /* [blocks] one bit per fluid node; with a body force */
  double *d_acceleration;           /* [3] of it */
  void *d_carried[2], *d_square[2]; /* see block_diagonal.cuh; [is_up]: of this step, of the last */
} ht_cuda_forces;

/* Measurements of the flow. */
typedef struct {
  int watched; /* one block in this number has its change measured */
  float *d_last;
  double *d_sums;
  double *d_port_flow;
} ht_cuda_measure;

/* Reading by the host. */
typedef struct {
  void *on_host; /* room for what goes to the host or comes from it; NULL: not needed so far */
  int is_pinned; /* on_host, see cudaMallocHost */
  ht_device_marks marks;
  ht_device_fields fields;
  cudaStream_t copying; /* of the fields, to on_host */
  cudaEvent_t kept, arrived;
} ht_cuda_reading;

/* Way of the exchange. */
typedef enum { HT_BY_HOST = 0, HT_BY_PEERS, HT_BY_NCCL } ht_part_way;

/* A rank's part, beyond a lattice (cuda_part.cu). */
typedef struct {
  const ht_border *send, *receive; /* borrowed; NULL: a whole lattice */
  const ht_part_peer *peer;        /* [peers] borrowed */
  int64_t peers;
  ht_border_piece *d_send_piece, *d_receive_piece;
  int64_t *d_send_place, *d_receive_place;
  int64_t send_pieces, receive_pieces;
  ht_border_target *d_target; /* [peers] */
  ht_border_count *d_count;
  char *d_sent;  /* [send->bytes] on its way to the host */
  char *d_inbox; /* the turns that the peers have written, then the two buffers of what comes */
  size_t inbox_buffer[2], inbox_bytes;
  char *pinned;              /* on the host: room for the longer of the two borders */
  unsigned long long *given; /* on the host: [wall_tiles] the mass of a reading, with its border */
  void **opened;             /* [peers] their inboxes, as seen from here; NULL: not linked */
  double *d_change;          /* of ht_watch_blocks */
  int64_t last_step;         /* launched last; its masses cross */
  ht_part_way way;
  int is_begun;      /* between step_edge() and step_rest() */
  cudaStream_t side; /* of what crosses, concurrent with the inner blocks */
  cudaEvent_t edge_done, has_come;
} ht_cuda_part;

struct ht_cuda_state {
  ht_host_image image; /* first: see host_image.h */
  const ht_lattice_tables *tables;
  ht_cuda_kernels kernels;
  ht_cuda_memory memory;
  ht_cuda_streams streams;
  ht_blocks blocks;
  ht_device_blocks d_blocks;
  ht_rate rate;
  ht_cuda_stored stored;
  ht_device_ports ports;  /* but `walls` and `slips_follow`, which change with the step */
  ht_drive_window window; /* coefficients of the next GRAPH_STEPS steps (of the coarsest level) */
  ht_cuda_walls walls;
  ht_cuda_forces forces;
  ht_cuda_measure measure;
  ht_cuda_reading reading;
  ht_cuda_part part;
  struct ht_cuda_coupling *finer; /* with a finer level (cuda_levels.cu); NULL: none */
};

/* Takes memory of the device: see ht_cuda_memory_take(). */
template <class T>
static inline ht_status ht_cuda_take(ht_cuda_state *state, T **to, const void *from, size_t bytes) {
  return ht_cuda_memory_take(&state->memory, (void **)to, from, bytes);
}

static inline size_t stored_size(const ht_cuda_state *state) {
  return (size_t)ht_precision_bytes(state->tables->precision);
}

/* The place of the state (or after the next step: with the other `is_up`). */
template <class S> static inline S *values_at(const ht_cuda_state *state, int is_up) {
  return (S *)state->stored.d_values +
         (is_up ? state->stored.shift * HT_TILE_VALUES(state->tables->directions) : 0);
}

static inline size_t arithmetic_size(const ht_cuda_state *state) {
  return state->tables->precision == HT_FP64 ? sizeof(double) : sizeof(float);
}

static inline int is_split(const ht_cuda_state *state) {
  return state->stored.portion < state->blocks.blocks;
}

static inline size_t diagonal_bytes(const ht_cuda_state *state) {
  return (size_t)state->blocks.blocks * 3 * HT_TILE_NODES * arithmetic_size(state);
}

static inline size_t watch_bytes(const ht_cuda_state *state) {
  size_t watched = (size_t)(state->blocks.blocks / state->measure.watched + 1);
  return watched * HT_TILE_NODES * 3 * sizeof(float);
}

static inline int has_ports(const ht_cuda_state *state) {
  return state->tables->port_nodes > 0 && state->tables->step_kind == HT_STEP_FLOW;
}

#endif

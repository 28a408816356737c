/* The CUDA backend's state on the device, its allocation and release; included by backend_cuda.cu
 * alone, which describes how the state moves. */
#ifndef HT_CUDA_STATE_CUH
#define HT_CUDA_STATE_CUH

#include "solver/cuda/blocks/block_fields.cuh"
#include "solver/cuda/blocks/block_kernels.cuh"
#include "solver/cuda/blocks/block_marks.cuh"
#include "solver/cuda/cuda_device.cuh"
#include "solver/cuda/cuda_part_state.cuh"
#include "solver/cuda/blocks/diagonal_places.h"
#include "solver/cuda/drive_window.cuh"
#include "solver/cuda/host_array.cuh"
#include "solver/lattice/host_image.h"
#include <algorithm>
#include <cstdlib>

/* Compact: the change is measured on every 16th block, because the previous velocities of all nodes
 * would take as much memory as one and a half directions in fp64; the largest speed is always
 * measured on all. */
enum { COMPACT_WATCHED = 16 };
enum { WATCH_BLOCKS = 512, WATCH_THREADS = 256, GRAPH_STEPS = 16 };
/* Sums of the walls' mass: of this step, of the last one, and zeros for the next. */
enum { GIVEN_STEPS = 3 };
/* Number of steps after which the launches are the same again, but for is_up. */
enum { GRAPHS = HT_SLIP_EVERY * GIVEN_STEPS };
static_assert(GRAPHS % HT_DIAGONAL_STEPS == 0, "the squares of the same steps, too");
enum { MARK_THREADS = 128 };
enum { PORT_THREADS = 64, SPONGE_THREADS = 128, FORCE_THREADS = 128 };

typedef struct {
  ht_host_image image; /* first: see host_image.h */
  const ht_lattice_tables *tables;
  ht_blocks blocks;
  ht_cuda_part part;
  ht_device_blocks d_blocks;
  int64_t portion, shift; /* blocks, see above */
  int watched;            /* one block in this number has its change measured */
  int is_too_large;       /* 1: two copies do not fit */
  void *d_values;
  int is_up; /* the state lies at the end of d_values */
  int32_t *d_row;
  uint32_t *d_exception, *d_list;
  ht_rate rate;
  void *d_rate; /* of it */
  ht_port_node *d_ports;
  uint32_t *d_addresses; /* see ht_device_ports */
  uint2 *d_slip_rule;    /* of ht_device_walls */
  int32_t *d_list_tile;
  int32_t *d_share_beside; /* of ht_share_tables */
  double *d_share_part;
  void *d_slip;
  double *d_taken[2];                     /* [wall_tiles]; [is_up]: in the next step */
  uint32_t *d_inner_word, *d_inner_first; /* of ht_inner_links */
  int32_t *d_inner_tile;
  ht_inner_link *d_inner_link;
  void *d_inner_slip;
  int64_t inner_links;
  void *on_host; /* room for what goes to the host or comes from it; NULL: not needed so far */
  int is_pinned; /* on_host, see cudaMallocHost */
  ht_device_fields fields;
  cudaStream_t copying; /* of the fields, to on_host */
  cudaEvent_t kept, arrived;
  unsigned long long *d_given[GIVEN_STEPS]; /* [wall_tiles + 1] of step s in number s % 3 */
  float *d_last;
  double *d_sums;
  double *d_port_flow;
  double *d_shape;
  uint64_t *d_fluid;                 /* [blocks] one bit per fluid node; with a force */
  double *d_acceleration;            /* [3] of it */
  int32_t *d_force_kind;             /* of ht_diagonal_places, where diagonals are corrected */
  uint32_t *d_force_list;            /* of the same */
  void *d_force;                     /* see block_diagonal.cuh */
  void *d_square[HT_DIAGONAL_STEPS]; /* of step s in number s % 3 */
  ht_sponge_place *d_sponge;         /* [tables->sponge_nodes] */
  ht_device_marks marks;
  ht_drive_window window;           /* coefficients of the next GRAPH_STEPS steps */
  int64_t bytes;                    /* of all these */
  int overlap;                      /* the GPU can start a step while the one before ends */
  cudaStream_t stream[2];           /* the second for every other portion */
  cudaEvent_t begun, done[4];       /* the step; its last portions */
  cudaEvent_t nearly;               /* the last steps but a few: the host sleeps up to there */
  cudaGraphExec_t graph[2][GRAPHS]; /* GRAPH_STEPS steps that begin with is_up, and at a
                                              step; NULL: not made yet */
} cuda_state;

static size_t stored_size(const cuda_state *state) {
  return (size_t)ht_precision_bytes(state->tables->precision);
}

/* The place of the state (or after the next step: with the other `is_up`). */
template <class S> static S *values_at(const cuda_state *state, int is_up) {
  return (S *)state->d_values +
         (is_up ? state->shift * HT_TILE_VALUES(state->tables->directions) : 0);
}

static void free_marks(ht_device_marks *marks) {
  cudaFree(marks->d_address);
  cudaFree(marks->d_link);
  cudaFree(marks->d_read);
  *marks = {};
}

static void free_fields(ht_device_fields *fields) {
  for (int k = 0; k < 2; k++) cudaFree(fields->d_given[k]);
  cudaFree(fields->d_taken);
  cudaFree(fields->d_port_place);
  cudaFree(fields->d_keep);
  cudaFree(fields->d_rate);
  cudaFree(fields->d_values);
  *fields = {};
}

static void free_host(cuda_state *state) {
  if (state->copying) cudaStreamSynchronize(state->copying);
  if (state->is_pinned)
    cudaFreeHost(state->on_host);
  else
    free(state->on_host);
  free_fields(&state->fields);
  if (state->copying) cudaStreamDestroy(state->copying);
  if (state->kept) cudaEventDestroy(state->kept);
  if (state->arrived) cudaEventDestroy(state->arrived);
}

static void cuda_destroy(void *opaque) {
  cuda_state *state = (cuda_state *)opaque;
  if (!state) return;
  free_marks(&state->marks);
  free_host(state);
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < GRAPHS; i++)
      if (state->graph[k][i]) cudaGraphExecDestroy(state->graph[k][i]);
    cudaFree(state->d_taken[k]);
  }
  for (int k = 0; k < GIVEN_STEPS; k++) cudaFree(state->d_given[k]);
  free_part(&state->part);
  cudaFree(state->d_values);
  for (int k = 0; k < 2; k++)
    if (state->stream[k]) cudaStreamDestroy(state->stream[k]);
  for (int k = 0; k < 4; k++)
    if (state->done[k]) cudaEventDestroy(state->done[k]);
  if (state->begun) cudaEventDestroy(state->begun);
  if (state->nearly) cudaEventDestroy(state->nearly);
  cudaFree(state->d_row);
  cudaFree(state->d_exception);
  cudaFree(state->d_list);
  cudaFree(state->d_rate);
  cudaFree(state->d_ports);
  cudaFree(state->d_addresses);
  cudaFree(state->d_slip_rule);
  cudaFree(state->d_list_tile);
  cudaFree(state->d_inner_word);
  cudaFree(state->d_inner_first);
  cudaFree(state->d_inner_tile);
  cudaFree(state->d_inner_link);
  cudaFree(state->d_inner_slip);
  cudaFree(state->d_share_beside);
  cudaFree(state->d_share_part);
  cudaFree(state->d_slip);
  cudaFree(state->d_force_kind);
  cudaFree(state->d_force_list);
  cudaFree(state->d_force);
  for (int k = 0; k < HT_DIAGONAL_STEPS; k++) cudaFree(state->d_square[k]);
  cudaFree(state->d_sponge);
  cudaFree(state->d_last);
  cudaFree(state->d_sums);
  cudaFree(state->d_port_flow);
  cudaFree(state->d_shape);
  cudaFree(state->d_fluid);
  cudaFree(state->d_acceleration);
  ht_drive_window_free(&state->window);
  ht_blocks_free(&state->blocks);
  ht_host_image_end(&state->image);
  free(state);
}

/* Fails with HT_ERR_MEMORY: says what the flow has taken, what it needs beyond, and what is
 * free. */
static ht_status too_little_memory(const cuda_state *state, size_t room) {
  size_t free_bytes = 0, all_bytes = 0;
  cudaMemGetInfo(&free_bytes, &all_bytes);
  cudaGetLastError();
  return ht_fail(HT_ERR_MEMORY,
                 "not enough memory on the GPU: the flow needs at least %s (it has %s, and "
                 "asked for %s more), and %s of the GPU's %s are free (nvidia-smi shows "
                 "who uses it); use a coarser spacing, a lower precision, or --device cpu",
                 ht_memory_words((double)state->bytes + (double)room).text,
                 ht_memory_words((double)state->bytes).text, ht_memory_words((double)room).text,
                 ht_memory_words((double)free_bytes).text, ht_memory_words((double)all_bytes).text);
}

/* Memory of the device, filled from the host, or with zeros where `from` is NULL. What looks free
 * may not be had: it is in pieces, or another process was faster. */
static ht_status device_alloc(cuda_state *state, void **to, const void *from, size_t bytes) {
  size_t free_bytes = 0, all_bytes = 0, room = bytes > 0 ? bytes : sizeof(double);
  HT_TRY(ht_cuda_check(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for its memory"));
  if (room > free_bytes) return too_little_memory(state, room);
  cudaError_t error = cudaMalloc(to, room);
  if (error == cudaErrorMemoryAllocation) return too_little_memory(state, room);
  HT_TRY(ht_cuda_check(error, "taking memory"));
  state->bytes += (int64_t)room;
  if (from && bytes > 0)
    return ht_cuda_check(cudaMemcpy(*to, from, bytes, cudaMemcpyHostToDevice), "copying the case");
  return ht_cuda_check(cudaMemset(*to, 0, room), "clearing memory");
}

static void find_addresses(const cuda_state *state, int64_t node, uint32_t *address) {
  for (int q = 0; q < state->tables->directions; q++) {
    int64_t from = node;
    int direction = q;
    ht_blocks_source(state->tables, &state->blocks, node, q, &from, &direction);
    address[q] = ht_blocks_read_address(state->tables, &state->blocks, from, direction);
  }
}

static ht_status place_ports(cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  const int directions = tables->directions;
  size_t count = (size_t)tables->port_nodes, values = count * (size_t)directions;
  uint32_t *all;
  HT_TRY(ht_alloc((void **)&all, HT_PORT_ADDRESSES * values, sizeof *all, "the ports"));
#pragma omp parallel for schedule(static)
  for (size_t p = 0; p < count; p++) {
    const ht_port_node *port = &tables->port_node[p];
    uint32_t *at = all + HT_PORT_ADDRESSES * p * (size_t)directions;
    find_addresses(state, port->node, at + HT_PORT_FROM * directions);
    find_addresses(state, port->inner, at + HT_PORT_INSIDE * directions);
    for (int q = 0; q < directions; q++)
      at[HT_PORT_OWN * directions + q] =
          ht_blocks_address(&state->blocks, state->blocks.place[port->node], q);
  }
  ht_status status = device_alloc(state, (void **)&state->d_addresses, all,
                                  HT_PORT_ADDRESSES * values * sizeof *all);
  free(all);
  HT_TRY(status);
  HT_TRY(device_alloc(state, (void **)&state->d_port_flow, NULL, count * sizeof(double)));
  return device_alloc(state, (void **)&state->d_ports, tables->port_node,
                      count * sizeof(ht_port_node));
}

/* ---- interpolated walls ---- */

static size_t arithmetic_size(const cuda_state *state) {
  return state->tables->precision == HT_FP64 ? sizeof(double) : sizeof(float);
}

/* The node (tile * 64 + local) and the direction of a value in [tiles][directions][64]. */
static int64_t node_of_value(const cuda_state *state, int64_t value, int *direction) {
  const int a_tile = HT_TILE_VALUES(state->tables->directions);
  *direction = (int)(value % a_tile / HT_TILE_NODES);
  return value / a_tile * HT_TILE_NODES + value % HT_TILE_NODES;
}

static uint32_t address_of_value(const cuda_state *state, int64_t value) {
  int q;
  int64_t node = node_of_value(state, value, &q);
  return ht_blocks_address(&state->blocks, state->blocks.place[node], q);
}

/* Returns the address at which a step reads a value. */
static uint32_t read_address(const cuda_state *state, int64_t value) {
  int q;
  int64_t node = node_of_value(state, value, &q);
  return ht_blocks_read_address(state->tables, &state->blocks, node, q);
}

/* The value that a link blends in. */
static int64_t other_value(const ht_wall_link *link) {
  return link->weight < 0 ? link->leaving : link->near_coming;
}

static uint32_t two_halves(float low, float high) {
  return __half_as_ushort(__float2half_rn(low)) | (uint32_t)__half_as_ushort(__float2half_rn(high))
                                                      << 16;
}

/* Link i, in the order of the blocks. */
static ht_slip_link slip_link(const cuda_state *state, int64_t i) {
  const ht_wall_link *link = &state->tables->wall_link[state->blocks.link[i]];
  uint32_t is_after = link->leaving > link->slot;
  return {address_of_value(state, link->slot), read_address(state, link->near_coming),
          two_halves(link->here, link->near), two_halves(link->across, 0) | is_after << 16};
}

/* Returns a link of the node inside. `number`: in the order of the blocks. */
static ht_inner_link inner_link(const cuda_state *state, int64_t number) {
  const ht_wall_link *link = &state->tables->wall_link[state->blocks.link[number]];
  return {(uint32_t)number, read_address(state, other_value(link)), fabsf(link->weight),
          slip_link(state, number)};
}

/* The links of the node inside port node p, in the order of the directions; returns their word. */
static uint32_t list_inner(const cuda_state *state, int64_t p, ht_inner_link to[HT_Q_MOST]) {
  const ht_lattice_tables *tables = state->tables;
  uint32_t word = 0;
  for (int q = 1, count = 0; q < tables->directions; q++) {
    int64_t link = ht_blocks_link(&state->blocks, tables->port_node[p].inner, q);
    if (link < 0) continue;
    to[count++] = inner_link(state, link);
    word |= 1u << q;
  }
  return word;
}

typedef struct {
  uint32_t *word, *first;
  int32_t *tile;
  ht_inner_link *link;
} inner_lists;

/* Returns the tile whose share the node inside takes; -1: none. */
static int32_t inner_tile(const cuda_state *state, int64_t p) {
  int64_t inner = state->tables->port_node[p].inner;
  if (ht_find_port_node(state->tables, inner) >= 0) return -1;
  return ht_blocks_wall_tile(&state->blocks, inner);
}

static void fill_inner(const cuda_state *state, const inner_lists *to, size_t *links) {
  *links = 0;
  for (int64_t p = 0; p < state->tables->port_nodes; p++) {
    to->first[p] = (uint32_t)*links;
    to->word[p] = list_inner(state, p, to->link + *links);
    to->tile[p] = inner_tile(state, p);
    *links += (size_t)__builtin_popcount(to->word[p]);
  }
}

static ht_status send_inner(cuda_state *state, const inner_lists *from, size_t links) {
  size_t ports = (size_t)state->tables->port_nodes;
  HT_TRY(device_alloc(state, (void **)&state->d_inner_word, from->word, ports * sizeof(uint32_t)));
  HT_TRY(
      device_alloc(state, (void **)&state->d_inner_first, from->first, ports * sizeof(uint32_t)));
  HT_TRY(device_alloc(state, (void **)&state->d_inner_tile, from->tile, ports * sizeof(int32_t)));
  HT_TRY(device_alloc(state, &state->d_inner_slip, NULL, links * arithmetic_size(state)));
  state->inner_links = (int64_t)links;
  return device_alloc(state, (void **)&state->d_inner_link, from->link, links * sizeof *from->link);
}

static ht_status place_inner(cuda_state *state) {
  size_t ports = (size_t)state->tables->port_nodes, links = 0;
  size_t most = (ports + 1) * (size_t)state->tables->directions;
  inner_lists to = {};
  ht_status status = ht_alloc((void **)&to.word, ports, sizeof *to.word, "the ports");
  if (status == HT_OK) status = ht_alloc((void **)&to.first, ports, sizeof *to.first, "the ports");
  if (status == HT_OK) status = ht_alloc((void **)&to.tile, ports, sizeof *to.tile, "the ports");
  if (status == HT_OK) status = ht_alloc((void **)&to.link, most, sizeof *to.link, "the ports");
  if (status == HT_OK) {
    fill_inner(state, &to, &links);
    status = send_inner(state, &to, links);
  }
  free(to.word);
  free(to.first);
  free(to.tile);
  free(to.link);
  return status;
}

static ht_status place_shares(cuda_state *state) {
  const int64_t tiles = state->tables->wall_tiles;
  ht_host_array<int32_t> beside;
  ht_host_array<double> part;
  HT_TRY(beside.make(HT_TILE_NEIGHBOURS * tiles, "the interpolated walls"));
  HT_TRY(part.make(tiles + 1, "the interpolated walls"));
  ht_share_fill(state->tables->wall_tile, tiles, beside.data, part.data);
  HT_TRY(device_alloc(state, (void **)&state->d_share_beside, beside.data, beside.bytes()));
  HT_TRY(device_alloc(state, (void **)&state->d_share_part, part.data, part.bytes()));
  for (int k = 0; k < GIVEN_STEPS; k++)
    HT_TRY(device_alloc(state, (void **)&state->d_given[k], NULL,
                        (size_t)(tiles + 1) * sizeof *state->d_given[k]));
  for (int k = 0; k < 2; k++)
    HT_TRY(device_alloc(state, (void **)&state->d_taken[k], NULL,
                        (size_t)tiles * sizeof *state->d_taken[k]));
  return HT_OK;
}

/* Link i, in the order of the blocks. */
static uint2 slip_rule(const cuda_state *state, int64_t i) {
  const ht_wall_link *link = &state->tables->wall_link[state->blocks.link[i]];
  return {two_halves(link->here, link->near), two_halves(link->across, 0)};
}

/* Link, of the type T, by link. */
template <class T>
static ht_status place_links(cuda_state *state, T (*make)(const cuda_state *, int64_t), T **to) {
  size_t links = (size_t)state->tables->wall_links;
  T *link;
  HT_TRY(ht_alloc((void **)&link, links, sizeof *link, "the interpolated walls"));
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < links; i++) link[i] = make(state, (int64_t)i);
  ht_status status = device_alloc(state, (void **)to, link, links * sizeof *link);
  free(link);
  return status;
}

static ht_status place_walls(cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  if (!state->blocks.link) return HT_OK;
  HT_TRY(place_shares(state));
  HT_TRY(place_links(state, slip_rule, &state->d_slip_rule));
  HT_TRY(device_alloc(state, (void **)&state->d_list_tile, state->blocks.list_tile,
                      (size_t)state->blocks.lists * HT_TILE_NODES * sizeof(int32_t)));
  HT_TRY(place_inner(state));
  return device_alloc(state, &state->d_slip, NULL,
                      (size_t)tables->wall_links * arithmetic_size(state));
}

/* Returns the tables of these sums and shares of the walls' mass; none without interpolated
 * walls. */
static ht_share_tables shares_of(const cuda_state *state, const unsigned long long *given_last,
                                 unsigned long long *given_next, double *taken) {
  return {state->d_share_beside,
          state->d_share_part,
          given_last,
          given_next,
          taken,
          state->blocks.link ? state->tables->wall_tiles : 0};
}

/* Returns the walls of a step. */
static ht_device_walls device_walls(const cuda_state *state, int64_t step) {
  return {state->d_slip, state->d_slip_rule, state->d_list_tile, state->d_taken[state->is_up],
          state->d_given[step % GIVEN_STEPS]};
}

static ht_status place_force(cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  size_t bytes = (size_t)state->blocks.blocks * sizeof(uint64_t);
  uint64_t *fluid;
  if (!tables->forced) return HT_OK;
  HT_TRY(ht_alloc((void **)&fluid, (size_t)state->blocks.blocks, sizeof *fluid, "the force"));
  for (int64_t i = 0; i < tables->tiling->tiles * HT_TILE_NODES; i++) {
    uint32_t place = state->blocks.place[i];
    if (place != HT_NO_PLACE) fluid[place >> 6] |= (uint64_t)1 << (place & 63);
  }
  ht_status status = device_alloc(state, (void **)&state->d_fluid, fluid, bytes);
  free(fluid);
  HT_TRY(status);
  return device_alloc(state, (void **)&state->d_acceleration, tables->acceleration,
                      sizeof tables->acceleration);
}

static size_t diagonal_bytes(const cuda_state *state) {
  return (size_t)state->blocks.blocks * 3 * HT_TILE_NODES * arithmetic_size(state);
}

static ht_status place_diagonal(cuda_state *state) {
  const size_t a_list = HT_FORCE_NEIGHBOURS * HT_TILE_NODES * sizeof(uint32_t);
  ht_diagonal_places places;
  if (!state->tables->corrected) return HT_OK;
  HT_TRY(ht_diagonal_places_build(state->tables, &state->blocks, &places));
  ht_status status = device_alloc(state, (void **)&state->d_force_kind, places.kind,
                                  (size_t)state->blocks.blocks * sizeof *places.kind);
  if (status == HT_OK)
    status = device_alloc(state, (void **)&state->d_force_list, places.list,
                          (size_t)places.lists * a_list);
  ht_diagonal_places_free(&places);
  HT_TRY(status);
  for (int k = 0; k < HT_DIAGONAL_STEPS; k++)
    HT_TRY(device_alloc(state, &state->d_square[k], NULL, diagonal_bytes(state)));
  return device_alloc(state, &state->d_force, NULL, diagonal_bytes(state));
}

/* Moves the nodes of a part's edge to the front. Returns their number. */
static int64_t edge_first(const cuda_state *state, ht_sponge_place *all, size_t count) {
  const ht_sponge_place *behind =
      std::stable_partition(all, all + count, [state](const ht_sponge_place &at) {
        return at.place / HT_TILE_NODES < (uint32_t)state->blocks.edge;
      });
  return behind - all;
}

static ht_status place_sponge(cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  size_t count = (size_t)tables->sponge_nodes;
  ht_sponge_place *all;
  if (count == 0) return HT_OK;
  HT_TRY(ht_alloc((void **)&all, count, sizeof *all, "the sponge"));
  for (size_t i = 0; i < count; i++)
    all[i] = {state->blocks.place[tables->sponge_node[i].node], tables->sponge_node[i].keep};
  state->part.sponge_edge = edge_first(state, all, count);
  ht_status status = device_alloc(state, (void **)&state->d_sponge, all, count * sizeof *all);
  free(all);
  return status;
}

static int is_split(const cuda_state *state) {
  return state->portion < state->blocks.blocks;
}

/* The ports' values lie after all blocks of a state, wherever that lies. */
static int64_t place_beside(const cuda_state *state) {
  return state->blocks.blocks + (is_split(state) ? state->shift : 0);
}

/* Number of values of the whole array. */
static size_t all_values(const cuda_state *state) {
  const int64_t beside = state->blocks.beside;
  const int64_t before = beside > 0 ? place_beside(state) : state->blocks.blocks;
  return (size_t)((before + state->shift + beside) * HT_TILE_VALUES(state->tables->directions));
}

static size_t watch_bytes(const cuda_state *state) {
  size_t watched = (size_t)(state->blocks.blocks / state->watched + 1);
  return watched * HT_TILE_NODES * 3 * sizeof(float);
}

/* Chooses the portion, before the tables have any address of a port. */
static ht_status choose_portion(cuda_state *state, int compact) {
  if (state->tables->send && compact)
    return ht_fail(HT_ERR_USAGE, "storage in half the memory does not work on several GPUs");
  ht_blocks_split(&state->blocks, compact, &state->portion, &state->shift);
  state->watched = is_split(state) ? COMPACT_WATCHED : 1;
  if (!is_split(state)) return HT_OK;
  return ht_blocks_move_beside(state->tables->tiling, place_beside(state), &state->blocks);
}

/* A sixteenth of the free memory is left for graphs and programs. */
static ht_status take_values(cuda_state *state, int compact) {
  size_t free_bytes = 0, all_bytes = 0;
  HT_TRY(ht_cuda_check(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for its memory"));
  state->is_too_large =
      !compact && !state->tables->send &&
      all_values(state) * stored_size(state) + watch_bytes(state) > free_bytes - free_bytes / 16;
  if (state->is_too_large)
    return ht_fail(HT_ERR_MEMORY, "two copies of the flow do not fit the GPU's memory");
  HT_TRY(device_alloc(state, &state->d_values, NULL, all_values(state) * stored_size(state)));
  return device_alloc(state, (void **)&state->d_last, NULL, watch_bytes(state));
}

static ht_status make_streams(cuda_state *state) {
  const unsigned asleep = cudaEventBlockingSync | cudaEventDisableTiming;
  cudaError_t error = cudaEventCreateWithFlags(&state->begun, cudaEventDisableTiming);
  if (error == cudaSuccess) error = cudaEventCreateWithFlags(&state->nearly, asleep);
  for (int k = 0; k < 2 && error == cudaSuccess; k++) error = cudaStreamCreate(&state->stream[k]);
  for (int k = 0; k < 4 && error == cudaSuccess; k++)
    error = cudaEventCreateWithFlags(&state->done[k], cudaEventDisableTiming);
  return ht_cuda_check(error, "starting");
}

/* Code compiled for an architecture before 9.0 does not wait for the previous step, on any GPU. */
static ht_status find_overlap(cuda_state *state) {
  cudaFuncAttributes compiled;
  HT_TRY(ht_cuda_check(cudaFuncGetAttributes(&compiled, (const void *)ht_copy_ports<float>),
                       "loading its program"));
  state->overlap = compiled.ptxVersion >= 90;
  return HT_OK;
}

/* The table of relaxation rates of a local model. */
static ht_status take_rate(cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  const void *rows = tables->rate_single;
  size_t size = sizeof(float);
  if (tables->precision == HT_FP64) rows = tables->rate, size = sizeof(double);
  if (rows) HT_TRY(device_alloc(state, &state->d_rate, rows, 4 * size * HT_RELAX_ROWS));
  state->rate = {tables->omega, state->d_rate, {}, {}};
  for (int i = 0; i < HT_CUMULANT_RATES; i++) {
    state->rate.full[i] = tables->cumulant[i];
    state->rate.single[i] = (float)tables->cumulant[i];
  }
  return HT_OK;
}

/* Fills the state. compact: see backend_cuda.cu. HT_ERR_MEMORY with is_too_large: compact may
 * fit. */
static ht_status cuda_fill(cuda_state *state, int compact) {
  const ht_lattice_tables *tables = state->tables;
  ht_blocks *blocks = &state->blocks;
  HT_TRY(find_overlap(state));
  HT_TRY(make_streams(state));
  HT_TRY(ht_blocks_build(tables, tables->precision == HT_FP16, HT_BLOCK_FILL, blocks));
  HT_TRY(choose_portion(state, compact));
  HT_TRY(device_alloc(state, (void **)&state->d_row, blocks->row,
                      (size_t)blocks->blocks * HT_BLOCK_ROW * sizeof(int32_t)));
  HT_TRY(device_alloc(state, (void **)&state->d_exception, blocks->exception,
                      (size_t)blocks->exceptions * sizeof(uint32_t)));
  HT_TRY(device_alloc(state, (void **)&state->d_list, blocks->list,
                      (size_t)(blocks->lists * HT_LIST_VALUES(blocks->directions)) *
                          sizeof(uint32_t)));
  state->d_blocks = {
      state->d_row, state->d_exception, state->d_list, (uint32_t)blocks->blocks, {}, NULL, NULL};
  HT_TRY(take_rate(state));
  HT_TRY(place_ports(state));
  HT_TRY(place_walls(state));
  HT_TRY(place_force(state));
  HT_TRY(place_diagonal(state));
  HT_TRY(place_sponge(state));
  HT_TRY(device_alloc(state, (void **)&state->d_shape, tables->shape,
                      (size_t)tables->shapes * sizeof(double)));
  HT_TRY(ht_cuda_check(ht_drive_window_make(tables, GRAPH_STEPS, &state->window), "taking memory"));
  HT_TRY(take_values(state, compact));
  return device_alloc(state, (void **)&state->d_sums, NULL, 4 * WATCH_BLOCKS * sizeof(double));
}

#endif

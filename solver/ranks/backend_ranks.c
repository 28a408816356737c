/* The backend of several ranks, on rank 0, which runs the program; the others wait for its orders
 * (rank_orders.h). It makes the tables of the whole lattice, gives each rank its part, and drops
 * those of walls. Results do not depend on the number of ranks, bit for bit: sums over nodes are
 * taken here, in the order of the tiles. A checkpoint needs the same number of ranks.
 *
 * Each rank has its own tiles, with the tiles around them as a border, as a lattice of the CPU or
 * the CUDA backend. A step begins with the tiles that others read of; the others are stepped while
 * the values cross. Only this is sent: the values that a neighbour pulls, those that its slip
 * reads, the mass that walls added, the squares of diagonal.h (part_needs.h). A port's node and the
 * node inside of it are in one part.
 *
 * Each rank finds the fields of its own nodes from an image of its part, with the mass at its
 * border from the others (host_image.h, rank_exchange.h); rank 0 takes them slab by slab
 * (leading_values.c). The fields that a run of GPUs keeps are found by the GPUs (cuda_fields.cu),
 * and rank 0 has all of them before the next step. A start is made part by part.
 *
 * GPUs exchange through each other's memory where they can: the blocks that others read of come
 * first (blocks.h); then a stream of higher priority packs the values that cross into the buffers
 * of the peers, waits for theirs and unpacks, while the other blocks are stepped (cuda_part.cu,
 * block_border.cuh). A graph has 16 such steps, so the host does nothing in between. */
#include "solver/ranks/rank_lead.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int in_use[HT_RANK_LATTICES];

/* ---- orders ---- */

/* Collects what all ranks give, rank by rank in state->given. The caller frees state->bytes. */
static ht_status gather(ht_rank_lead *state, ht_rank_task task) {
  size_t size = 0;
  for (int p = 0; p < state->plan.parts; p++) size += ht_rank_given_bytes(&state->counts[p], task);
  HT_TRY(ht_alloc((void **)&state->bytes, size, 1, "the answers of the ranks"));
  char *next = state->bytes;
  for (int p = 0; p < state->plan.parts; p++) {
    state->given[p] = next;
    next += ht_rank_given_bytes(&state->counts[p], task);
    state->at[p] = 0;
  }
  ht_rank_order_all(state, task, 0, 0);
  ht_status status = ht_rank_give(state->own, task, state->given[0]);
  for (int p = 1; p < state->plan.parts; p++)
    if (ht_rank_hear(p, &status) == HT_OK)
      ht_ranks_receive(p, state->given[p], ht_rank_given_bytes(&state->counts[p], task));
  return status;
}

static ht_status gathered(ht_rank_lead *state, ht_status status) {
  free(state->bytes);
  state->bytes = NULL;
  return status;
}

/* The next number that rank p has given. */
static double next_of(ht_rank_lead *state, int p) {
  return ((const double *)state->given[p])[state->at[p]++];
}

/* ---- life ---- */

static void ranks_destroy(void *opaque) {
  ht_rank_lead *state = opaque;
  if (!state) return;
  if (state->lattice >= 0) {
    ht_rank_order_all(state, HT_RANK_DESTROY, 0, 0);
    in_use[state->lattice] = 0;
  }
  ht_rank_part_free(state->own);
  ht_part_plan_free(&state->plan);
  free(state->counts);
  free(state->at);
  free(state->given);
  free(state->node);
  free(state->marked);
  free(state->kept);
  free(state->kept_tile);
  free(state);
}

static ht_status take_number(ht_rank_lead *state) {
  state->lattice = -1;
  for (int i = 0; i < HT_RANK_LATTICES && state->lattice < 0; i++)
    if (!in_use[i]) state->lattice = i;
  if (state->lattice < 0)
    return ht_fail(HT_ERR_INTERNAL, "more than %d lattices at a time", HT_RANK_LATTICES);
  in_use[state->lattice] = 1;
  return HT_OK;
}

static ht_status refuse(const ht_lattice_tables *tables) {
  if (tables->forced)
    return ht_fail(HT_ERR_USAGE, "a body force does not work with several ranks: start hemotile "
                                 "alone, without mpirun");
  return HT_OK;
}

static ht_status write_part(const ht_rank_lead *state, const ht_needs *needs, int p,
                            ht_rank_pipe *pipe) {
  ht_part part;
  HT_TRY(ht_part_build(&state->plan, needs, p, &part));
  state->counts[p] = (ht_rank_counts){part.tables.own_tiles, part.tables.port_nodes};
  ht_state stream = ht_rank_pipe_stream(pipe, 0);
  ht_status status = ht_part_move(&part, &stream);
  ht_part_free(&part);
  return status;
}

/* One part at a time, so that rank 0 never has all of them. A part that was not made has an end,
 * and the rank's answer is its failure. */
static ht_status give_part(const ht_rank_lead *state, const ht_needs *needs, int p, int *given) {
  const ht_rank_order order = {.task = HT_RANK_CREATE, .lattice = state->lattice};
  ht_rank_pipe pipe = ht_rank_pipe_open(p, NULL);
  ht_ranks_send(p, &order, sizeof order);
  *given = p;
  ht_status status = write_part(state, needs, p, &pipe);
  ht_status ended = ht_rank_pipe_end(&pipe);
  ht_rank_pipe_close(&pipe);
  return status == HT_OK ? ended : status;
}

static ht_status keep_part(ht_rank_lead *state, const ht_needs *needs) {
  HT_TRY(ht_alloc((void **)&state->own, 1, sizeof *state->own, "the part of a rank"));
  HT_TRY(ht_part_build(&state->plan, needs, 0, &state->own->part));
  state->counts[0] = ht_rank_counts_of(state->own);
  return ht_rank_part_begin(state->own);
}

/* Ranks of one GPU would take turns on it, slower than one: only on request, for tests. */
static ht_status check_gpus(const ht_rank_made *made, int ranks) {
  if (getenv("HEMOTILE_SHARED_GPU")) return HT_OK;
  for (int p = 1; p < ranks; p++)
    for (int other = 0; other < p; other++)
      if (made[p].identity[0] && strcmp(made[p].identity, made[other].identity) == 0)
        return ht_fail(HT_ERR_DEVICE,
                       "ranks %d and %d have the same GPU, %s on %.*s: start as many ranks on a "
                       "host as it has GPUs, or give --device cpu",
                       other, p, made[p].device, (int)strcspn(made[p].identity, " "),
                       made[p].identity);
  return HT_OK;
}

static ht_status share_out(ht_rank_lead *state, const ht_needs *needs, ht_rank_made *made) {
  int given = 0;
  ht_status status = HT_OK;
  for (int p = 1; p < state->plan.parts && status == HT_OK; p++)
    status = give_part(state, needs, p, &given);
  if (status == HT_OK) status = keep_part(state, needs);
  for (int p = 1; p <= given; p++)
    if (ht_rank_hear(p, &status) == HT_OK) ht_ranks_receive(p, &made[p], sizeof made[p]);
  if (status != HT_OK) return status;
  memcpy(made[0].device, state->own->device, sizeof made[0].device);
  memcpy(made[0].identity, state->own->identity, sizeof made[0].identity);
  return check_gpus(made, state->plan.parts);
}

/* ---- all of it ---- */

/* "CPU, 4 ranks of 1 thread, AVX-512" of "CPU, 1 thread, AVX-512"; "2 GPUs, NVIDIA H200, exchange
 * by peer memory", or "by the host (why)", which is slower. */
static void name_device(const ht_rank_lead *state, char device[128]) {
  const char *own = state->own->device, *rest = strncmp(own, "CPU, ", 5) == 0 ? own + 5 : own;
  if (!state->tables->on_gpu)
    snprintf(device, 128, "CPU, %d ranks of %.96s", state->plan.parts, rest);
  else if (state->by_host[0])
    snprintf(device, 128, "%d GPUs, %.27s, exchange by the host (%.56s)", state->plan.parts, own,
             state->by_host);
  else
    snprintf(device, 128, "%d GPUs, %.80s, exchange by %s", state->plan.parts, own, state->way);
}

static const char *ranks_by_host(const void *state) {
  return ((const ht_rank_lead *)state)->by_host;
}

/* Allocates the arrays with one entry per rank. */
static ht_status alloc_ranks(ht_rank_lead *state, size_t parts) {
  HT_TRY(ht_alloc((void **)&state->counts, parts, sizeof *state->counts, "the ranks"));
  HT_TRY(ht_alloc((void **)&state->at, parts, sizeof *state->at, "the ranks"));
  HT_TRY(ht_alloc((void **)&state->marked, parts, sizeof *state->marked, "the ranks"));
  HT_TRY(ht_alloc((void **)&state->kept_tile, parts, sizeof *state->kept_tile, "the ranks"));
  return ht_alloc((void **)&state->given, parts, sizeof *state->given, "the ranks");
}

static ht_status begin(ht_rank_lead *state, char device[128]) {
  ht_needs needs;
  ht_rank_made *made;
  const int parts = ht_ranks();
  HT_TRY(take_number(state));
  HT_TRY(refuse(state->tables));
  HT_TRY(ht_part_plan_make(state->tables, parts, &state->plan));
  HT_TRY(alloc_ranks(state, (size_t)parts));
  HT_TRY(ht_alloc((void **)&made, (size_t)parts, sizeof *made, "the ranks"));
  ht_status status = ht_needs_find(state->tables, parts, state->plan.part, &needs);
  if (status == HT_OK) {
    status = share_out(state, &needs, made);
    ht_needs_free(&needs);
  }
  if (status == HT_OK) status = ht_rank_link_all(state);
  if (status == HT_OK) name_device(state, device);
  free(made);
  return status;
}

static ht_status ranks_create(const ht_lattice_tables *tables, void **opaque, char device[128]) {
  ht_rank_lead *state = NULL;
  *opaque = NULL;
  HT_TRY(ht_alloc((void **)&state, 1, sizeof *state, "the ranks"));
  state->tables = tables;
  ht_status status = begin(state, device);
  if (status == HT_OK)
    *opaque = state;
  else
    ranks_destroy(state);
  return status;
}

/* ---- steps ---- */

/* Steps per order; bounds the coefficients in one message. */
enum { STEPS_AN_ORDER = 256 };

static ht_status step_some(ht_rank_lead *state, int64_t first, int64_t count) {
  HT_TRY(ht_rank_order_driven(state, HT_RANK_STEP, first, count));
  return ht_rank_hear_all(state, ht_rank_part_step(state->own, first, count));
}

static ht_status ranks_step(void *opaque, int64_t first, int64_t count) {
  while (count > 0) {
    int64_t some = count < STEPS_AN_ORDER ? count : STEPS_AN_ORDER;
    HT_TRY(step_some(opaque, first, some));
    first += some;
    count -= some;
  }
  return HT_OK;
}

static ht_status ranks_watch(void *opaque, ht_backend_change *change) {
  ht_rank_lead *state = opaque;
  const int64_t tiles = state->tables->tiling->tiles;
  ht_backend_change *of_tile;
  HT_TRY(ht_alloc((void **)&of_tile, (size_t)tiles, sizeof *of_tile, "the change of the flow"));
  ht_status status = gather(state, HT_RANK_WATCH);
  for (int64_t t = 0; t < tiles && status == HT_OK; t++) {
    int p = state->plan.part[t];
    of_tile[t] = ((const ht_backend_change *)state->given[p])[state->plan.local[t]];
  }
  if (status == HT_OK) ht_change_sum(of_tile, tiles, change);
  free(of_tile);
  return gathered(state, status);
}

/* ---- ports ---- */

static ht_status ranks_port_flow(void *opaque, double *flow) {
  ht_rank_lead *state = opaque;
  ht_status status = gather(state, HT_RANK_PORT_FLOW);
  for (int64_t i = 0; i < state->tables->port_nodes && status == HT_OK; i++)
    flow[i] = next_of(state, ht_rank_of_node(state, state->tables->port_node[i].node));
  return gathered(state, status);
}

/* The port nodes of part p, with the numbers of that part. */
static void list_ports(const ht_rank_lead *state, int p, ht_port_node *to) {
  const ht_lattice_tables *tables = state->tables;
  for (int64_t i = 0; i < tables->port_nodes; i++) {
    ht_port_node node = tables->port_node[i];
    if (ht_rank_of_node(state, node.node) != p) continue;
    node.node = ht_node_of_rank(state, node.node);
    node.inner = ht_node_of_rank(state, node.inner);
    *to++ = node;
  }
}

static ht_status ranks_reload_ports(void *opaque) {
  ht_rank_lead *state = opaque;
  const ht_lattice_tables *tables = state->tables;
  const size_t shapes = (size_t)tables->shapes * sizeof(double);
  ht_port_node *nodes;
  HT_TRY(ht_alloc((void **)&nodes, (size_t)tables->port_nodes, sizeof *nodes, "the ports"));
  ht_rank_order_all(state, HT_RANK_RELOAD, 0, 0);
  for (int p = 1; p < state->plan.parts; p++) {
    list_ports(state, p, nodes);
    ht_ranks_send(p, nodes, (size_t)state->counts[p].port_nodes * sizeof *nodes);
    ht_ranks_send(p, tables->shape, shapes);
  }
  free(nodes);
  list_ports(state, 0, state->own->part.tables.port_node);
  if (shapes > 0) memcpy(state->own->part.tables.shape, tables->shape, shapes);
  return ht_rank_hear_all(state, ht_rank_reload(state->own));
}

static ht_status no_force(void *opaque) {
  (void)opaque;
  return ht_fail(HT_ERR_INTERNAL, "a body force, with several ranks");
}

static ht_status no_momentum(void *opaque, double momentum[3]) {
  (void)opaque;
  memset(momentum, 0, 3 * sizeof *momentum);
  return ht_fail(HT_ERR_USAGE, "the momentum of the fluid is not summed up over several ranks: "
                               "start hemotile alone, without mpirun");
}

static void ranks_measure_cost(const void *opaque, ht_lattice_cost *cost) {
  ht_rank_lead *state = (ht_rank_lead *)opaque; /* its room for answers */
  *cost = (ht_lattice_cost){.bytes = 0};
  if (gather(state, HT_RANK_COST) == HT_OK)
    for (int p = 0; p < state->plan.parts; p++) {
      const ht_lattice_cost *of = (const ht_lattice_cost *)state->given[p];
      cost->bytes += of->bytes;
      cost->crossing_bytes += of->crossing_bytes;
    }
  gathered(state, HT_OK);
}

#define HT_RANKS_SLOTS                                                                             \
  .create = ranks_create, .destroy = ranks_destroy, .step = ranks_step, .watch = ranks_watch,      \
  .port_flow = ranks_port_flow, .reload_ports = ranks_reload_ports, .reload_force = no_force,      \
  .momentum = no_momentum, .visit = ht_lead_visit, .fill = ht_lead_fill, .mark = ht_lead_mark,     \
  .read_marked = ht_lead_read, .transfer = ht_lead_transfer, .measure_cost = ranks_measure_cost,   \
  .by_host = ranks_by_host, .drops_walls = 1

const ht_backend ht_backend_ranks = {HT_RANKS_SLOTS};
const ht_backend ht_backend_gpu_ranks = {HT_RANKS_SLOTS, .keep = ht_lead_keep,
                                         .show = ht_lead_show};

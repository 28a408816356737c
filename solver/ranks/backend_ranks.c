/* The backend of several ranks, on rank 0: it cuts the lattice into parts, keeps one itself and
 * gives the others away, and asks for what the lattice wants to know. What it gives does not depend
 * on the number of ranks, bit for bit. */
#include "rank_lead.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int in_use[HT_RANK_LATTICES];

/* ---- orders ---- */

/* What all ranks give, rank by rank in state->given. The caller frees state->bytes. */
static ht_status gather(ht_rank_lead *state, ht_rank_task task) {
  size_t size = 0;
  for (int p = 0; p < state->plan.parts; p++)
    size += ht_rank_given_bytes(state->tables, &state->counts[p], task);
  HT_TRY(ht_alloc((void **)&state->bytes, size, 1, "what the ranks give"));
  char *next = state->bytes;
  for (int p = 0; p < state->plan.parts; p++) {
    state->given[p] = next;
    next += ht_rank_given_bytes(state->tables, &state->counts[p], task);
    state->at[p] = 0;
  }
  ht_rank_order_all(state, task, 0, 0);
  ht_status status = ht_rank_give(state->own, task, state->given[0]);
  for (int p = 1; p < state->plan.parts; p++)
    if (ht_rank_hear(p, &status) == HT_OK)
      ht_ranks_receive(p, state->given[p],
                       ht_rank_given_bytes(state->tables, &state->counts[p], task));
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

static int part_of_node(const ht_rank_lead *state, int64_t node) {
  return state->plan.part[node / HT_TILE_NODES];
}

static int part_of_value(const ht_rank_lead *state, int64_t value) {
  return state->plan.part[value / HT_TILE_VALUES(state->tables->directions)];
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
                            ht_rank_buffer *buffer) {
  ht_part part;
  HT_TRY(ht_part_build(&state->plan, needs, p, &part));
  const ht_lattice_tables *made = &part.tables;
  state->counts[p] = (ht_rank_counts){made->own_tiles, made->port_nodes, made->wall_links, 0};
  ht_state stream = ht_rank_buffer_stream(buffer, 0);
  ht_status status = ht_part_move(&part, &stream);
  ht_part_free(&part);
  return status;
}

/* One part at a time, so that rank 0 never has all of them. */
static ht_status give_part(const ht_rank_lead *state, const ht_needs *needs, int p, int *given) {
  const ht_rank_order order = {.task = HT_RANK_CREATE, .lattice = state->lattice};
  ht_rank_buffer buffer = {NULL, 0, 0, 0};
  ht_status status = write_part(state, needs, p, &buffer);
  if (status == HT_OK) {
    ht_ranks_send(p, &order, sizeof order);
    ht_rank_buffer_send(p, &buffer);
    *given = p;
  }
  ht_rank_buffer_free(&buffer);
  return status;
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
 * by peer memory". */
static void name_device(const ht_rank_lead *state, char device[128]) {
  const char *own = state->own->device, *rest = strncmp(own, "CPU, ", 5) == 0 ? own + 5 : own;
  if (state->tables->on_gpu)
    snprintf(device, 128, "%d GPUs, %.80s, exchange by %s", state->plan.parts, own, state->way);
  else
    snprintf(device, 128, "CPU, %d ranks of %.96s", state->plan.parts, rest);
}

/* As many as ranks. */
static ht_status alloc_ranks(ht_rank_lead *state, size_t parts) {
  HT_TRY(ht_alloc((void **)&state->counts, parts, sizeof *state->counts, "the ranks"));
  HT_TRY(ht_alloc((void **)&state->at, parts, sizeof *state->at, "the ranks"));
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

/* Steps at a time: so many coefficients are sent. */
enum { STEPS_AN_ORDER = 256 };

static ht_status step_some(ht_rank_lead *state, int64_t first, int64_t count) {
  ht_rank_part *own = state->own;
  const size_t columns = (size_t)state->tables->columns - 1;
  HT_TRY(ht_rank_part_room(own, count));
  for (int64_t s = 0; s < count && columns > 0; s++)
    state->tables->drive(state->tables->drive_user, first + s,
                         own->coefficient + s * (int64_t)columns);
  ht_rank_order_all(state, HT_RANK_STEP, first, count);
  for (int p = 1; p < state->plan.parts; p++)
    ht_ranks_send(p, own->coefficient, (size_t)count * columns * sizeof(double));
  return ht_rank_hear_all(state, ht_rank_part_step(own, first, count));
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
    flow[i] = next_of(state, part_of_node(state, state->tables->port_node[i].node));
  return gathered(state, status);
}

/* The port nodes of part p, with the numbers of that part. */
static void list_ports(const ht_rank_lead *state, int p, ht_port_node *to) {
  const ht_lattice_tables *tables = state->tables;
  for (int64_t i = 0; i < tables->port_nodes; i++) {
    ht_port_node node = tables->port_node[i];
    if (part_of_node(state, node.node) != p) continue;
    node.node = HT_TILE_NODES * (int64_t)state->plan.local[node.node / HT_TILE_NODES] +
                node.node % HT_TILE_NODES;
    node.inner = HT_TILE_NODES * (int64_t)state->plan.local[node.inner / HT_TILE_NODES] +
                 node.inner % HT_TILE_NODES;
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

/* ---- values ---- */

/* The most tiles of a part; of this rank's own with its border. */
static int64_t most_tiles(const ht_rank_lead *state) {
  int64_t most = state->own->part.tiling.tiles;
  for (int p = 0; p < state->plan.parts; p++)
    if (state->counts[p].tiles > most) most = state->counts[p].tiles;
  return most;
}

static void spread_tiles(const ht_rank_lead *state, const char *from, int p, char *values) {
  const size_t size = ht_rank_tile_bytes(state->tables);
  for (int64_t t = 0; t < state->tables->tiling->tiles; t++)
    if (state->plan.part[t] == p)
      memcpy(values + (size_t)t * size, from + (size_t)state->plan.local[t] * size, size);
}

/* Part by part, so that there is no second copy of the whole. */
static ht_status ranks_download(void *opaque, void *values) {
  ht_rank_lead *state = opaque;
  const size_t size = ht_rank_tile_bytes(state->tables);
  char *part;
  HT_TRY(ht_alloc((void **)&part, (size_t)most_tiles(state), size, "the values of a rank"));
  ht_rank_order_all(state, HT_RANK_DOWNLOAD, 0, 0);
  ht_status status = ht_rank_give(state->own, HT_RANK_DOWNLOAD, part);
  if (status == HT_OK) spread_tiles(state, part, 0, values);
  for (int p = 1; p < state->plan.parts; p++) {
    if (ht_rank_hear(p, &status) != HT_OK) continue;
    ht_ranks_receive(p, part, (size_t)state->counts[p].tiles * size);
    spread_tiles(state, part, p, values);
  }
  free(part);
  return status;
}

static void collect_tiles(const ht_rank_lead *state, const char *values, int p, char *to) {
  const size_t size = ht_rank_tile_bytes(state->tables);
  for (int64_t t = 0; t < state->tables->tiling->tiles; t++)
    if (state->plan.part[t] == p)
      memcpy(to + (size_t)state->plan.local[t] * size, values + (size_t)t * size, size);
}

/* This rank's own part comes last, with zeros for its border. */
static ht_status ranks_upload(void *opaque, const void *values) {
  ht_rank_lead *state = opaque;
  const size_t size = ht_rank_tile_bytes(state->tables), most = (size_t)most_tiles(state);
  char *part;
  HT_TRY(ht_alloc((void **)&part, most, size, "the values of a rank"));
  ht_rank_order_all(state, HT_RANK_UPLOAD, 0, 0);
  for (int p = state->plan.parts - 1; p > 0; p--) {
    collect_tiles(state, values, p, part);
    ht_ranks_send(p, part, (size_t)state->counts[p].tiles * size);
  }
  memset(part, 0, most * size);
  collect_tiles(state, values, 0, part);
  ht_status status = ht_rank_hear_all(state, ht_rank_upload(state->own, part));
  free(part);
  return status;
}

static ht_status ranks_slip(void *opaque, double *slip) {
  ht_rank_lead *state = opaque;
  ht_status status = gather(state, HT_RANK_SLIP);
  for (int64_t i = 0; i < state->tables->wall_links && status == HT_OK; i++)
    slip[i] = next_of(state, part_of_value(state, state->tables->wall_link[i].slot));
  return gathered(state, status);
}

/* ---- marked nodes ---- */

static int part_of_link(const ht_rank_lead *state, int64_t link) {
  return part_of_value(state, state->tables->wall_link[link].slot);
}

/* The marked values of part p, with its numbers; local_link: [wall_links]. */
static void list_marked(const ht_rank_lead *state, const ht_marked_values *marked, int p,
                        const int64_t *local_link, ht_marked_values *to) {
  const int64_t a_tile = HT_TILE_VALUES(state->tables->directions);
  to->values = to->links = 0;
  for (int64_t i = 0; i < marked->values; i++) {
    int64_t place = marked->place[i];
    if (part_of_value(state, place) == p)
      to->place[to->values++] = a_tile * state->plan.local[place / a_tile] + place % a_tile;
  }
  for (int64_t i = 0; i < marked->links; i++)
    if (part_of_link(state, marked->link[i]) == p)
      to->link[to->links++] = local_link[marked->link[i]];
}

static ht_status alloc_marked(const ht_marked_values *like, ht_marked_values *made) {
  HT_TRY(ht_alloc((void **)&made->place, (size_t)like->values, sizeof(int64_t), "marked nodes"));
  return ht_alloc((void **)&made->link, (size_t)like->links, sizeof(int64_t), "marked nodes");
}

static void free_marked(ht_marked_values *marked) {
  free(marked->place);
  free(marked->link);
}

static void send_marked(const ht_rank_lead *state, int p, const ht_marked_values *list) {
  const ht_rank_order order = {HT_RANK_MARK, state->lattice, list->values, list->links};
  ht_ranks_send(p, &order, sizeof order);
  ht_ranks_send(p, list->place, (size_t)list->values * sizeof *list->place);
  ht_ranks_send(p, list->link, (size_t)list->links * sizeof *list->link);
}

static ht_status number_links(const ht_rank_lead *state, int64_t **local_link) {
  HT_TRY(ht_alloc((void **)local_link, (size_t)state->tables->wall_links, sizeof **local_link,
                  "marked nodes"));
  memset(state->at, 0, (size_t)state->plan.parts * sizeof *state->at);
  for (int64_t i = 0; i < state->tables->wall_links; i++)
    (*local_link)[i] = state->at[part_of_link(state, i)]++;
  return HT_OK;
}

static ht_status ranks_mark(void *opaque, const ht_marked_values *marked) {
  ht_rank_lead *state = opaque;
  ht_marked_values list = {0, 0, NULL, NULL}, own = list;
  int64_t *local_link = NULL;
  ht_status status = HT_OK;
  HT_TRY_DONE(number_links(state, &local_link));
  HT_TRY_DONE(alloc_marked(marked, &list));
  HT_TRY_DONE(alloc_marked(marked, &own));
  for (int p = 0; p < state->plan.parts; p++) {
    ht_marked_values *of = p == 0 ? &own : &list;
    list_marked(state, marked, p, local_link, of);
    state->counts[p].marked = of->values + of->links;
    if (p > 0) send_marked(state, p, of);
  }
  status = ht_rank_hear_all(state, ht_rank_mark(state->own, &own));
  own = (ht_marked_values){0, 0, NULL, NULL};
  state->marked = marked;
done:
  free(local_link);
  free_marked(&list);
  free_marked(&own);
  return status;
}

/* Each rank gives its values, then its slips: both in the order of the list. */
static ht_status ranks_read_marked(void *opaque, double *values) {
  ht_rank_lead *state = opaque;
  const ht_marked_values *marked = state->marked;
  ht_status status = gather(state, HT_RANK_MARKED);
  for (int64_t i = 0; i < marked->values && status == HT_OK; i++)
    values[i] = next_of(state, part_of_value(state, marked->place[i]));
  for (int64_t i = 0; i < marked->links && status == HT_OK; i++)
    values[marked->values + i] = next_of(state, part_of_link(state, marked->link[i]));
  return gathered(state, status);
}

/* ---- the whole state ---- */

static ht_status move_buffer(ht_rank_buffer *buffer, ht_state *stream) {
  int64_t size = (int64_t)buffer->size;
  HT_TRY(ht_state_count(stream, &size, 0, INT64_MAX));
  if (stream->is_loading) {
    HT_TRY(ht_alloc((void **)&buffer->bytes, (size_t)size, 1, "the state of a rank"));
    buffer->size = (size_t)size;
  }
  return ht_state_bytes(stream, buffer->bytes, (size_t)size);
}

static ht_status save_rank(ht_rank_lead *state, int p, ht_rank_buffer *buffer) {
  const ht_rank_order order = {.task = HT_RANK_SAVE, .lattice = state->lattice};
  ht_status status = HT_OK;
  if (p == 0) return ht_rank_transfer(state->own, buffer, 0);
  ht_ranks_send(p, &order, sizeof order);
  if (ht_rank_hear(p, &status) == HT_OK) ht_rank_buffer_receive(p, buffer);
  return status;
}

static ht_status load_rank(ht_rank_lead *state, int p, ht_rank_buffer *buffer) {
  const ht_rank_order order = {.task = HT_RANK_LOAD, .lattice = state->lattice};
  ht_status status = HT_OK;
  if (p == 0) return ht_rank_transfer(state->own, buffer, 1);
  ht_ranks_send(p, &order, sizeof order);
  ht_rank_buffer_send(p, buffer);
  ht_rank_hear(p, &status);
  return status;
}

/* Rank by rank. A rank's own state has its border in it. */
static ht_status ranks_transfer(void *opaque, ht_state *stream) {
  ht_rank_lead *state = opaque;
  int parts = state->plan.parts;
  HT_TRY(ht_state_part(stream, "ranks"));
  HT_TRY(ht_state_int(stream, &parts, parts, parts));
  for (int p = 0; p < parts; p++) {
    ht_rank_buffer buffer = {NULL, 0, 0, 0};
    ht_status status = stream->is_loading ? HT_OK : save_rank(state, p, &buffer);
    if (status == HT_OK) status = move_buffer(&buffer, stream);
    if (status == HT_OK && stream->is_loading) status = load_rank(state, p, &buffer);
    ht_rank_buffer_free(&buffer);
    HT_TRY(status);
  }
  return HT_OK;
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

const ht_backend ht_backend_ranks = {.create = ranks_create,
                                     .destroy = ranks_destroy,
                                     .step = ranks_step,
                                     .watch = ranks_watch,
                                     .port_flow = ranks_port_flow,
                                     .reload_ports = ranks_reload_ports,
                                     .reload_force = no_force,
                                     .momentum = no_momentum,
                                     .download_slip = ranks_slip,
                                     .mark = ranks_mark,
                                     .read_marked = ranks_read_marked,
                                     .download = ranks_download,
                                     .upload = ranks_upload,
                                     .transfer = ranks_transfer,
                                     .measure_cost = ranks_measure_cost};

#define _POSIX_C_SOURCE 200809L /* kill */
#include "solver/ranks/rank_lead.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ht_rank_order_all(const ht_rank_lead *state, ht_rank_task task, int64_t first, int64_t count) {
  const ht_rank_order order = {(int32_t)task, state->lattice, first, count, 0};
  for (int p = 1; p < state->plan.parts; p++) ht_ranks_send(p, &order, sizeof order);
}

ht_status ht_rank_order_driven(const ht_rank_lead *state, ht_rank_task task, int64_t first,
                               int64_t count) {
  const ht_lattice_tables *tables = state->tables;
  const size_t columns = (size_t)tables->columns - 1;
  HT_TRY(ht_rank_part_room(state->own, count));
  double *coefficient = state->own->coefficient;
  for (int64_t s = 0; s < count && columns > 0; s++)
    tables->drive(tables->drive_user, first + s, coefficient + s * (int64_t)columns);
  ht_rank_order_all(state, task, first, count);
  for (int p = 1; p < state->plan.parts; p++)
    ht_ranks_send(p, coefficient, (size_t)count * columns * sizeof *coefficient);
  return HT_OK;
}

/* A signal to another rank is one to this rank, and treated as that. */
static void take_signal(const ht_rank_answer *said) {
  static int is_taken;
  if (said->asked_to_stop && !is_taken) is_taken = kill(getpid(), SIGTERM) == 0;
}

ht_status ht_rank_hear(int p, ht_status *status) {
  ht_rank_answer said;
  ht_ranks_receive(p, &said, sizeof said);
  said.message[HT_RANK_MESSAGE - 1] = 0;
  take_signal(&said);
  if (said.status != HT_OK && *status == HT_OK)
    *status = ht_fail((ht_status)said.status, "rank %d: %s", p, said.message);
  return (ht_status)said.status;
}

ht_status ht_rank_hear_all(const ht_rank_lead *state, ht_status status) {
  for (int p = 1; p < state->plan.parts; p++) ht_rank_hear(p, &status);
  return status;
}

int ht_rank_of_node(const ht_rank_lead *state, int64_t node) {
  return state->plan.part[node / HT_TILE_NODES];
}

int64_t ht_node_of_rank(const ht_rank_lead *state, int64_t node) {
  return HT_TILE_NODES * (int64_t)state->plan.local[node / HT_TILE_NODES] + node % HT_TILE_NODES;
}

/* ---- how GPUs exchange ---- */

/* A failure on one rank undoes it on all. */
static ht_status take_back(ht_rank_lead *state, ht_status status) {
  if (status == HT_OK) return HT_OK;
  ht_rank_order_all(state, HT_RANK_UNLINK, 0, 0);
  ht_rank_part_unlink(state->own);
  ht_rank_hear_all(state, HT_OK);
  return status;
}

static ht_status link_peers(ht_rank_lead *state) {
  ht_rank_order_all(state, HT_RANK_LINK, 0, 0);
  return take_back(state, ht_rank_hear_all(state, ht_rank_part_link(state->own)));
}

static ht_status join_all(ht_rank_lead *state) {
  ht_offer name;
  ht_rank_order_all(state, HT_RANK_ASK, 0, 0);
  HT_TRY(ht_rank_hear_all(state, state->own->backend->name(NULL)));
  HT_TRY(state->own->backend->name(&name));
  ht_rank_order_all(state, HT_RANK_JOIN, 0, 0);
  for (int p = 1; p < state->plan.parts; p++) ht_ranks_send(p, &name, sizeof name);
  return take_back(state, ht_rank_hear_all(state, ht_rank_part_join(state->own, &name)));
}

/* Returns the number of the requested way; -1: another word. */
static int find_way(const char *asked) {
  static const char *const word[] = {"peer", "nccl", "host"};
  for (int i = 0; i < 3; i++)
    if (strcmp(word[i], asked) == 0) return i;
  return -1;
}

static ht_status go_by_host(ht_rank_lead *state, const char *why) {
  snprintf(state->by_host, sizeof state->by_host, "%.95s", why);
  return HT_OK;
}

ht_status ht_rank_link_all(ht_rank_lead *state) {
  enum { PEER, NCCL, HOST };
  const char *asked = getenv("HEMOTILE_EXCHANGE");
  const int way = asked ? find_way(asked) : PEER;
  if (!state->tables->on_gpu) return HT_OK;
  if (way == HOST) return go_by_host(state, "HEMOTILE_EXCHANGE=host");
  if (way < 0)
    return ht_fail(HT_ERR_USAGE, "HEMOTILE_EXCHANGE is '%.40s'; allowed is peer, nccl or host",
                   asked);
  ht_status status = way == PEER ? link_peers(state) : join_all(state);
  if (status != HT_OK) return asked ? status : go_by_host(state, ht_error_message());
  state->way = way == PEER ? "peer memory" : "NCCL";
  return HT_OK;
}

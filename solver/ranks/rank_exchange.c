#include "solver/ranks/rank_exchange.h"
#include "core/mpi/ranks.h"
#include <stdlib.h>
#include <string.h>

static void *room(size_t count, size_t size) {
  void *made;
  if (ht_alloc(&made, count, size, "the values of a rank") != HT_OK)
    ht_ranks_abort(HT_ERR_MEMORY); /* the others wait */
  return made;
}

/* Values of one kind that cross. */
typedef struct {
  ht_cross_kind kind;
  size_t size; /* of each, bytes */
  char *values;
} crossing;

/* Moves what is sent to a peer from the values to a buffer (NULL: only counts it), or what is
 * received from it from the buffer to the values. Returns the bytes. */
static size_t move_values(const ht_part *part, int p, const crossing *of, char *buffer,
                          int is_received) {
  const ht_part_peer *peer = &part->peer[p];
  const ht_border *border = is_received ? &part->receive : &part->send;
  const int64_t begin = is_received ? peer->receive : peer->send;
  const int64_t end = begin + (is_received ? peer->receive_size : peer->send_size);
  size_t at = 0;
  for (int s = 0; s < border->sections; s++) {
    const ht_border_section *section = &border->section[s];
    if (section->kind != of->kind || section->offset < begin || section->offset >= end) continue;
    for (int64_t i = section->first; buffer && i < section->first + section->count; i++) {
      char *value = of->values + (size_t)border->place[i] * of->size;
      char *other = buffer + at + (size_t)(i - section->first) * of->size;
      memcpy(is_received ? value : other, is_received ? other : value, of->size);
    }
    at += (size_t)section->count * of->size;
  }
  return at;
}

void ht_rank_exchange(void *part_of, ht_cross_kind kind, void *values) {
  const ht_part *part = part_of;
  const int is_double = kind == HT_CROSS_MASS || part->tables.precision == HT_FP64;
  const crossing of = {kind, is_double ? sizeof(double) : sizeof(float), values};
  const int peers = (int)part->peers;
  ht_ranks_peer *peer = room((size_t)peers, sizeof *peer);
  for (int i = 0; i < peers; i++) {
    peer[i] = (ht_ranks_peer){.rank = part->peer[i].rank};
    peer[i].send_size = move_values(part, i, &of, NULL, 0);
    peer[i].receive_size = move_values(part, i, &of, NULL, 1);
    peer[i].send = room(peer[i].send_size, 1);
    peer[i].receive = room(peer[i].receive_size, 1);
    move_values(part, i, &of, peer[i].send, 0);
  }
  ht_ranks_exchange_begin(peer, peers);
  ht_ranks_exchange_end();
  for (int i = 0; i < peers; i++) {
    move_values(part, i, &of, peer[i].receive, 1);
    free(peer[i].send);
    free(peer[i].receive);
  }
  free(peer);
}

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

/* Moves the places with offsets in [begin, begin + length) of the sections: from the values to a
 * buffer (NULL: only counts them), or from the buffer to the values. Returns the bytes. */
static size_t move_sections(const ht_border *border, int64_t begin, int64_t length,
                            const crossing *of, char *buffer, int is_taken) {
  size_t at = 0;
  for (int s = 0; s < border->sections; s++) {
    const ht_border_section *section = &border->section[s];
    if (section->kind != of->kind || section->offset < begin || section->offset >= begin + length)
      continue;
    for (int64_t i = section->first; buffer && i < section->first + section->count; i++) {
      char *value = of->values + (size_t)border->place[i] * of->size;
      char *other = buffer + at + (size_t)(i - section->first) * of->size;
      memcpy(is_taken ? value : other, is_taken ? other : value, of->size);
    }
    at += (size_t)section->count * of->size;
  }
  return at;
}

static size_t send_sections(const ht_part *part, int peer, const crossing *of, char *buffer) {
  const ht_part_peer *to = &part->peer[peer];
  return move_sections(&part->send, to->send, to->send_size, of, buffer, 0);
}

static size_t receive_sections(const ht_part *part, int peer, const crossing *of, char *buffer) {
  const ht_part_peer *from = &part->peer[peer];
  return move_sections(&part->receive, from->receive, from->receive_size, of, buffer, 1);
}

void ht_rank_exchange(void *part_of, ht_cross_kind kind, void *values) {
  const ht_part *part = part_of;
  const int is_double = kind == HT_CROSS_MASS || part->tables.precision == HT_FP64;
  const crossing of = {kind, is_double ? sizeof(double) : sizeof(float), values};
  const int peers = (int)part->peers;
  ht_ranks_peer *peer = room((size_t)peers, sizeof *peer);
  for (int i = 0; i < peers; i++) {
    peer[i] = (ht_ranks_peer){.rank = part->peer[i].rank};
    peer[i].send_size = send_sections(part, i, &of, NULL);
    peer[i].receive_size = receive_sections(part, i, &of, NULL);
    peer[i].send = room(peer[i].send_size, 1);
    peer[i].receive = room(peer[i].receive_size, 1);
    send_sections(part, i, &of, peer[i].send);
  }
  ht_ranks_exchange_begin(peer, peers);
  ht_ranks_exchange_end();
  for (int i = 0; i < peers; i++) {
    receive_sections(part, i, &of, peer[i].receive);
    free(peer[i].send);
    free(peer[i].receive);
  }
  free(peer);
}

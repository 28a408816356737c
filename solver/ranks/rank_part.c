#include "solver/ranks/rank_part.h"
#include "solver/ranks/rank_exchange.h"
#include <stdlib.h>
#include <string.h>

static const char *const what = "the part of a rank";

/* The coefficients that rank 0 has sent. A backend also asks for steps that it does not do. */
static void look_up(void *user, int64_t step, double *coefficient) {
  const ht_rank_part *work = user;
  const int64_t columns = work->part.tables.columns - 1, last = work->steps - 1;
  const int64_t row = step - work->first_step < last ? step - work->first_step : last;
  memcpy(coefficient, work->coefficient + row * columns, (size_t)columns * sizeof *coefficient);
}

static ht_status make_buffers(ht_rank_part *work) {
  const ht_part *part = &work->part;
  HT_TRY(ht_alloc((void **)&work->sent, (size_t)part->send.bytes, 1, what));
  HT_TRY(ht_alloc((void **)&work->received, (size_t)part->receive.bytes, 1, what));
  HT_TRY(ht_alloc((void **)&work->peer, (size_t)part->peers, sizeof *work->peer, what));
  for (int64_t i = 0; i < part->peers; i++) {
    const ht_part_peer *peer = &part->peer[i];
    work->peer[i] = (ht_ranks_peer){.rank = peer->rank,
                                    .send = work->sent + peer->send,
                                    .send_size = (size_t)peer->send_size,
                                    .receive = work->received + peer->receive,
                                    .receive_size = (size_t)peer->receive_size};
  }
  return HT_OK;
}

/* Chooses the backend. On a host with several ranks each has the next of its GPUs. */
static ht_status choose_backend(ht_rank_part *work) {
  const int on_gpu = work->part.tables.on_gpu, gpus = on_gpu ? ht_cuda_count() : 0;
  work->backend = on_gpu ? &ht_backend_cuda : &ht_backend_cpu;
  if (gpus == 0) return HT_OK; /* create() says why */
  HT_TRY(ht_cuda_use(ht_ranks_local() % gpus));
  return ht_cuda_identify(work->identity);
}

ht_status ht_rank_part_begin(ht_rank_part *work) {
  ht_lattice_tables *tables = &work->part.tables;
  tables->tiling = &work->part.tiling; /* it may have been copied */
  tables->send = &work->part.send;
  tables->drive = look_up;
  tables->drive_user = work;
  HT_TRY(choose_backend(work));
  HT_TRY(make_buffers(work));
  HT_TRY(work->backend->create(tables, &work->state, work->device));
  ht_host_image *image = work->state;
  image->exchange = ht_rank_exchange;
  image->user = &work->part;
  return work->backend->border(work->state, &work->part.send, &work->part.receive, work->part.peer,
                               work->part.peers);
}

void ht_rank_part_free(ht_rank_part *work) {
  if (!work) return;
  if (work->is_linked) ht_rank_part_unlink(work);
  if (work->state) work->backend->destroy(work->state);
  free(work->sent);
  free(work->received);
  free(work->peer);
  free(work->coefficient);
  free(work->piece);
  ht_part_free(&work->part);
  free(work);
}

/* ---- exchange without the hosts ---- */

/* Exchanges offers with the peers, through their hosts. */
static void exchange_offers(const ht_rank_part *work, const ht_offer *out, ht_offer *in,
                            ht_ranks_peer *peer) {
  for (int64_t i = 0; i < work->part.peers; i++)
    peer[i] = (ht_ranks_peer){.rank = work->part.peer[i].rank,
                              .send = (void *)&out[i],
                              .send_size = sizeof out[i],
                              .receive = &in[i],
                              .receive_size = sizeof in[i]};
  ht_ranks_exchange_begin(peer, (int)work->part.peers);
  ht_ranks_exchange_end();
}

ht_status ht_rank_part_link(ht_rank_part *work) {
  const size_t peers = (size_t)work->part.peers;
  ht_offer *out = NULL, *in = NULL;
  ht_ranks_peer *peer = NULL;
  if (ht_alloc((void **)&out, peers, sizeof *out, what) != HT_OK ||
      ht_alloc((void **)&in, peers, sizeof *in, what) != HT_OK ||
      ht_alloc((void **)&peer, peers, sizeof *peer, what) != HT_OK)
    ht_ranks_abort(HT_ERR_MEMORY); /* the others wait */
  ht_status status = work->backend->offer(work->state, out);
  exchange_offers(work, out, in, peer);
  if (status == HT_OK) status = work->backend->link(work->state, in);
  work->is_linked = status == HT_OK;
  free(out);
  free(in);
  free(peer);
  return status;
}

ht_status ht_rank_part_join(ht_rank_part *work, const ht_offer *name) {
  ht_status status = work->backend->join(work->state, name, ht_rank(), ht_ranks());
  work->is_linked = status == HT_OK;
  return status;
}

/* Memory that a peer has open is not given back: all wait for each other. */
void ht_rank_part_unlink(ht_rank_part *work) {
  if (work->is_linked) work->backend->unlink(work->state);
  work->is_linked = 0;
  ht_ranks_exchange_begin(work->peer, (int)work->part.peers);
  ht_ranks_exchange_end();
}

ht_status ht_rank_part_room(ht_rank_part *work, int64_t steps) {
  int64_t values = steps * (work->part.tables.columns - 1);
  if (values <= work->coefficient_room) return HT_OK;
  free(work->coefficient);
  work->coefficient_room = 0;
  HT_TRY(ht_alloc((void **)&work->coefficient, (size_t)values, sizeof(double), "the ports"));
  work->coefficient_room = values;
  return HT_OK;
}

ht_status ht_rank_part_exchange(ht_rank_part *work) {
  if (work->is_linked) return work->backend->exchange(work->state);
  ht_status status = work->backend->pack(work->state, work->sent);
  ht_ranks_exchange_begin(work->peer, (int)work->part.peers);
  ht_ranks_exchange_end();
  return status == HT_OK ? work->backend->unpack(work->state, work->received) : status;
}

ht_status ht_rank_part_fill(ht_rank_part *work, const ht_filler *filler) {
  ht_status status = work->backend->fill(work->state, -1, filler);
  ht_status exchanged = ht_rank_part_exchange(work);
  return status == HT_OK ? exchanged : status;
}

/* The border travels while the inner tiles are stepped. */
static ht_status step_once(ht_rank_part *work, int64_t step, ht_status status) {
  if (status == HT_OK) status = work->backend->step_edge(work->state, step);
  if (status == HT_OK) status = work->backend->pack(work->state, work->sent);
  ht_ranks_exchange_begin(work->peer, (int)work->part.peers);
  if (status == HT_OK) status = work->backend->step_rest(work->state);
  ht_ranks_exchange_end();
  return status == HT_OK ? work->backend->unpack(work->state, work->received) : status;
}

ht_status ht_rank_part_step(ht_rank_part *work, int64_t first, int64_t count) {
  ht_status status = HT_OK;
  work->first_step = first;
  work->steps = count;
  if (work->is_linked) {
    status = work->backend->step(work->state, first, count);
    if (status != HT_OK) ht_ranks_abort(status);
    return status;
  }
  for (int64_t s = first; s < first + count; s++) status = step_once(work, s, status);
  return status;
}

ht_status ht_rank_part_keep(ht_rank_part *work, int64_t step) {
  work->first_step = step;
  work->steps = 1;
  return work->backend->keep(work->state, step, 0);
}

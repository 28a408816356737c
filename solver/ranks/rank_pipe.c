#include "solver/ranks/rank_pipe.h"
#include "core/mpi/ranks.h"
#include "core/vessel/volume.h"
#include <stdlib.h>
#include <string.h>

static const size_t piece_bytes = (size_t)4 << 20;

ht_rank_pipe ht_rank_pipe_open(int rank, ht_state *within) {
  ht_rank_pipe pipe = {.rank = rank, .within = within};
  if (ht_alloc((void **)&pipe.bytes, piece_bytes, 1, "what a rank sends") != HT_OK)
    ht_ranks_abort(HT_ERR_MEMORY);
  return pipe;
}

void ht_rank_pipe_close(ht_rank_pipe *pipe) {
  free(pipe->bytes);
  memset(pipe, 0, sizeof *pipe);
}

/* ---- pieces ---- */

static ht_status put_piece(ht_rank_pipe *pipe) {
  int64_t size = (int64_t)pipe->size;
  pipe->size = 0;
  if (pipe->within) {
    HT_TRY(ht_state_count(pipe->within, &size, 0, (int64_t)piece_bytes));
    return size > 0 ? ht_state_bytes(pipe->within, pipe->bytes, (size_t)size) : HT_OK;
  }
  ht_ranks_send(pipe->rank, &size, sizeof size);
  ht_ranks_send(pipe->rank, pipe->bytes, (size_t)size);
  return HT_OK;
}

static ht_status get_piece(ht_rank_pipe *pipe) {
  int64_t size = 0;
  pipe->size = pipe->at = 0;
  if (pipe->within) {
    HT_TRY(ht_state_count(pipe->within, &size, 0, (int64_t)piece_bytes));
    if (size > 0) HT_TRY(ht_state_bytes(pipe->within, pipe->bytes, (size_t)size));
  } else {
    ht_ranks_receive(pipe->rank, &size, sizeof size);
    ht_ranks_receive(pipe->rank, pipe->bytes, (size_t)size);
  }
  pipe->size = (size_t)size;
  pipe->has_ended = size == 0;
  return HT_OK;
}

/* ---- the stream ---- */

static ht_status add(void *user, void *bytes, size_t size) {
  ht_rank_pipe *to = user;
  for (size_t done = 0; done < size;) {
    size_t left = size - done, free_bytes = piece_bytes - to->size;
    size_t some = left < free_bytes ? left : free_bytes;
    memcpy(to->bytes + to->size, (const char *)bytes + done, some);
    to->size += some;
    done += some;
    if (to->size == piece_bytes) HT_TRY(put_piece(to));
  }
  return HT_OK;
}

static ht_status take(void *user, void *bytes, size_t size) {
  ht_rank_pipe *from = user;
  for (size_t done = 0; done < size;) {
    if (from->at == from->size && !from->has_ended) HT_TRY(get_piece(from));
    if (from->has_ended)
      return ht_fail(HT_ERR_INTERNAL, "a rank has sent %zu bytes too few", size - done);
    size_t left = size - done, here = from->size - from->at, some = left < here ? left : here;
    memcpy((char *)bytes + done, from->bytes + from->at, some);
    from->at += some;
    done += some;
  }
  return HT_OK;
}

ht_state ht_rank_pipe_stream(ht_rank_pipe *pipe, int is_loading) {
  return (ht_state){.is_loading = is_loading, .move = is_loading ? take : add, .user = pipe};
}

ht_status ht_rank_pipe_end(ht_rank_pipe *pipe) {
  if (pipe->size > 0) HT_TRY(put_piece(pipe));
  return put_piece(pipe);
}

ht_status ht_rank_pipe_drain(ht_rank_pipe *pipe) {
  while (!pipe->has_ended) HT_TRY(get_piece(pipe));
  return HT_OK;
}

/* Reads on where a piece cannot be written; ends early where one cannot be read. */
ht_status ht_rank_pipe_relay(ht_rank_pipe *from, ht_rank_pipe *to) {
  ht_status status = HT_OK, read = HT_OK;
  while (!from->has_ended && read == HT_OK) {
    read = get_piece(from);
    if (read != HT_OK || status != HT_OK) continue;
    memcpy(to->bytes, from->bytes, from->size);
    to->size = from->size;
    status = put_piece(to);
  }
  if (read != HT_OK && status == HT_OK) {
    to->size = 0; /* another rank waits for the end; a stream that failed is not gone on with */
    (void)put_piece(to);
  }
  return read != HT_OK ? read : status;
}

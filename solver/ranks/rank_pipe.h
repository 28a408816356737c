/* A stream of state to or from another rank, or as a part of another stream, in pieces: no rank has
 * the whole of it in memory twice. Private to solver/ranks/.
 *
 * A piece is its size and its bytes; one of 0 bytes is the end. One side writes, ends, and closes;
 * the other reads and closes. Without memory for a piece all ranks end: the other side waits. */
#ifndef HT_RANK_PIPE_H
#define HT_RANK_PIPE_H

#include "core/formats/state_stream.h"

typedef struct {
  int rank; /* the other side; where `within` is not NULL, unused */
  ht_state *within;
  char *bytes;     /* the present piece */
  size_t size, at; /* of it; of the next byte that is read */
  int has_ended;   /* its end has been read */
} ht_rank_pipe;

/* Borrows `within`. */
ht_rank_pipe ht_rank_pipe_open(int rank, ht_state *within);

/* Writes to it, or reads from it; the pipe is borrowed. */
ht_state ht_rank_pipe_stream(ht_rank_pipe *pipe, int is_loading);

/* Ends the writing side: sends what is left, and the end. */
ht_status ht_rank_pipe_end(ht_rank_pipe *pipe);

/* Reads to the end what is not wanted. */
ht_status ht_rank_pipe_drain(ht_rank_pipe *pipe);

/* Passes on from one pipe to the other, to the end: also where one of them fails, so that no rank
 * waits. */
ht_status ht_rank_pipe_relay(ht_rank_pipe *from, ht_rank_pipe *to);

void ht_rank_pipe_close(ht_rank_pipe *pipe);

#endif

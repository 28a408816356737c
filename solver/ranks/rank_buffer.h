/* A stream of state into a buffer of memory, or out of it. Private to solver/. */
#ifndef HT_RANK_BUFFER_H
#define HT_RANK_BUFFER_H

#include "state_stream.h"

typedef struct {
  char *bytes;
  size_t size, room;
  size_t at; /* of the next byte that a load takes */
} ht_rank_buffer;

/* Adds to its end, or takes from it; the buffer is borrowed. */
ht_state ht_rank_buffer_stream(ht_rank_buffer *buffer, int is_loading);

void ht_rank_buffer_free(ht_rank_buffer *buffer);

#endif

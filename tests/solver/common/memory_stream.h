/* A stream of state into memory, or out of it, for tests. */
#ifndef HT_MEMORY_STREAM_H
#define HT_MEMORY_STREAM_H

#include "core/formats/state_stream.h"

typedef struct {
  char *bytes;
  size_t size, room;
  size_t at; /* of the next byte that a load takes */
} ht_memory;

/* Adds to its end, or takes from it; the buffer is borrowed. */
ht_state ht_memory_stream(ht_memory *buffer, int is_loading);

/* The `keep` of ht_solve_keeping, with the buffer as its user: the state is all that it has then.
 */
void ht_memory_keep(void *buffer, int64_t step, double time_s,
                    ht_status (*save)(void *run, ht_state *stream), void *run);

void ht_memory_free(ht_memory *buffer);

#endif

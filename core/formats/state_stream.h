/* The state of a computation as a stream of bytes. One function for each part of the state moves it
 * in both directions, so that what is loaded cannot differ in its order from what is saved. Each
 * piece has its size in front: a load checks it, and never writes more than its caller has room
 * for. Little-endian, as the machine. */
#ifndef HT_STATE_STREAM_H
#define HT_STATE_STREAM_H

#include "core/status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes the bytes, or fills them. */
typedef ht_status (*ht_state_move)(void *user, void *bytes, size_t size);

enum { HT_STATE_NAME = 24 };

typedef struct {
  int is_loading; /* 1: fills the caller's variables; 0: reads them and changes nothing */
  ht_state_move move;
  void *user;
  char part[HT_STATE_NAME]; /* the present one, for messages */
} ht_state;

/* Begins a part, with its name (at most HT_STATE_NAME - 1 letters). All of these return the
 * stream's own failures; a load also HT_ERR_FORMAT where the stream holds something else here. */
ht_status ht_state_part(ht_state *state, const char *name);

/* Moves `size` bytes of numbers, or of a struct without pointers. */
ht_status ht_state_bytes(ht_state *state, void *bytes, size_t size);

/* Moves a number; a load refuses one that is not from `least` to `most`. */
ht_status ht_state_count(ht_state *state, int64_t *count, int64_t least, int64_t most);
ht_status ht_state_int(ht_state *state, int *value, int least, int most);

/* Moves a text; a load ends it within its `size`. */
ht_status ht_state_text(ht_state *state, char *text, size_t size);

/* Moves the size of a piece of `size` bytes, whose bytes follow in several calls. */
ht_status ht_state_size(ht_state *state, size_t size);
ht_status ht_state_some(ht_state *state, void *bytes, size_t size);

/* Moves the bytes of a variable. */
#define HT_STATE_OF(state, variable) ht_state_bytes(state, &(variable), sizeof(variable))

#ifdef __cplusplus
}
#endif
#endif

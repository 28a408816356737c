#include "core/formats/state_stream.h"
#include <stdio.h>
#include <string.h>

static ht_status misfit(const ht_state *state, const char *what, long long got, long long wanted) {
  return ht_fail(HT_ERR_FORMAT, "its part '%s' does not fit this run: %s %lld, not %lld",
                 state->part, what, got, wanted);
}

ht_status ht_state_some(ht_state *state, void *bytes, size_t size) {
  return size > 0 ? state->move(state->user, bytes, size) : HT_OK;
}

ht_status ht_state_size(ht_state *state, size_t size) {
  uint64_t stored = size;
  HT_TRY(ht_state_some(state, &stored, sizeof stored));
  return stored == size ? HT_OK : misfit(state, "bytes", (long long)stored, (long long)size);
}

ht_status ht_state_bytes(ht_state *state, void *bytes, size_t size) {
  HT_TRY(ht_state_size(state, size));
  return ht_state_some(state, bytes, size);
}

ht_status ht_state_part(ht_state *state, const char *name) {
  char wanted[HT_STATE_NAME] = "", stored[HT_STATE_NAME];
  snprintf(wanted, sizeof wanted, "%s", name);
  memcpy(stored, wanted, sizeof stored);
  memcpy(state->part, wanted, sizeof wanted);
  HT_TRY(ht_state_bytes(state, stored, sizeof stored));
  if (memcmp(stored, wanted, sizeof stored) == 0) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "it has no part '%s' where this run needs it", name);
}

ht_status ht_state_count(ht_state *state, int64_t *count, int64_t least, int64_t most) {
  int64_t value = *count;
  HT_TRY(HT_STATE_OF(state, value));
  if (value < least || value > most)
    return misfit(state, "a count of", value, value < least ? least : most);
  if (state->is_loading) *count = value;
  return HT_OK;
}

ht_status ht_state_int(ht_state *state, int *value, int least, int most) {
  int64_t count = *value;
  HT_TRY(ht_state_count(state, &count, least, most));
  if (state->is_loading) *value = (int)count;
  return HT_OK;
}

ht_status ht_state_text(ht_state *state, char *text, size_t size) {
  HT_TRY(ht_state_bytes(state, text, size));
  if (state->is_loading && size > 0) text[size - 1] = 0;
  return HT_OK;
}

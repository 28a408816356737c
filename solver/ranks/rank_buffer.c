#include "rank_buffer.h"
#include "ranks.h"
#include "volume.h"
#include <stdlib.h>
#include <string.h>

static ht_status add(void *user, void *bytes, size_t size) {
  ht_rank_buffer *to = user;
  if (to->size + size > to->room) {
    size_t room = 2 * (to->size + size);
    char *more = realloc(to->bytes, room);
    if (!more) return ht_fail(HT_ERR_MEMORY, "not enough memory for what a rank sends");
    to->bytes = more;
    to->room = room;
  }
  memcpy(to->bytes + to->size, bytes, size);
  to->size += size;
  return HT_OK;
}

static ht_status take(void *user, void *bytes, size_t size) {
  ht_rank_buffer *from = user;
  if (from->size - from->at < size)
    return ht_fail(HT_ERR_INTERNAL, "a rank has sent %zu bytes, too few", from->size);
  memcpy(bytes, from->bytes + from->at, size);
  from->at += size;
  return HT_OK;
}

ht_state ht_rank_buffer_stream(ht_rank_buffer *buffer, int is_loading) {
  return (ht_state){.is_loading = is_loading, .move = is_loading ? take : add, .user = buffer};
}

void ht_rank_buffer_free(ht_rank_buffer *buffer) {
  free(buffer->bytes);
  memset(buffer, 0, sizeof *buffer);
}

#include "tests/check.h"
#include "tests/solver/common/memory_stream.h"
#include <stdlib.h>
#include <string.h>

static ht_status add(void *user, void *bytes, size_t size) {
  ht_memory *to = user;
  if (to->size + size > to->room) {
    size_t room = 2 * (to->size + size);
    char *more = realloc(to->bytes, room);
    if (!more) return ht_fail(HT_ERR_MEMORY, "not enough memory for the stream");
    to->bytes = more;
    to->room = room;
  }
  memcpy(to->bytes + to->size, bytes, size);
  to->size += size;
  return HT_OK;
}

static ht_status take(void *user, void *bytes, size_t size) {
  ht_memory *from = user;
  if (from->size - from->at < size)
    return ht_fail(HT_ERR_FORMAT, "it ends too early"); /* as a file that was cut off */
  memcpy(bytes, from->bytes + from->at, size);
  from->at += size;
  return HT_OK;
}

ht_state ht_memory_stream(ht_memory *buffer, int is_loading) {
  return (ht_state){.is_loading = is_loading, .move = is_loading ? take : add, .user = buffer};
}

void ht_memory_keep(void *buffer, int64_t step, double time_s,
                    ht_status (*save)(void *run, ht_state *stream), void *run) {
  ht_memory *to = buffer;
  ht_state stream = ht_memory_stream(to, 0);
  (void)step, (void)time_s;
  to->size = 0;
  assert_int_equal(save(run, &stream), HT_OK);
}

void ht_memory_free(ht_memory *buffer) {
  free(buffer->bytes);
  memset(buffer, 0, sizeof *buffer);
}

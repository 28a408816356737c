#include "run/privacy/redact_parts.h"
#include <stdlib.h>

int ht_redact_grow(void **list, int count, int *room, size_t size) {
  if (count < *room) return 1;
  int wanted = *room ? 2 * *room : 16;
  void *more = realloc(*list, (size_t)wanted * size);
  if (!more) return 0;
  *list = more;
  *room = wanted;
  return 1;
}

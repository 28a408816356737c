#include "core/vessel/candidates.h"
#include <stdlib.h>
#include <string.h>

void ht_candidates_free(ht_candidates *candidates) {
  if (!candidates) return;
  for (int i = 0; i < candidates->count; i++) free(candidates->item[i].station);
  memset(candidates, 0, sizeof *candidates);
}

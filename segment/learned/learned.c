#include "segment/learned/learned.h"
#include "segment/learned/network.h"
#include <stdlib.h>
#include <string.h>

ht_status ht_learned_find(const ht_volume *scan, const ht_learned_options *options,
                          ht_learned *found) {
  ht_learned_weights weights;
  memset(found, 0, sizeof *found);
  HT_TRY(ht_learned_weights_own(&weights));
  const ht_status status = ht_learned_apply(&weights, scan, options, NULL, found);
  ht_learned_weights_free(&weights);
  return status;
}

void ht_learned_free(ht_learned *found) {
  if (!found) return;
  free(found->artery);
  memset(found, 0, sizeof *found);
}

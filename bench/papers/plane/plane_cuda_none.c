/* Stands in for plane flows on the GPU where the program was built without a CUDA compiler. */
#include "bench/papers/plane/plane_backend.h"

static ht_status none_create(const ht_plane_tables *tables, void **state, char device[128]) {
  char why[256];
  (void)tables;
  *state = NULL;
  ht_cuda_available(device, why);
  return ht_fail(HT_ERR_DEVICE, "no GPU can be used: %s", why);
}

const ht_plane_backend ht_plane_backend_cuda = {.create = none_create};

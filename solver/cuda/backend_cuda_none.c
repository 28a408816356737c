/* Stands in for the CUDA backend where the program was built without a CUDA compiler. */
#include "solver/lattice/backend.h"

static ht_status none_create(const ht_lattice_tables *tables, void **state, char device[128]) {
  char why[256];
  (void)tables;
  *state = NULL;
  ht_cuda_available(device, why);
  return ht_fail(HT_ERR_DEVICE, "no GPU can be used: %s", why);
}

const ht_backend ht_backend_cuda = {.create = none_create};

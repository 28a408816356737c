/* Stands in for the CUDA backend where the program was built without a CUDA compiler. */
#include "backend.h"
#include <stdio.h>

static const char *reason = "this hemotile was built without CUDA";

int ht_cuda_available(char name[128], char why[256]) {
  name[0] = 0;
  snprintf(why, 256, "%s", reason);
  return 0;
}

static ht_status none_create(const ht_lattice_tables *tables, void **state, char device[128]) {
  (void)tables, (void)device;
  *state = NULL;
  return ht_fail(HT_ERR_DEVICE, "no GPU can be used: %s", reason);
}

const ht_backend ht_backend_cuda = {.create = none_create};

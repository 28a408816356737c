/* Stands in for cuda_device.cu where the program was built without a CUDA compiler. */
#include "solver/lattice/device_memory.h"
#include <stdio.h>

static const char *const reason = "this hemotile was built without CUDA";

int ht_cuda_available(char name[128], char why[256]) {
  name[0] = 0;
  snprintf(why, 256, "%s", reason);
  return 0;
}

static ht_status none(void) {
  return ht_fail(HT_ERR_DEVICE, "no GPU can be used: %s", reason);
}

ht_status ht_cuda_memory_describe(ht_device_memory *memory) {
  (void)memory;
  return none();
}

int ht_cuda_count(void) {
  return 0;
}

ht_status ht_cuda_use(int number) {
  (void)number;
  return none();
}

ht_status ht_cuda_identify(char identity[HT_CUDA_IDENTITY]) {
  identity[0] = 0;
  return none();
}

ht_status ht_cuda_wait(void) {
  return none();
}

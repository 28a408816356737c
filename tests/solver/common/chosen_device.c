#include "tests/check.h"
#include "tests/solver/common/chosen_device.h"
#include <stdlib.h>
#include <string.h>

void ht_need_gpu(void) {
  char name[128], why[256];
  if (ht_device_describe(HT_DEVICE_CUDA, name, why) == HT_OK) return;
  print_message("skipped: %s\n", ht_error_message());
  exit(77);
}

int ht_has_argument(int argc, char **argv, const char *name) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], name) == 0) return 1;
  return 0;
}

ht_device ht_chosen_device(int argc, char **argv) {
  if (!ht_has_argument(argc, argv, "gpu")) return HT_DEVICE_CPU;
  ht_need_gpu();
  return HT_DEVICE_CUDA;
}

#include "solver/kernels/model.h"
#include <stddef.h>

const char *const ht_precision_words[] = {"fp32", "fp64", "fp16", NULL};
const char *const ht_collision_words[] = {"lbgk", "mrt", "cumulant", NULL};
const char *const ht_compressibility_words[] = {"incompressible", "quasi-compressible", NULL};

int ht_precision_bytes(ht_precision precision) {
  return precision == HT_FP64 ? 8 : precision == HT_FP32 ? 4 : 2;
}

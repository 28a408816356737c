#include "solver.h"

const char *const ht_device_words[] = {"auto", "cpu", "cuda", NULL};
const char *const ht_precision_words[] = {"fp32", "fp64", "fp16", NULL};
const char *const ht_collision_words[] = {"lbgk", "mrt", NULL};
const char *const ht_compressibility_words[] = {"incompressible", "quasi-compressible", NULL};
const char *const ht_outlet_words[] = {"pressure",  "area",       "murray",
                                       "fractions", "windkessel", NULL};
const char *const ht_profile_words[] = {"plug", "parabolic", "womersley", NULL};
const char *const ht_walls_words[] = {"half-way", "interpolated", NULL};

int ht_precision_bytes(ht_precision precision) {
  return precision == HT_FP64 ? 8 : precision == HT_FP32 ? 4 : 2;
}

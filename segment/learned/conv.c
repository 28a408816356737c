#include "segment/learned/conv.h"
#ifdef HEMOTILE_HAVE_WIDE
#include <cpuid.h>

/* Tells whether the CPU has F16C, which clang 14's __builtin_cpu_supports does not know. */
static int has_f16c(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
}
#endif

ht_conv_fn ht_conv_choose(const char **name) {
#ifdef HEMOTILE_HAVE_WIDE
  __builtin_cpu_init();
  *name = "AVX-512";
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return ht_conv_row_avx512;
  *name = "AVX2";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c())
    return ht_conv_row_avx2;
#endif
  *name = "baseline";
  return ht_conv_row_base;
}

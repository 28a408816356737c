/* Chooses the instruction set and the number of threads. */
#include "solver/cpu/cpu_kernel.h"
#include "solver/cpu/cpu_level_kernel.h"
#include "solver/kernels/directions.h"
#include <omp.h>
#include <string.h>
#ifdef HEMOTILE_HAVE_WIDE
#include <cpuid.h>

/* Tells whether the CPU has F16C, which clang 14's __builtin_cpu_supports does not know. */
static int has_f16c(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
}
#endif

const char *ht_cpu_instruction_set(void) {
#ifdef HEMOTILE_HAVE_WIDE
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return "AVX-512";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c()) return "AVX2";
#endif
  return "baseline";
}

/* [1 for D3Q27][ht_precision] */
#define KERNELS(isa)                                                                               \
  {                                                                                                \
    {ht_cpu_step_f32_q19_##isa, ht_cpu_step_f64_q19_##isa, ht_cpu_step_f16_q19_##isa}, {           \
      ht_cpu_step_f32_q27_##isa, ht_cpu_step_f64_q27_##isa, ht_cpu_step_f16_q27_##isa              \
    }                                                                                              \
  }

ht_cpu_kernel ht_cpu_choose_kernel(ht_precision precision, int directions) {
  static const ht_cpu_kernel base[2][3] = KERNELS(base);
  const int set = directions == HT_Q27;
#ifdef HEMOTILE_HAVE_WIDE
  static const ht_cpu_kernel avx2[2][3] = KERNELS(avx2), avx512[2][3] = KERNELS(avx512);
  const char *isa = ht_cpu_instruction_set();
  if (strcmp(isa, "AVX-512") == 0) return avx512[set][precision];
  if (strcmp(isa, "AVX2") == 0) return avx2[set][precision];
#endif
  return base[set][precision];
}

ht_cpu_exchange ht_cpu_choose_exchange(ht_precision precision) {
#ifdef HEMOTILE_HAVE_WIDE
  const char *isa = ht_cpu_instruction_set();
  if (strcmp(isa, "AVX-512") == 0)
    return precision == HT_FP64 ? ht_cpu_exchange_f64_avx512 : ht_cpu_exchange_f32_avx512;
  if (strcmp(isa, "AVX2") == 0)
    return precision == HT_FP64 ? ht_cpu_exchange_f64_avx2 : ht_cpu_exchange_f32_avx2;
#endif
  return precision == HT_FP64 ? ht_cpu_exchange_f64_base : ht_cpu_exchange_f32_base;
}

int ht_cpu_threads(int asked) {
  return asked > 0 ? asked : omp_get_max_threads();
}

#include "solver/copy_rate/copy_rate.h"
#include "core/machine/clock.h"
#include "solver/copy_rate/copy_backend.h"
#include "core/vessel/volume.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAVE_STREAM 1
#endif

enum { PASSES = 3, LINE = 64 };

struct ht_copy {
  int on_gpu, threads, way;
  int64_t half;    /* bytes of one buffer, a multiple of LINE */
  void *owned;     /* CPU: both buffers */
  char *from, *to; /* CPU: aligned to LINE */
  void *gpu;
};

/* ---- the ways of the CPU: each copies `bytes`, a multiple of LINE, between aligned places ---- */

static void copy_plain(char *to, const char *from, size_t bytes) {
  memcpy(to, from, bytes);
}

#ifdef HAVE_STREAM
/* Non-temporal stores do not first read what they overwrite. */
static void copy_stream_sse2(char *to, const char *from, size_t bytes) {
  for (size_t i = 0; i < bytes; i += LINE) {
    const __m128i *source = (const __m128i *)(const void *)(from + i);
    __m128i *target = (__m128i *)(void *)(to + i);
    __m128i a = _mm_load_si128(source), b = _mm_load_si128(source + 1);
    __m128i c = _mm_load_si128(source + 2), d = _mm_load_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  _mm_sfence();
}

__attribute__((target("avx512f"))) static void copy_stream_avx512(char *to, const char *from,
                                                                  size_t bytes) {
  for (size_t i = 0; i < bytes; i += LINE)
    _mm512_stream_si512((void *)(to + i), _mm512_load_si512((const void *)(from + i)));
  _mm_sfence();
}

static int have_sse2(void) {
  return 1;
}
static int have_avx512(void) {
  return __builtin_cpu_supports("avx512f") != 0;
}
#endif

static int have_plain(void) {
  return 1;
}

typedef struct {
  const char *name;
  int (*is_there)(void);
  void (*copy)(char *to, const char *from, size_t bytes);
} cpu_way;

static const cpu_way cpu_ways[] = {
    {"plain stores", have_plain, copy_plain},
#ifdef HAVE_STREAM
    {"SSE2 non-temporal stores", have_sse2, copy_stream_sse2},
    {"AVX-512 non-temporal stores", have_avx512, copy_stream_avx512},
#endif
};
enum { CPU_WAYS = sizeof cpu_ways / sizeof *cpu_ways, GPU_WAYS = 2 };
static const char *const gpu_ways[GPU_WAYS] = {"kernel with accesses of 16 bytes",
                                               "the driver's copy"};

/* ---- one pass ---- */

/* The part of the buffer that a thread works on, the same in every pass. */
static int64_t part_begin(int64_t half, int thread, int threads) {
  return half / LINE * thread / threads * LINE;
}

/* Unwritten memory would read one page of zeros again and again. */
static void touch(ht_copy *copy) {
#pragma omp parallel num_threads(copy->threads)
  {
    int thread = omp_get_thread_num(), threads = omp_get_num_threads();
    int64_t from = part_begin(copy->half, thread, threads);
    int64_t to = part_begin(copy->half, thread + 1, threads);
    memset(copy->from + from, 1 + thread % 100, (size_t)(to - from));
    memset(copy->to + from, 2, (size_t)(to - from));
  }
}

static double cpu_pass(ht_copy *copy, int way) {
  double began = ht_clock_s();
#pragma omp parallel num_threads(copy->threads)
  {
    int thread = omp_get_thread_num(), threads = omp_get_num_threads();
    int64_t from = part_begin(copy->half, thread, threads);
    int64_t to = part_begin(copy->half, thread + 1, threads);
    cpu_ways[way].copy(copy->to + from, copy->from + from, (size_t)(to - from));
  }
  return ht_clock_s() - began;
}

static ht_status one_pass(ht_copy *copy, int way, double *seconds) {
  if (copy->on_gpu) return ht_cuda_copy_pass(copy->gpu, way, seconds);
  *seconds = cpu_pass(copy, way);
  return HT_OK;
}

static ht_status best_pass(ht_copy *copy, int way, double *best) {
  *best = 0;
  for (int i = 0; i < PASSES; i++) {
    double seconds;
    HT_TRY(one_pass(copy, way, &seconds));
    if (i == 0 || seconds < *best) *best = seconds;
  }
  return HT_OK;
}

/* ---- life ---- */

/* Finds the fastest way once; measurements use it alone. */
static ht_status choose_way(ht_copy *copy) {
  double best = 0, seconds;
  int ways = copy->on_gpu ? GPU_WAYS : CPU_WAYS;
  for (int way = 0; way < ways; way++) {
    if (!copy->on_gpu && !cpu_ways[way].is_there()) continue;
    HT_TRY(best_pass(copy, way, &seconds));
    if (best == 0 || seconds < best) best = seconds, copy->way = way;
  }
  return HT_OK;
}

static ht_status allocate(ht_copy *copy) {
  if (copy->on_gpu) return ht_cuda_copy_create(copy->half, &copy->gpu);
  HT_TRY(ht_alloc(&copy->owned, (size_t)(2 * copy->half + LINE), 1, "the copy to compare with"));
  copy->from = (char *)(((uintptr_t)copy->owned + LINE - 1) / LINE * LINE);
  copy->to = copy->from + copy->half;
  touch(copy);
  return HT_OK;
}

ht_status ht_copy_create(ht_device device, int threads, int64_t bytes, ht_copy **copy) {
  ht_copy *made;
  int on_gpu;
  *copy = NULL;
  if (bytes < 2 * LINE)
    return ht_fail(HT_ERR_USAGE,
                   "a copy of %lld bytes is too small to time; at least %d are needed",
                   (long long)bytes, 2 * LINE);
  HT_TRY(ht_choose_device(device, &on_gpu));
  HT_TRY(ht_alloc((void **)&made, 1, sizeof *made, "the copy"));
  made->on_gpu = on_gpu;
  made->threads = threads > 0 ? threads : omp_get_max_threads();
  made->half = bytes / (2 * LINE) * LINE;
  ht_status status = allocate(made);
  if (status == HT_OK) status = choose_way(made);
  if (status == HT_OK)
    *copy = made;
  else
    ht_copy_free(made);
  return status;
}

void ht_copy_free(ht_copy *copy) {
  if (!copy) return;
  if (copy->on_gpu) ht_cuda_copy_free(copy->gpu);
  free(copy->owned);
  free(copy);
}

ht_status ht_copy_measure(ht_copy *copy, double *bytes_per_s) {
  double seconds;
  *bytes_per_s = 0;
  HT_TRY(best_pass(copy, copy->way, &seconds));
  *bytes_per_s = 2 * (double)copy->half / seconds;
  return HT_OK;
}

const char *ht_copy_way(const ht_copy *copy) {
  return copy->on_gpu ? gpu_ways[copy->way] : cpu_ways[copy->way].name;
}

ht_status ht_copy_rate(ht_device device, int threads, int64_t bytes, double *bytes_per_s) {
  ht_copy *copy;
  *bytes_per_s = 0;
  HT_TRY(ht_copy_create(device, threads, bytes, &copy));
  ht_status status = ht_copy_measure(copy, bytes_per_s);
  ht_copy_free(copy);
  return status;
}

/* Distribution functions in 16 bits: storage in half precision (IEEE 754 binary16), arithmetic in
 * single. Shifted distribution functions are small, so they are stored times 2^15 (Lehmann, Krause,
 * Amati, Sega, Harting & Gekle, Phys. Rev. E 106 (2022) 015308, their FP16S): a power of two costs
 * no rounding and moves the format's range to where the values are. Stored are values below 2 in
 * size; 11 significant bits down to 2^-29, below that multiples of 2^-39.
 *
 * Conversion rounds to nearest, ties to even; values that are too large become infinite and NaN
 * stays NaN, so that divergence shows. The value is the same on every path: CUDA's cuda_fp16.h, x86
 * with F16C (-mf16c), and plain C for the rest.
 *
 * In the part of C that CUDA C++ also takes. */
#ifndef HT_HALF_H
#define HT_HALF_H

#include "solver/kernels/directions.h"
#include <stdint.h>
#include <string.h>

#if defined(__CUDACC__)
#include <cuda_fp16.h>
#elif defined(__F16C__)
#include <immintrin.h>
#endif

typedef uint16_t ht_half;

/* The factor of stored values and its inverse: both exact. */
#define HT_HALF_SCALE   32768.0f
#define HT_HALF_UNSCALE (1.0f / 32768.0f)

/* ---- plain C: also the reference for testing the other paths ---- */

/* binary16 -> float is exact: the 15 bits moved up have an exponent that is 112 too small. A
 * subnormal number is the rest of one with the exponent -14. No step makes a subnormal float, which
 * the CPU's step takes as 0. */
HT_INLINE float ht_half_to_float_c(ht_half half) {
  uint32_t bits = (uint32_t)(half & 0x7fff) << 13;
  float value;
  if (bits >= 0x0f800000) { /* infinite or NaN (made quiet) */
    bits |= 0x7f800000 | (bits > 0x0f800000 ? 0x00400000 : 0);
    memcpy(&value, &bits, sizeof(value));
  } else if (bits >= 0x00800000) {
    bits += 0x38000000;
  } else {
    bits |= 0x38800000;
    memcpy(&value, &bits, sizeof(value));
    value -= 0x1p-14f;
    memcpy(&bits, &value, sizeof(value));
  }
  bits |= (uint32_t)(half & 0x8000) << 16;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

/* float -> binary16 to nearest even. Normal numbers: adding half of the last kept place less one,
 * and one where that place is odd, makes the cut round to even; a carry runs into the exponent, as
 * it should. Subnormal ones: adding 1/2 leaves the float's own rounding at the wanted place. */
HT_INLINE ht_half ht_half_from_float_c(float value) {
  uint32_t bits, sign, out;
  memcpy(&bits, &value, sizeof(bits));
  sign = (bits >> 16) & 0x8000;
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) {
    out = 0x7e00 | ((bits >> 13) & 0x3ff);
  } else if (bits >= 0x477ff000) { /* 65520 and more round to infinity */
    out = 0x7c00;
  } else if (bits < 0x38800000) { /* below 2^-14 */
    float small;
    memcpy(&small, &bits, sizeof(small));
    small += 0.5f;
    memcpy(&out, &small, sizeof(out));
    out -= 0x3f000000;
  } else {
    out = (bits - 0x38000000 + 0xfff + ((bits >> 13) & 1)) >> 13;
  }
  return (ht_half)(sign | out);
}

/* ---- the fastest available path ---- */

HT_INLINE float ht_half_to_float(ht_half half) {
#if defined(__CUDACC__)
  return __half2float(__ushort_as_half(half));
#elif defined(__F16C__)
  return _cvtsh_ss(half);
#else
  return ht_half_to_float_c(half);
#endif
}

HT_INLINE ht_half ht_half_from_float(float value) {
#if defined(__CUDACC__)
  return __half_as_ushort(__float2half_rn(value));
#elif defined(__F16C__)
  return (ht_half)_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
#else
  return ht_half_from_float_c(value);
#endif
}

/* A distribution function from and to its 16 bits. */
HT_INLINE float ht_half_load(ht_half half) {
  return ht_half_to_float(half) * HT_HALF_UNSCALE;
}
HT_INLINE ht_half ht_half_store(float value) {
  return ht_half_from_float(value * HT_HALF_SCALE);
}

#ifndef __CUDACC__
/* Many of them, a multiple of 8: compilers do not vectorise the single conversions. */
static inline void ht_half_load_many(const ht_half *half, int count, float *value) {
#ifdef __F16C__
  const __m256 unscale = _mm256_set1_ps(HT_HALF_UNSCALE);
  int i = 0;
#ifdef __AVX512F__
  for (; i + 16 <= count; i += 16) {
    __m256i bits = _mm256_loadu_si256((const __m256i *)(const void *)(half + i));
    _mm512_storeu_ps(value + i,
                     _mm512_mul_ps(_mm512_cvtph_ps(bits), _mm512_set1_ps(HT_HALF_UNSCALE)));
  }
#endif
  for (; i < count; i += 8) {
    __m128i bits = _mm_loadu_si128((const __m128i *)(const void *)(half + i));
    _mm256_storeu_ps(value + i, _mm256_mul_ps(_mm256_cvtph_ps(bits), unscale));
  }
#else
  for (int i = 0; i < count; i++) value[i] = ht_half_load(half[i]);
#endif
}
static inline void ht_half_store_many(const float *value, int count, ht_half *half) {
#ifdef __F16C__
  const __m256 scale = _mm256_set1_ps(HT_HALF_SCALE);
  int i = 0;
#ifdef __AVX512F__
  for (; i + 16 <= count; i += 16) {
    __m512 scaled = _mm512_mul_ps(_mm512_loadu_ps(value + i), _mm512_set1_ps(HT_HALF_SCALE));
    _mm256_storeu_si256((__m256i *)(void *)(half + i),
                        _mm512_cvtps_ph(scaled, _MM_FROUND_TO_NEAREST_INT));
  }
#endif
  for (; i < count; i += 8) {
    __m256 scaled = _mm256_mul_ps(_mm256_loadu_ps(value + i), scale);
    _mm_storeu_si128((__m128i *)(void *)(half + i),
                     _mm256_cvtps_ph(scaled, _MM_FROUND_TO_NEAREST_INT));
  }
#else
  for (int i = 0; i < count; i++) half[i] = ht_half_store(value[i]);
#endif
}
#endif

#endif

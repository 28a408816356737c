/* Vectors of whole rows of a tile (4 nodes along x) for the CPU's pull, and stores that bypass the
 * caches. Private to solver/cpu/; all code specific to a compiler or an instruction set is here.
 *
 * The vectors are those of GCC and clang, which build them for any instruction set. The macros
 * below give the lanes of their shuffles and masks. HT_REGISTER: bytes of a register; of the widest
 * with AddressSanitizer, whose build has no other set than `base`: it checks the longest vectors.
 */
#ifndef HT_CPU_ROWS_H
#define HT_CPU_ROWS_H

#include <stdint.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#if defined(__AVX512F__) || defined(__SANITIZE_ADDRESS__)
#define HT_REGISTER 64
#elif defined(__AVX2__)
#define HT_REGISTER 32
#else
#define HT_REGISTER 16
#endif

/* Lanes of two vectors, the second's counted on from the first's, for 1, 2 and 4 rows a vector.
 * X_UP: every row moved up by one, its new lane from the second vector's row; X_DOWN: down by one;
 * BY_2: by two.
 * Y_UP: the rows moved up by one, the new one the last of the second vector; Y_DOWN: the first. */
#define HT_X_UP_1        7, 0, 1, 2
#define HT_X_UP_2        11, 0, 1, 2, 15, 4, 5, 6
#define HT_X_UP_4        19, 0, 1, 2, 23, 4, 5, 6, 27, 8, 9, 10, 31, 12, 13, 14
#define HT_X_DOWN_1      1, 2, 3, 4
#define HT_X_DOWN_2      1, 2, 3, 8, 5, 6, 7, 12
#define HT_X_DOWN_4      1, 2, 3, 16, 5, 6, 7, 20, 9, 10, 11, 24, 13, 14, 15, 28
#define HT_X_UP_BY_2_1   6, 7, 0, 1
#define HT_X_UP_BY_2_2   10, 11, 0, 1, 14, 15, 4, 5
#define HT_X_UP_BY_2_4   18, 19, 0, 1, 22, 23, 4, 5, 26, 27, 8, 9, 30, 31, 12, 13
#define HT_X_DOWN_BY_2_1 2, 3, 4, 5
#define HT_X_DOWN_BY_2_2 2, 3, 8, 9, 6, 7, 12, 13
#define HT_X_DOWN_BY_2_4 2, 3, 16, 17, 6, 7, 20, 21, 10, 11, 24, 25, 14, 15, 28, 29
#define HT_Y_UP_1        4, 5, 6, 7
#define HT_Y_UP_2        12, 13, 14, 15, 0, 1, 2, 3
#define HT_Y_UP_4        28, 29, 30, 31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
#define HT_Y_DOWN_1      4, 5, 6, 7
#define HT_Y_DOWN_2      4, 5, 6, 7, 8, 9, 10, 11
#define HT_Y_DOWN_4      4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19

/* Bit n in lane n. */
#define HT_BIT_1 1, 2, 4, 8
#define HT_BIT_2 HT_BIT_1, 16, 32, 64, 128
#define HT_BIT_4 HT_BIT_2, 0x100, 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x4000, 0x8000

#if defined(__AVX512F__)
/* Replaces the lanes of a vector whose bits are set by those at `from`. bytes: of a lane; 8 lanes
 * of 8 bytes, else 16. */
static inline void ht_replace_lanes(const void *from, uint32_t lanes, int bytes, void *vector) {
  if (bytes == 8)
    *(__m512d *)vector = _mm512_mask_loadu_pd(*(__m512d *)vector, (__mmask8)lanes, from);
  else if (bytes == 4)
    *(__m512 *)vector = _mm512_mask_loadu_ps(*(__m512 *)vector, (__mmask16)lanes, from);
  else
    *(__m256i *)vector = _mm256_mask_loadu_epi16(*(__m256i *)vector, (__mmask16)lanes, from);
}
#endif

/* Writes 64 bytes, or 32, to memory without reading what they overwrite. Both are aligned to
 * that. */
static inline void ht_stream(void *to, const void *from, int bytes) {
#if defined(__AVX512F__)
  if (bytes == 64) {
    _mm512_stream_si512(to, _mm512_load_si512(from));
    return;
  }
#endif
#if defined(__AVX__)
  for (int i = 0; i < bytes / 32; i++)
    _mm256_stream_si256((__m256i *)to + i, _mm256_load_si256((const __m256i *)from + i));
#elif defined(__x86_64__)
  for (int i = 0; i < bytes / 16; i++)
    _mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)from + i));
#else
  memcpy(to, from, (size_t)bytes);
#endif
}

/* Lets the calling thread take numbers below the smallest normal one (1e-38 in fp32) as 0, and
 * returns what ht_keep_denormals() restores. A flow that starts from rest is full of them ahead of
 * its first wave, and a core of Intel takes some 150 cycles for each. */
static inline unsigned ht_drop_denormals(void) {
#ifdef __x86_64__
  const unsigned flush = 0x8000, are_zero = 0x40, before = _mm_getcsr();
  _mm_setcsr(before | flush | are_zero);
  return before;
#else
  return 0;
#endif
}

static inline void ht_keep_denormals(unsigned before) {
#ifdef __x86_64__
  _mm_setcsr(before);
#else
  (void)before;
#endif
}

/* Ends the streaming stores: called after the last of them, before other threads may read them. */
static inline void ht_stream_end(void) {
#ifdef __x86_64__
  _mm_sfence();
#endif
}

#endif

/* Rows of a mask as bits. Private to tiling/. */
#ifndef HT_ROW_BITS_H
#define HT_ROW_BITS_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "ht_eight_bits reads eight bytes as one number whose lowest byte is the first"
#endif

/* Bit i: voxel[i] is not 0, for 8 voxels. */
static inline uint64_t ht_eight_bits(const uint8_t *voxel) {
  const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
  uint64_t v;
  memcpy(&v, voxel, sizeof v);
  uint64_t high = ((v & low) + low) | v; /* bit 7 of a byte: it is not 0 */
  return (((high & ~low) >> 7) * 0x0102040810204080u) >> 56;
}

static inline uint64_t ht_word_bits(const uint8_t *voxel) {
  uint64_t word = 0;
  for (int i = 0; i < 8; i++) word |= ht_eight_bits(voxel + 8 * i) << (8 * i);
  return word;
}

/* Bit x + `shift` (0 to 63) of `bits` [words]: voxel x of the row of `length` voxels is not 0. All
 * words are written. */
static inline void ht_row_bits(const uint8_t *row, int length, int shift, int words,
                               uint64_t *bits) {
  for (int w = 0; w < words; w++) {
    int64_t from = (int64_t)64 * w - shift, to = from + 64;
    if (from >= 0 && to <= length) {
      bits[w] = ht_word_bits(row + from);
      continue;
    }
    uint8_t edge[64] = {0};
    int64_t low = from < 0 ? 0 : from, high = to > length ? length : to;
    if (low < high) memcpy(edge + (low - from), row + low, (size_t)(high - low));
    bits[w] = ht_word_bits(edge);
  }
}

#ifdef __cplusplus
}
#endif
#endif

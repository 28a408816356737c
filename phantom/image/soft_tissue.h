/* The soft tissue around a phantom's vessel: a value with texture, and balls of fat and muscle. */
#ifndef HT_SOFT_TISSUE_H
#define HT_SOFT_TISSUE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_SOFT_BLOBS_MAX = 32 };

typedef struct {
  double centre[3], radius, delta; /* mm, LPS; delta: of the value */
} ht_soft_blob;

typedef struct {
  uint64_t seed;       /* takes its streams 1, 2 and 5 (random_field.h) */
  double scale;        /* scale of the structures, 1 in a head */
  double value;        /* in the scan's unit, as are the two below */
  double coarse, fine; /* most that textures of 7.3 and 2.9 mm add */
  int blobs;
  ht_soft_blob blob[HT_SOFT_BLOBS_MAX];
} ht_soft_tissue;

/* Places the blobs in a box with these sides around 0; they add delta[0] to delta[1] to the value.
 */
void ht_soft_tissue_scatter(ht_soft_tissue *tissue, const double box_mm[3], const double delta[2]);

/* The value at a place. */
double ht_soft_tissue_at(const ht_soft_tissue *tissue, const double position_mm[3]);

#ifdef __cplusplus
}
#endif
#endif

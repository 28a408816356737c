/* Brightness as the network takes it. Private to segment/learned/. */
#ifndef HT_LEARNED_BRIGHTNESS_H
#define HT_LEARNED_BRIGHTNESS_H

#include "core/vessel/volume.h"
#include "segment/learned/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  float low, span;   /* brightness 0, in the scan's unit; 1 is low + span */
  float least, most; /* of the brightness */
} ht_learned_brightness;

/* Finds the two ranks of the whole scan: low is the quantile 0.02 of the values, low + span the
 * quantile 0.995 of those above it; a quantile is the value of rank floor(q (n - 1)). Values that
 * are not finite do not count. HT_ERR_FORMAT where none is finite; HT_ERR_MEMORY. */
ht_status ht_learned_find_brightness(const ht_volume *scan, const ht_learned_weights *weights,
                                     ht_learned_brightness *brightness);

/* Writes the brightness of `count` values; 0 for one that is not finite. */
void ht_learned_brighten(const ht_learned_brightness *brightness, const float *values, int count,
                         float *out);

#ifdef __cplusplus
}
#endif
#endif

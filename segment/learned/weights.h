/* The weights of the network: those in the program, or a file of segment/learned/train/. Private to
 * segment/learned/. */
#ifndef HT_LEARNED_WEIGHTS_H
#define HT_LEARNED_WEIGHTS_H

#include "core/status.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HT_LEARNED_LEVELS = 5,  /* at most */
  HT_LEARNED_WIDTH = 256, /* channels of a level at most; a multiple of HT_LEARNED_BLOCK */
  HT_LEARNED_BLOCK = 16,  /* channels that are computed together */
  HT_LEARNED_LABELS = 4,  /* background, artery, other vessel, hard */
  HT_LEARNED_OUTPUTS = HT_LEARNED_LABELS + 1, /* their logits, and the distance / 4 voxels */
  HT_LEARNED_LAYERS = 5 * HT_LEARNED_LEVELS - 2
};

/* A convolution. */
typedef struct {
  int from, to, edge;  /* channels before and after; voxels along an edge: 3 or 1 */
  const float *weight; /* [to][from][edge][edge][edge], x fastest */
  const float *bias;   /* [to] */
} ht_learned_layer;

typedef struct {
  int levels, width[HT_LEARNED_LEVELS];
  double quantile[2]; /* of the brightness 0 and 1: segment/learned/brightness.h */
  float range[2];     /* of the brightness */
  int count;          /* of layers: 5 levels - 2 */
  /* down 1a, 1b, 2a, ...; then from below up, a, b; the output */
  ht_learned_layer layer[HT_LEARNED_LAYERS];
  float *values; /* of all layers; owned: ht_learned_weights_free */
} ht_learned_weights;

/* Decodes the weights that are a part of the program. HT_ERR_INTERNAL, HT_ERR_MEMORY. */
ht_status ht_learned_weights_own(ht_learned_weights *weights);

/* Reads a file of weights. HT_ERR_NOT_FOUND, HT_ERR_FORMAT, HT_ERR_MEMORY. */
ht_status ht_learned_weights_read(const char *path, ht_learned_weights *weights);

/* Decodes such a file's bytes; `name` for messages. HT_ERR_FORMAT, HT_ERR_MEMORY. */
ht_status ht_learned_weights_decode(const unsigned char *bytes, size_t count, const char *name,
                                    ht_learned_weights *weights);

void ht_learned_weights_free(ht_learned_weights *weights);

#ifdef __cplusplus
}
#endif
#endif

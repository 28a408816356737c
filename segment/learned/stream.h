/* The network as stages that pass slices along z to each other, so that each voxel is computed once
 * and each stage keeps only the slices that others still read. Private to segment/learned/. */
#ifndef HT_LEARNED_STREAM_H
#define HT_LEARNED_STREAM_H

#include "segment/learned/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HT_STAGE_INPUT,  /* the brightness of the scan */
  HT_STAGE_POOL,   /* the maximum of 2 x 2 x 2 voxels */
  HT_STAGE_CONV,   /* 3 x 3 x 3, then ReLU */
  HT_STAGE_LIFT,   /* 1 x 1 x 1 */
  HT_STAGE_ADD,    /* adds each voxel of its source to 2 x 2 x 2 of the slices of `ring` */
  HT_STAGE_OUTPUT, /* 1 x 1 x 1, to what is found */
} ht_stage_kind;

typedef struct {
  ht_stage_kind kind;
  int level;    /* its lattice is the scan's, halved so many times */
  int channels; /* of its slices */
  int source;   /* the stage whose slices it reads */
  int ring;     /* the stage in whose ring its slices lie: itself, except HT_STAGE_ADD */
  int slices;   /* in all */
  int kept;     /* by its ring: slice z lies at place z % kept; 0: it has no ring */
  int made;     /* so far */
  const ht_learned_layer *layer; /* of a convolution; borrowed */
} ht_stage;

enum { HT_STAGES = 7 * HT_LEARNED_LEVELS };

typedef struct {
  int size[3]; /* voxels that are computed: multiples of 2^(levels - 1) */
  int count;
  ht_stage stage[HT_STAGES];
} ht_stream;

/* Computes slice z of a stage; all that it reads is in the rings. */
typedef ht_status (*ht_stage_fn)(void *user, const ht_stage *stage, int z);

/* Lists the stages, and finds how many slices each has to keep. `size` is x, y, z. The stream
 * borrows the weights. */
void ht_stream_make(const ht_learned_weights *weights, const int size[3], ht_stream *stream);

/* Computes all slices of all stages, in an order in which each reads what is kept. Stops at the
 * first failure, which it returns. */
ht_status ht_stream_run(ht_stream *stream, ht_stage_fn compute, void *user);

/* Returns the voxels beyond a place that its value depends on, a multiple of 2^(levels - 1), if the
 * lattice also begins at such a multiple. */
int ht_stream_margin(const ht_learned_weights *weights);

#ifdef __cplusplus
}
#endif
#endif

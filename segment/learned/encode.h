/* From the outputs of the network to what is found; for the CPU and CUDA. Private to
 * segment/learned/. */
#ifndef HT_LEARNED_ENCODE_H
#define HT_LEARNED_ENCODE_H

#include "segment/learned/learned_types.h"
#include "segment/learned/weights.h"
#include <math.h>

#ifdef __CUDACC__
#define HT_ENCODE static __host__ __device__ inline
#else
#define HT_ENCODE static inline
#endif

typedef struct {
  uint8_t label[HT_LEARNED_LABELS - 1]; /* artery, other vessel, hard */
  int8_t distance;
} ht_learned_voxel;

/* From the logits of the labels to probabilities (softmax); an output of 1 is 4 voxels. */
HT_ENCODE ht_learned_voxel ht_learned_encode(const float output[HT_LEARNED_OUTPUTS]) {
  float most = output[0], part[HT_LEARNED_LABELS], sum = 0;
  for (int n = 1; n < HT_LEARNED_LABELS; n++) most = fmaxf(most, output[n]);
  for (int n = 0; n < HT_LEARNED_LABELS; n++) sum += part[n] = expf(output[n] - most);
  ht_learned_voxel voxel;
  for (int n = 1; n < HT_LEARNED_LABELS; n++)
    voxel.label[n - 1] = (uint8_t)(HT_LEARNED_UNIT * part[n] / sum + 0.5f);
  const float steps = rintf(4 * HT_LEARNED_PER_VOXEL * output[HT_LEARNED_LABELS]);
  voxel.distance = (int8_t)fminf(fmaxf(steps, -127), 127);
  return voxel;
}

#endif

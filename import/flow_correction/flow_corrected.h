/* What was done to correct a measured flow. */
#ifndef HT_FLOW_CORRECTED_H
#define HT_FLOW_CORRECTED_H

#include "core/vessel/measured_flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What was done. */
typedef struct {
  uint8_t
      *noise;    /* [nz][ny][nx] 1: noise, whose velocities became 0; NULL: not looked for. Owned */
  int64_t noisy; /* number of these */
  int64_t unwrapped;    /* number of values that were moved by a multiple of 2 venc */
  int64_t still;        /* number of voxels of still tissue that the offset was fitted to; 0: not */
  double offset[3][10]; /* by direction: coefficients of ht_offset_terms, m/s */
} ht_flow_corrected;
void ht_flow_corrected_free(ht_flow_corrected *done); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif

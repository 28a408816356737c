/* Wrapped velocities. Private to import/. */
#ifndef HT_UNWRAP_H
#define HT_UNWRAP_H

#include "import/flow_correction/flow_corrected.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unwraps velocities in space and time: grows from still voxels to the neighbour, in space or time,
 * whose velocity differs least, and moves it by the multiple of 2 venc that brings it nearest. */
ht_status ht_flow_unwrap(ht_measured_flow *flow, ht_flow_corrected *done);

#ifdef __cplusplus
}
#endif
#endif

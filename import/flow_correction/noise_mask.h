/* Voxels of noise. Private to import/. */
#ifndef HT_NOISE_MASK_H
#define HT_NOISE_MASK_H

#include "import/flow_correction/flow_corrected.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Marks voxels of noise (air, lung): dark, with velocities anywhere between -venc and venc. Sets
 * their velocities to 0. */
ht_status ht_flow_mask_noise(ht_measured_flow *flow, ht_flow_corrected *done);

#ifdef __cplusplus
}
#endif
#endif

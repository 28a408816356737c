/* The network with given weights on a whole scan. Private to segment/learned/ and its tests. */
#ifndef HT_LEARNED_NETWORK_H
#define HT_LEARNED_NETWORK_H

#include "segment/learned/learned_types.h"
#include "segment/learned/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs the network as ht_learned_find does. `raw` [5][nz][ny][nx] takes the outputs as they are:
 * the logits of background, artery, other vessel, hard, and the distance / 4 voxels. NULL: not
 * wanted. `found` as there, or NULL. */
ht_status ht_learned_apply(const ht_learned_weights *weights, const ht_volume *scan,
                           const ht_learned_options *options, float *raw, ht_learned *found);

#ifdef __cplusplus
}
#endif
#endif

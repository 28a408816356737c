/* The distribution functions themselves, for the test of the ladder. Not part of the public
 * interface. */
#ifndef HT_LADDER_VALUES_H
#define HT_LADDER_VALUES_H

#include "bench/papers/ladder/ladder_rung.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The values that left each node in the last step, before propagation: [tiles][64][19]; 0 at solid
 * nodes. HT_ERR_DEVICE, HT_ERR_MEMORY. */
ht_status ht_ladder_values(ht_ladder *ladder, double *values);

#ifdef __cplusplus
}
#endif

#endif

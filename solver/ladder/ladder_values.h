/* For the test of the ladder: the distribution functions themselves. Not of the public contract. */
#ifndef HT_LADDER_VALUES_H
#define HT_LADDER_VALUES_H

#include "ladder_rung.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What left each node in the last step, before it is propagated: [tiles][64][19]; 0 at solid nodes.
 * HT_ERR_DEVICE, HT_ERR_MEMORY. */
ht_status ht_ladder_values(ht_ladder *ladder, double *values);

#ifdef __cplusplus
}
#endif

#endif

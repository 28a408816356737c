/* Validation flows: each is run and compared with an analytic solution, a published table or
 * measurements. The program's command `hemotile validate` and the tests run the same flows. */
#ifndef HT_VALIDATION_H
#define HT_VALIDATION_H

#include "validation/flows/validation_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All flows in the order in which `all` runs them; NULL after the last, and where there is none. */
const ht_validation_flow *ht_validation_number(int number);
const ht_validation_flow *ht_validation_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif

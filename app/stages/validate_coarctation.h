/* Pressure drop of a coarctation over its severity: a validation flow that needs all stages. */
#ifndef HT_VALIDATE_COARCTATION_H
#define HT_VALIDATE_COARCTATION_H

#include "validation/flows/validation_types.h"

/* Phantom coarctation with its patient, 40, 55, 70 and 80 per cent of the area, from the scan to
 * the results, compared with simplified and full Bernoulli (gradient.h). Its folders are
 * FOLDER/coarctation/SEVERITY/phantom and .../result. */
extern const ht_validation_flow ht_validate_coarctation;

#endif

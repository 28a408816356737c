/* Measures in the results of a case: a section of the vessel, or a region of its wall. */
#ifndef HT_MEASURE_H
#define HT_MEASURE_H

#include "app/measure/measurement.h"

/* Measures at a place. HT_ERR_USAGE: the place is not in the vessel, or at its end;
 * HT_ERR_NOT_FOUND: no such branch, sac or file; HT_ERR_FORMAT, HT_ERR_MEMORY. The caller frees.
 * Several threads may measure in the same results. */
ht_status ht_measure(const ht_results *results, const ht_measure_place *place,
                     ht_measurement *measurement);

#endif

/* Measures a region of the wall. */
#ifndef HT_MEASURE_REGION_H
#define HT_MEASURE_REGION_H

#include "app/measure/measurement.h"

/* Errors and ownership as ht_measure. */
ht_status ht_measure_region(const ht_results *results, const ht_measure_place *place,
                            ht_measurement *measurement);

#endif

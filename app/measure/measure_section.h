/* Measures a section: at a plane or a station. */
#ifndef HT_MEASURE_SECTION_H
#define HT_MEASURE_SECTION_H

#include "app/measure/measurement.h"

/* Errors and ownership as ht_measure. */
ht_status ht_measure_section(const ht_results *results, const ht_measure_place *place,
                             ht_measurement *measurement);

#endif

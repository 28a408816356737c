/* The numbers of a section: of the mean of the flow, and at the moments of its beat. */
#ifndef HT_SECTION_ROWS_H
#define HT_SECTION_ROWS_H

#include "app/measure/measurement.h"
#include "app/measure/section_place.h"

/* Fills in rows and `from` of the measurement, whose area and along_mm are known. *flow_ml_s: the
 * mean flow along placed->axis. HT_ERR_VESSEL: no node of the flow lies in it; HT_ERR_FORMAT: the
 * samples of the beat cannot be read; HT_ERR_MEMORY. */
ht_status ht_section_rows(const ht_results *results, const ht_placed_section *placed,
                          ht_measurement *measurement, double *flow_ml_s);

#endif

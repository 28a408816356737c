/* Inflow that the case prescribes over a beat: the curve, with the samples that it was made
 * from. */
#ifndef HT_INFLOW_TABLE_H
#define HT_INFLOW_TABLE_H

#include "core/formats/json.h"
#include "core/vessel/openings.h"
#include "run/case/case.h"

/* Writes the prescribed flow through all inlets together as CSV: time_s from the start of the beat,
 * flow_ml_s at even moments and at each sample, sample_ml_s at the samples alone. HT_ERR_WRITE,
 * HT_ERR_MEMORY. */
ht_status ht_inflow_write(const char *path, const ht_case *settings, const ht_openings *openings);

/* Adds the object "inflow" with its mean, highest and lowest flow, beat and rate; does nothing
 * where the flow is steady. */
void ht_inflow_json(ht_json *json, const ht_case *settings, const ht_openings *openings);

#endif

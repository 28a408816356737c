/* Flow into each inlet. */
#ifndef HT_PLACE_FLOWS_H
#define HT_PLACE_FLOWS_H

#include "run/case/case.h"
#include "run/openings/usual_flow.h"

/* Sets flow_ml_s of every inlet: from its own entry, else the case's inlet_flow_ml_s, else the mean
 * of the waveform's file (for a velocity: times the inlet's area, with a warning), else, in head
 * and neck, the usual flow of its even_mm2 (usual_flow.h; with a warning). HT_ERR_CASE where none
 * of them applies, with the usual flows. */
ht_status ht_place_flows(const ht_case *settings, ht_openings *openings);

/* Returns 1 where the flow's mean velocity occurs in no vessel: above 1 m/s, or below 0.03 m/s and
 * half the usual flow's. ht_place_flows warns of it: the flow probably has another unit. */
int ht_flow_is_unusual(double flow_ml_s, double area_mm2);

#endif

/* The flow into each inlet. */
#ifndef HT_PLACE_FLOWS_H
#define HT_PLACE_FLOWS_H

#include "case.h"

/* Sets flow_ml_s of every inlet: from its own entry, else the case's inlet_flow_ml_s, else the mean
 * of the waveform's file (of a velocity times the inlet's area, with a warning), else the usual
 * flow (with a warning). HT_ERR_CASE where none of them applies. */
ht_status ht_place_flows(const ht_case *settings, ht_openings *openings);

/* The usual flow of an artery by the area of its section, mL/s: Q = 48.21 A^1.84, A in cm2, of
 * internal carotid and vertebral arteries (Cebral et al., Physiol. Meas. 29 (2008) 585). For
 * diameters below 10 mm. */
double ht_usual_flow_ml_s(double area_mm2);

/* Whether the flow's mean velocity is found in no vessel: above 1 m/s, or below 0.03 m/s and half
 * the usual flow's. ht_place_flows warns of it: the flow probably has another unit. */
int ht_flow_is_unusual(double flow_ml_s, double area_mm2);

#endif

/* Conditions at the outlets: their model, their planned flows, Windkessels of an aorta. */
#ifndef HT_PLACE_OUTLETS_H
#define HT_PLACE_OUTLETS_H

#include "run/case/case.h"
#include "solver/inflow/windkessel_fit.h"

/* Returns the model that the case prescribes. Automatic: Windkessels where there is a patient with
 * an aorta, or the aorta's waveform and several outlets (equal pressures would send blood where the
 * scan ends soonest); else pressure. */
ht_outlet_model ht_place_outlet_model(const ht_case *settings, const ht_openings *openings);

/* Returns the flow of all inlets, mL/s. */
double ht_place_inflow_ml_s(const ht_openings *openings);

/* Computes the planned flow out of each outlet, mL/s, [openings->count], 0 for the others: shares
 * of the inlets' flow, by flow_fraction where all outlets have one, by area where the case says so,
 * else by Murray's law. Where outlets have a pressure the true shares may differ. */
void ht_place_outflows(const ht_case *settings, const ht_openings *openings, double *outflow_ml_s);

/* Windkessels fitted to an aorta's blood pressure; systolic_pa 0: none. */
typedef struct {
  int is_all;              /* 1: every outlet got a fitted Windkessel */
  ht_heart heart;          /* in the state of the case */
  double asked_mmhg[2];    /* requested: systolic, diastolic, at rest */
  ht_windkessel whole;     /* the parallel sum of all outlets */
  ht_windkessel_beat beat; /* beat of the lumped model, in that state */
} ht_physiology;

/* Gives the outlets of an aorta their Windkessels: fitted to the blood pressure of the patient
 * (where none is given, the usual one at the age; 120 over 80 mmHg without an age), divided by
 * their planned shares, so that all have the same time constant and the flow divides as planned.
 * Outlets that have a Windkessel keep it. With dobutamine the compliance, the proximal resistance
 * and the mean pressure are those at rest (Pellikka et al., Am. J. Cardiol. 76 (1995) 881: little
 * change): the distal resistance falls. Does nothing where the model is another, or the case has
 * its own values to fit (outlets.mean_pressure_mmhg). Call it after ht_place_flows. HT_ERR_CASE: as
 * ht_windkessel_fit, flow fractions that are not complete. */
ht_status ht_place_windkessels(const ht_case *settings, ht_openings *openings,
                               ht_physiology *physiology);

/* Returns the mean pressure that the outlets' own Windkessels give with the inlets' flow; NaN where
 * an outlet has none. ht_place_windkessels warns of one that no patient has: a resistance in
 * another unit. */
double ht_place_mean_pressure_mmhg(const ht_openings *openings);

#endif

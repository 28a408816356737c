/* Usual flows in vessels: the flow that is used where none is given, and the bands that a flow's
 * numbers are compared with. Sources: docs/case-file.md. */
#ifndef HT_USUAL_FLOW_H
#define HT_USUAL_FLOW_H

#include "run/case/case.h"

/* Returns the usual flow of an artery by the area of its section, mL/s: Q = 48.21 A^1.84, A in cm2,
 * of internal carotid and vertebral arteries (Cebral et al., Physiol. Meas. 29 (2008) 585). Flows
 * that others measured in such arteries are up to 2.5 times as large. */
double ht_usual_flow_ml_s(double area_mm2);

/* Widths of these arteries, mm. Least: a narrower vertebral artery is hypoplastic; most: the mean
 * and two standard deviations of internal carotid arteries. */
#define HT_USUAL_FLOW_LEAST_MM 2.5
#define HT_USUAL_FLOW_MOST_MM  7.

/* Largest ratio of measured flows to that of the relation. */
#define HT_USUAL_FLOW_SPREAD 2.5

typedef enum { HT_BODY_UNKNOWN = 0, HT_BODY_HEAD, HT_BODY_OTHER } ht_body;

/* Returns where the vessel is, head and neck or elsewhere: by the case (patient.kind, a named
 * preset), else by the parts of the body in the scan's tags (scan_signs.h). */
ht_body ht_body_of(const ht_case *settings);

/* Returns "internal carotid 3.5 to 5, ...": measured flows (mL/s) of vessels of about this width,
 * for a message. */
const char *ht_usual_flows_text(double diameter_mm);

/* Usual numbers of the flow in vessels of about this width, at rest, means over the beat. */
typedef struct {
  const char *such;       /* "arteries up to 7 mm wide" */
  double velocity_m_s[2]; /* least and most, over the section */
  double wss_pa[2];       /* mean over the wall */
  double drop_mmhg;       /* at most, without a narrowing */
} ht_usual_band;

ht_usual_band ht_usual_band_of(double diameter_mm);

#endif

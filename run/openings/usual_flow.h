/* What flows in vessels usually: the flow that is taken where none is given, and the bands beside
 * which a flow's numbers stand. Sources: docs/case-file.md. */
#ifndef HT_USUAL_FLOW_H
#define HT_USUAL_FLOW_H

#include "run/case/case.h"

/* The usual flow of an artery by the area of its section, mL/s: Q = 48.21 A^1.84, A in cm2, of
 * internal carotid and vertebral arteries (Cebral et al., Physiol. Meas. 29 (2008) 585). Flows that
 * others measured in such arteries are up to 2.5 times as large. */
double ht_usual_flow_ml_s(double area_mm2);

/* Widths of these arteries, mm: a vertebral artery is hypoplastic up to the least; the most is the
 * mean and two standard deviations of internal carotid arteries. */
#define HT_USUAL_FLOW_LEAST_MM 2.5
#define HT_USUAL_FLOW_MOST_MM  7.

/* Flows that were measured are at most this many times that of the relation. */
#define HT_USUAL_FLOW_SPREAD 2.5

typedef enum { HT_BODY_UNKNOWN = 0, HT_BODY_HEAD, HT_BODY_OTHER } ht_body;

/* Where the vessel is, head and neck or elsewhere: as the case says (patient.kind, a preset that is
 * named), else by the parts of the body in the scan's tags (scan_signs.h). */
ht_body ht_body_of(const ht_case *settings);

/* "internal carotid 3.5 to 5, ...": measured flows (mL/s) of vessels about so wide, for a message.
 */
const char *ht_usual_flows_text(double diameter_mm);

/* Usual numbers of the flow in vessels about so wide, at rest, means over the beat. */
typedef struct {
  const char *such;       /* "arteries up to 7 mm wide" */
  double velocity_m_s[2]; /* least and most, over the section */
  double wss_pa[2];       /* mean over the wall */
  double drop_mmhg;       /* at most, without a narrowing */
} ht_usual_band;

ht_usual_band ht_usual_band_of(double diameter_mm);

#endif

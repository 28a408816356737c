/* Measured flow through the vessel of one opening. */
#ifndef HT_OPENING_FLOW_H
#define HT_OPENING_FLOW_H

#include "run/measured/section_flow.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int sections;      /* sections whose mean this is; 0: it was not measured, and `why` tells why */
  double *flow_ml_s; /* [times] from the opening into the vessel. Owned */
  double mean_ml_s;  /* over the time points */
  double spread;     /* standard deviation of the sections' mean flows, as a part of their mean */
  double centre_mm[3]; /* of the first section, LPS */
  double normal[3];    /* of the same, unit, from the opening into the vessel */
  double area_mm2;     /* of the same, in its plane */
  double beyond; /* flow next to the first section, outside the vessel, as a part of its own */
  double across; /* voxels of the measurement across it */
  char why[320];
} ht_opening_flow;

/* Measures the flow through opening number `number`: in the sections of its vessel that no other
 * inlet's or outlet's blood passes. Of a plane the section in it that is nearest to the opening;
 * of a volume up to 5 sections, from half a radius inside the opening on. HT_ERR_MEMORY. The caller
 * frees, also after a failure. */
ht_status ht_opening_flow_measure(const ht_measured_flow *flow, const ht_mask *mask,
                                  const ht_openings *openings, int number, ht_opening_flow *made);
void ht_opening_flow_free(ht_opening_flow *made); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif

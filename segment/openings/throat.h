/* Fastest place of a vessel: the largest flow per area. */
#ifndef HT_THROAT_H
#define HT_THROAT_H

#include "core/vessel/openings.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double flow_ml_s;    /* flow through it, branches before it subtracted */
  double area_mm2;     /* area of the section across the vessel */
  double speed_m_s;    /* flow / area: the mean over the section; 0: there is no throat */
  double centre_mm[3]; /* LPS */
  double to_outlet_mm[HT_OPENINGS_MAX]; /* distance along the vessel to each outlet downstream; 0:
                                           the opening is none. Accurate to some 5 % */
} ht_throat;

/* Finds the largest mean velocity Q(s) / A(s) along the centrelines of a vessel (isotropic mask,
 * one piece). The centrelines are those of fronts' centres (ends.h): fronts run from the inlet with
 * the most flow, and a front's flow is that of the openings downstream of it: outlets take
 * `outflow_ml_s` [openings->count] (0 for the others), further inlets bring theirs (flow_ml_s).
 * Where a front has several upstream (a ring of vessels), they share its flow by the area of
 * contact. A(s) is measured on the plane across the centreline; the openings themselves count with
 * their radius. Accurate to 5 % where the vessel is 8 nodes across or more. No inlet with a flow:
 * speed_m_s is 0. HT_ERR_MEMORY. */
ht_status ht_throat_find(const ht_mask *mask, const ht_openings *openings,
                         const double *outflow_ml_s, ht_throat *throat);

#ifdef __cplusplus
}
#endif
#endif

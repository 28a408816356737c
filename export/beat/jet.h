/* The direction of the jet of a narrowing. */
#ifndef HT_JET_H
#define HT_JET_H

#include "core/vessel/flow.h"
#include "export/beat/gradient.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills in gradient->jet_angle_deg: the angle between the vessel's direction at the throat and the
 * mean velocity of the jet's core, which is those nodes of the fastest section from the throat to
 * the distal station that have at least 0.9 of its highest speed. 0: the jet runs along the vessel.
 * It stays NAN where no place is narrow, the path is another one than the beat's, or nothing flows.
 * The flow: of a pulse at one moment (that of the largest inflow), else the steady one. */
void ht_jet_angle(const ht_vessel_path *path, const ht_flow *flow, ht_gradient *gradient);

#ifdef __cplusplus
}
#endif
#endif

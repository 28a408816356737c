/* The pressure that a sponge (sponge.h) costs, taken out of what its outlet prescribes: so the
 * pressure of an outlet, or of its Windkessel, is the one at the vessel's end. Private to solver/.
 *
 * The loss is fitted as a flow + b flow |flow| to the pressure between the opening and the port.
 * The inertia of the blood between them, which goes with the change of the flow, has no part in
 * such a fit over whole beats. Taking out less than there is, or the same a little later, adds no
 * energy. */
#ifndef HT_SPONGE_LOSS_H
#define HT_SPONGE_LOSS_H

#include "solve_run.h"

/* One moment: the flow of each port, voxels a step, and the pressure at each opening; run->flow is
 * of that moment. */
void ht_sponge_loss_add(ht_solve_run *run, const double *flow_lu, const double *pressure_pa);

/* Fits the moments since the last call and forgets them. Without a moment, or where a fit has no
 * solution, the loss stays. */
void ht_sponge_loss_fit(ht_solve_run *run);

/* At a flow out of the vessel. */
double ht_sponge_loss_pa(const ht_outlet_state *outlet, double flow_m3_s);

#endif

/* The pressure that a sponge (sponge.h) costs, taken out of what its outlet prescribes: so the
 * pressure of an outlet, or of its Windkessel, is the one at the vessel's end. Private to solver/.
 *
 * The loss is fitted as a flow + b flow |flow| to the pressure between the opening and the port.
 * The inertia of the blood between them, which goes with the change of the flow, has no part in a
 * fit over a whole beat. The flow that counts is filtered, so that sound meets the sponge alone,
 * and is at most the largest of the fit: a loss that is taken out where there is less of it drives
 * the flow up further. */
#ifndef HT_SPONGE_LOSS_H
#define HT_SPONGE_LOSS_H

#include "solve_run.h"

/* One moment, not while the inflow still rises from rest: the flow of each port, voxels a step, and
 * the pressures at each opening and over each port (opening_nodes.h). */
void ht_sponge_loss_add(ht_solve_run *run, const double *flow_lu, const double *pressure_pa,
                        const double *port_pa);

/* Fits the moments added; `remember`: the share of their weight that they have in the next fit.
 * Without a moment the loss stays. */
void ht_sponge_loss_fit(ht_solve_run *run, double remember);

/* The loss at the flow out of the vessel that was measured now. */
double ht_sponge_loss_follow(ht_outlet_state *outlet, double flow_m3_s);

#endif

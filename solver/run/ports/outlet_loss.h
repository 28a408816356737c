/* The pressure between the vessel's end and the port, taken out of what an outlet prescribes: so
 * the pressure of an outlet, or of its Windkessel, is the one at the vessel's end. It is that of
 * the flow extension, of its sponge (sponge.h), and of the last nodes before a port that crosses
 * the vessel obliquely, where the pressure jumps with the square of the velocity. Private to
 * solver/.
 *
 * In a pulse, and where there are sponges, the loss is fitted as a flow + b flow |flow| to the
 * pressure between the opening and the port. The inertia of the blood between them, which goes with
 * the change of the flow, has no part in a fit over a whole beat. The flow that counts is filtered,
 * so that sound meets the extension alone, and is at most the largest of the fit: a loss that is
 * taken out where there is less of it drives the flow up further.
 *
 * In a steady flow without sponges the loss is a number, found again at each check: the pressure at
 * the port rises by what is missing at the vessel's end. That is stable whatever the loss and the
 * direction of the flow, as the vessel's end gets a share between 0 and 1 of the port's change. */
#ifndef HT_OUTLET_LOSS_H
#define HT_OUTLET_LOSS_H

#include "core/numbers/units.h"
#include "solver/run/ports/outlet_state.h"

/* Adds a moment: the flow of each port, voxels per step; the rate of the inflow in any unit (0:
 * steady); the pressures at each opening and over each port (opening_nodes.h). */
void ht_outlet_loss_add(const ht_units *units, const double *flow_lu, double rate,
                        const double *pressure_pa, const double *port_pa,
                        ht_outlet_states *outlets);

/* Fits the moments added; `remember`: the share of their weight that they have in the next fit.
 * Without a moment the loss stays. Where there are `whole` or more, those of a whole beat, what the
 * fit leaves of their mean is no inertia: it becomes a part of the loss. */
void ht_outlet_loss_fit(double remember, int whole, ht_outlet_states *outlets);

/* Returns 1 once a loss has been fitted; with flow.cycles 1 no earlier beat may be there to fit it
 * to. */
int ht_outlet_loss_is_known(const ht_outlet_states *outlets);

/* Fits a part of the first beat on the finer lattice, as a flow + c rate, the second of which is
 * inertia, and forgets the moments. The loss is then a flow, where that lies between the first
 * guess and the loss on the coarse lattice: the inertia of a fast pulse hides it. Jets fluctuate
 * too much for a fit: with sponges the guess stays. */
void ht_outlet_loss_fit_part(ht_outlet_states *outlets);

/* Moves the loss that is taken off the outlets by `share` of the way to the loss measured at these
 * pressures in a steady flow; all the way where there is one outlet, whose pressure is 0 on the
 * lattice. */
void ht_outlet_loss_hold(const double *pressure_pa, const double *port_pa, double share,
                         ht_outlet_states *outlets);

/* Converts the loss on a lattice of another spacing to that of the ports' own: what it has above
 * friction goes with the spacing, as the jump before the port is of first order, and as the
 * sponge's viscosity does. */
void ht_outlet_loss_refine(const ht_domain *domain, double from_mm, double viscosity_pa_s,
                           ht_outlet_states *outlets);

/* Returns the loss at the flow out of the vessel that was measured now, Pa. */
double ht_outlet_loss_follow(ht_outlet_state *outlet, double flow_m3_s);

/* Returns how far the outlets are off where several of a given pressure divide the flow: the
 * largest difference between their pressures at the vessel's end and the given ones, over that
 * between the openings; else 0. */
double ht_outlet_loss_off(const ht_outlet_states *outlets, const double *pressure_pa);

#endif

/* The velocity over an inlet for shear-thinning blood, over a section of any shape. */
#ifndef HT_THINNING_PROFILE_H
#define HT_THINNING_PROFILE_H

#include "solver/kernels/blood.h"
#include "solver/inflow/inlet_profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the profile of ht_inlet_profile for a viscosity that depends on the shear rate: `share`
 * [port->nodes] is the solution of
 *   div(nu(|grad u|) grad u) = -G,
 * across the vessel, with G such that the volume flow is `flow_m3_s` (either sign). `law` in SI:
 * m2/s over 1/s, without eddies; `dx_m` the spacing. Solves repeatedly with the viscosity of the
 * last solution (Picard), until no share changes by more than 1e-6 of the largest.
 * HT_ERR_MEMORY. */
ht_status ht_thinning_profile(const int dim[3], const ht_port *port, const ht_viscosity_law *law,
                              double flow_m3_s, double dx_m, double *share);

#ifdef __cplusplus
}
#endif
#endif

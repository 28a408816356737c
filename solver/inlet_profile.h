/* The developed (parabolic) inlet profile, for a section of any shape. Private to solver/. */
#ifndef HT_INLET_PROFILE_H
#define HT_INLET_PROFILE_H

#include "domain.h"

/* Shape of the developed laminar flow over a port's nodes: the solution of  laplace(u) = -1  across
 * the vessel with u = 0 half a voxel outside the section's rim (Poiseuille: a paraboloid where the
 * section is round). `share` [port->nodes]: of the volume flow that each node carries; they add up
 * to 1. Where the vessel crosses the plane obliquely the Laplacian is that of the plane across the
 * vessel. `dim` is of the domain's mask. HT_ERR_MEMORY. */
ht_status ht_inlet_profile(const int dim[3], const ht_port *port, double *share);

#endif

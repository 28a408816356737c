/* The velocity's slope at a wall that lies between the nodes: private to export/. */
#ifndef HT_WALL_FIT_H
#define HT_WALL_FIT_H

#include "flow.h"

/* The wall shear stress vector, Pa, LPS, at a point near the wall: `index` on the lattice of the
 * domain, which has a wall_distance; `inward` a unit normal into the fluid along the lattice's
 * axes, for where the distance tells none. By weighted least squares over the fluid nodes within 3
 * spacings of the wall's point below `index`, y the distance from the wall, s and t across:
 *   u = a y + b y^2 + c y^3 + d y s + e y t        (0 at the wall, with the wall's own curvature)
 * and the stress is the viscosity times a, along the wall: third order in y. Where the nodes do not
 * tell all five, the last are left out. Where the viscosity depends on the shear rate it is the
 * ratio of the stress at the same nodes to the slope there, continued to the wall by a straight
 * line. Returns the number of nodes; 0: none, and wss_pa is not set. */
int ht_wall_fit(const ht_domain *domain, const ht_flow *flow, const double index[3],
                const double inward[3], double wss_pa[3]);

#endif

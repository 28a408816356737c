/* The shear stress at a wall that lies between the nodes: private to export/. */
#ifndef HT_WALL_FIT_H
#define HT_WALL_FIT_H

#include "flow.h"

/* The wall shear stress vector, Pa, LPS, at a point near the wall: `index` on the lattice of the
 * domain, which has a wall_distance; `inward` a unit normal into the fluid along the lattice's
 * axes, for where the distance tells none. By weighted least squares over the fluid nodes within 3
 * spacings of the wall's point below `index`, y the distance from the wall, s and t across: each
 * component of the stress on planes parallel to the wall
 *   a + b y + c y^2 + d s + e t + f s^2 + g s t + h t^2 + i y^3
 * at y = s = t = 0, along the wall. Half of the weight is that of the balance of momentum at the
 * wall, b = (the pressure's gradient along the wall, fitted likewise) + a (sum of the wall's
 * curvatures). What the nodes do not tell is left out, the last first. Between walls less than some
 * 5 spacings apart the nodes on this wall's side count, as the stress changes its sign between the
 * two. The walls of the solver have to be where the distance is: half-way walls are not.
 * Returns the number of nodes; 0: none, and wss_pa is not set. */
int ht_wall_fit(const ht_domain *domain, const ht_flow *flow, const double index[3],
                const double inward[3], double wss_pa[3]);

#endif

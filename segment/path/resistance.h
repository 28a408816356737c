/* Resistance of a way to the flow: of two ways between points blood takes that of the least.
 * Private to segment/. */
#ifndef HT_RESISTANCE_H
#define HT_RESISTANCE_H

#include "segment/path/way.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the integral of ds / r^4 along all of a measured way, 1/mm3: its viscous resistance but
 * for 8 viscosity / pi (Hagen-Poiseuille). */
double ht_way_resistance(const ht_way *way);

/* Returns 1 where a measured way is much thinner than the vessel at both of its ends (snap.h) for
 * four of that vessel's radii and more, as a tributary is that joins two wide vessels; a narrowing
 * is shorter. `ball` gets a ball around the middle of that stretch. */
int ht_way_is_thin(const ht_way *way, double voxel_mm, ht_closed_ball *ball);

#ifdef __cplusplus
}
#endif
#endif

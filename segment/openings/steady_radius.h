/* The radius of a vessel without the bumps on its way. Private to segment/. */
#ifndef HT_STEADY_RADIUS_H
#define HT_STEADY_RADIUS_H

/* At each of `count` places along a way the largest radius that the vessel has over three diameters
 * of it without a break, there or beside: a sac's neck, a junction or an inlet that joins is
 * shorter, and drops out; a wider vessel, an aneurysm of the whole vessel that is longer, and a
 * narrowing stay. A stretch up to an end of the way counts as long enough. An opening as in
 * mathematical morphology, on a line, with an element that grows with the radius. `along`
 * [count] ascending, `radius` [count] and `steady` [count], which is at most the radius, have one
 * unit. */
void ht_steady_radius(int count, const double *along, const double *radius, double *steady);

#endif

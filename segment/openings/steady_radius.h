/* Radius of a vessel without the bumps along its way. Private to segment/. */
#ifndef HT_STEADY_RADIUS_H
#define HT_STEADY_RADIUS_H

/* Finds at each of `count` places along a way the largest radius that the vessel keeps over three
 * of its diameters without a break, in a stretch that holds the place. A sac's neck, a junction or
 * a joining inlet is shorter and drops out; a wider vessel, a longer aneurysm of the whole vessel,
 * and a narrowing stay. A stretch up to an end of the way counts as long enough. An opening as in
 * mathematical morphology, on a line, with an element that grows with the radius. `along` [count]
 * ascending, `radius` [count] and `steady` [count], which is at most the radius, share one unit. */
void ht_steady_radius(int count, const double *along, const double *radius, double *steady);

#endif

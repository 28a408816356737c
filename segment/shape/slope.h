/* The slope at the beginning of a line of noisy places. Private to segment/. */
#ifndef HT_SLOPE_H
#define HT_SLOPE_H

enum { HT_SLOPE_PLACES = 256 }; /* at most */

/* The slope d across / d depth at depth[0] of a centreline through places (two coordinates across a
 * depth that grows), without knowledge of how far it is straight. In the plane in which it
 * bends most, and across that, its slope or its curvature is a random walk (the smoothing splines
 * of G. Wahba, J. R. Stat. Soc. B 40 (1978) 364), as fast as the places themselves make likely. The
 * walks from none (a line, a parabola) to that of a sharp bend are followed by a Kalman filter from
 * the deepest place to the first, and their slopes averaged by likelihood: no test says that a
 * vessel is straight, so the slope is continuous in the places. `width`: of the vessel, in the unit
 * of the places; `voxel`: of the mask. Slope 0 where there are fewer than 3 places. */
void ht_slope_of_places(const double *depth, const double (*place)[2], int count, double width,
                        double voxel, double slope[2]);

#endif

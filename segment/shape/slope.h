/* Slope at the beginning of a line of noisy places. Private to segment/. */
#ifndef HT_SLOPE_H
#define HT_SLOPE_H

enum { HT_SLOPE_PLACES = 256 }; /* at most */

/* Computes the slope d across / d along at along[0] of a centreline through places (along grows;
 * all in widths of the vessel), without knowledge of where it bends: the mean over models, each
 * weighted by how likely it makes the places (J. A. Hoeting et al., Stat. Sci. 14 (1999) 382). A
 * model is a line or an arc as far as the places go; or one up to some depth, and beyond it a curve
 * whose curvature wanders. A Kalman filter follows each from the deepest place to the first. No
 * test says that a vessel is straight, so the slope is continuous in the places. `noise`: standard
 * deviation of a place, > 0. */
double ht_slope_of_places(const double *along, const double *across, int count, double noise);

#endif

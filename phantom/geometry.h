/* Simple geometries from a seed, for the benchmark and the tests. Pure C, no imaging libraries.
 */
#ifndef HT_GEOMETRY_H
#define HT_GEOMETRY_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a box of fluid voxels. */
ht_status ht_geometry_box(const int dim[3], ht_mask *mask);

/* Makes bent tubes like vessels: each a random walk of spheres with a radius between radius[0] and
 * radius[1] voxels, added until `porosity` (fluid / all voxels) is reached. */
ht_status ht_geometry_tubes(const int dim[3], const double radius[2], double porosity,
                            uint64_t seed, ht_mask *mask);

/* Makes the space between overlapping solid spheres of one radius (Tomczak & Szafran, section 4.6;
 * Huang et al., J. Parallel Distrib. Comput. 84 (2015) 1), added until the porosity has fallen to
 * `porosity`. */
ht_status ht_geometry_spheres(const int dim[3], double radius, double porosity, uint64_t seed,
                              ht_mask *mask);

/* Makes a straight channel along z, `length` voxels long: a square of `across` voxels, all of it
 * fluid, or (round) those voxels of it whose centre lies in the circle of that diameter. */
ht_status ht_geometry_channel(int across, int length, int round, ht_mask *mask);

/* Number of fluid voxels in one slice of the channel. */
int64_t ht_geometry_channel_section(int across, int round);

/* Makes a distance from the wall as interpolated walls need it, [nz][ny][nx], > 0 in the fluid:
 * random, from 0.1 to 1 voxels, so that the wall is anywhere between fluid and solid. The caller
 * frees. */
ht_status ht_geometry_rough_walls(const ht_mask *mask, float **distance);

#ifdef __cplusplus
}
#endif
#endif

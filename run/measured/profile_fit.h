/* Measured velocity over a section, as the profile of an inlet. */
#ifndef HT_PROFILE_FIT_H
#define HT_PROFILE_FIT_H

#include "run/measured/section_flow.h"
#include "solver/inflow/measured_profile.h"

/* Voxels across the section from which its profile is resolved. */
enum { HT_PROFILE_ACROSS_LEAST = 8 };

/* Fits the profile of a section, whose cut has its normal along the flow, by least squares to the
 * velocities of the voxels, each times its share of blood: what the profile has in the voxel. Mean
 * and harmonics by the time points, which are even over the beat. *misfit: root mean square of what
 * is left, as a part of that of the velocities: noise, and what the polynomial cannot follow.
 * profile->harmonics is -1 where the voxels do not determine it. HT_ERR_MEMORY. */
ht_status ht_profile_fit(const ht_measured_flow *flow, const ht_vessel_cut *cut, int section,
                         ht_measured_profile *profile, double *misfit);

#endif

/* Pipes as flow domains, made by hand: for tests of the solver alone. */
#ifndef HT_PIPE_DOMAIN_H
#define HT_PIPE_DOMAIN_H

#include "core/vessel/domain.h"

/* Diameter and length in nodes; the flow goes along `axis` in direction `sign`. The centre line
 * lies between nodes for even diameters, so that the section is symmetric. spacing in mm. Inlet
 * flow in mL/s. The caller frees with ht_domain_free. */
ht_status ht_pipe_domain(int diameter, int length, int axis, int sign, double spacing_mm,
                         double flow_ml_s, ht_domain *domain);

/* A pipe in along +x, through a quarter bend, out along +y; in the middle of the bend its diameter
 * is smaller by the fraction `narrowing`. The caller frees with ht_domain_free. */
ht_status ht_bent_pipe_domain(int diameter, double narrowing, double spacing_mm, double flow_ml_s,
                              ht_domain *domain);

/* A sponge over what lies at 16 nodes along z or further, rising to its end: voxels and the
 * viscosity added there, of which the caller has enough room. Returns their number. */
int64_t ht_pipe_sponge(const ht_mask *mask, int64_t *voxel, float *added);

#endif

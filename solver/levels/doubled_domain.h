/* A flow domain at twice the spacing, whose voxels are 2x2x2 of the finer one's. Private to
 * solver/levels/. */
#ifndef HT_DOUBLED_DOMAIN_H
#define HT_DOUBLED_DOMAIN_H

#include "core/vessel/domain.h"

/* Makes the domain, half as many voxels along each axis as `fine`, whose numbers are even. A voxel
 * is fluid where the mean of the fine distances is above 0; without distances where four of the
 * eight are fluid. Distances are true to 3 of its own spacings, as those of `fine` are to 3 of
 * theirs. A port moves up to one fine spacing into the domain; a small one may have no node
 * there. HT_ERR_MEMORY. The caller frees with ht_domain_free(), after a failure too. */
ht_status ht_doubled_domain_make(const ht_domain *fine, ht_domain *coarse);

#endif

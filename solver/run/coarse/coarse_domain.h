/* A flow domain on a lattice of twice the spacing. Private to solver/. */
#ifndef HT_COARSE_DOMAIN_H
#define HT_COARSE_DOMAIN_H

#include "core/vessel/domain.h"

/* Takes every second node along each axis, from the first on: coarse voxel (i, j, k) lies at the
 * fine one's (2 i, 2 j, 2 k), fluid where that is, its wall distance half of that one's. A port on
 * a plane between two coarse ones moves one fine spacing into the domain. The fine distances are
 * true to 1.5 coarse spacings only; links longer than that take what there is. HT_ERR_MEMORY,
 * HT_ERR_OPENINGS (a port without a coarse node); the caller frees the domain, also after a
 * failure. */
ht_status ht_coarse_domain_make(const ht_domain *fine, ht_domain *coarse);

#endif

/* The conditions that every flow domain has to meet. */
#ifndef HT_DOMAIN_CHECKS_H
#define HT_DOMAIN_CHECKS_H

#include "core/vessel/domain.h"

/* Fails the test, saying what does not hold, unless: the grid is the mask's, padded; the outermost
 * voxels are solid; the vessel is the mask's voxels that are 6-connected to a port, and nothing
 * else; everything is 6-connected to a port; each port is one layer of at least
 * HT_OPENING_FEWEST_NODES extension nodes, each with a fluid node inside and nothing fluid outside
 * of it; a node is in one port; no two extensions touch, and each touches the vessel at its own cut
 * plane only; no extension voxel hangs on by fewer than two sides. */
void ht_check_domain(const ht_mask *mask, const ht_domain *domain);

/* The extension of port p: 1 for its voxels, else 0, [voxels]; free() it. And how many they are. */
int *ht_extension_marks(const ht_domain *domain, int p);
int64_t ht_extension_voxels(const ht_domain *domain, int p);

#endif

/* Tells whether the blood of a CT contains a contrast agent. Private to segment/.
 *
 * Blood with an agent is evenly bright and borders on what is dimmer. Bone is as bright, but
 * uneven, and brighter at its rim than within. So a voxel of 150 to 900 HU counts where its 27
 * neighbours differ little (by a tenth of their height over tissue, plus the noise), and rays to
 * nearly all sides reach tissue without meeting anything brighter. The agent is present where
 * enough voxels count, and they have one value (blood) or are nearly all of the even voxels. The
 * limits are our own choice; docs/segmentation.md lists the scans that they were tested on. */
#ifndef HT_AGENT_H
#define HT_AGENT_H

#include "segment/voxels/component.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int is_ct; /* 0: the values are not those of a CT with air and tissue, and nothing else is
                known */
  int is_there;
  double level, noise; /* HU: half-way from tissue to the median of the voxels found; noise of
                          tissue */
} ht_agent;

/* Looks for the agent in the box of the scan. Vessels thinner than four voxels have no even middle:
 * an agent in such vessels alone is not seen. */
ht_agent ht_agent_find(const ht_volume *scan, const ht_box *box);

#ifdef __cplusplus
}
#endif
#endif

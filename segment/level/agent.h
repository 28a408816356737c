/* Is there a contrast agent in the blood of a CT? Private to segment/.
 *
 * Blood with an agent is evenly bright and borders on what is dimmer. Bone is as bright, but
 * uneven, and brighter at its rim than within. So: voxels of 150 to 900 HU count whose 27
 * neighbours differ little (by a tenth of their height over tissue, beside the noise), and from
 * which rays to nearly all sides reach tissue without meeting anything brighter. The agent is there
 * where there are enough of these, and they have one value (blood), or nearly all even voxels are
 * among them. Limits are our own choice; what they were tested on: docs/segmentation.md.
 */
#ifndef HT_AGENT_H
#define HT_AGENT_H

#include "segment/voxels/component.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int is_ct; /* 0: the values are not those of a CT with air and tissue, nothing else is known */
  int is_there;
  double level, noise; /* HU: half-way from tissue to the median of the voxels found; of tissue */
} ht_agent;

/* In the box of the scan. Vessels thinner than four voxels have no even middle: an agent in such
 * vessels alone is not seen. */
ht_agent ht_agent_find(const ht_volume *scan, const ht_box *box);

#ifdef __cplusplus
}
#endif
#endif

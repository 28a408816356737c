/* The parent vessel's tube: balls along the centrelines. Private to export/sac/. */
#ifndef HT_SAC_TUBE_H
#define HT_SAC_TUBE_H

#include "export/sac/sac_vessel.h"

typedef struct {
  double centre_mm[3], radius_mm; /* radius: of the circle with the section's area */
} ht_tube_ball;

/* Makes a ball for each station of each path. Over sections that are not the vessel's alone
 * (is_mixed) the radius runs straight from those before to those after, and the centre along the
 * cubic through those within 1.5 radii to both sides, where that lies within a quarter of a radius
 * of the path all along. Those next to such a stretch have area and centroid of the wall's section,
 * which follows the mask to a hundredth of a voxel, a station's pixels to a fifth; they keep the
 * station's where the wall's area differs by more than a tenth. A path that is mixed everywhere has
 * none. HT_ERR_MEMORY. The caller frees `*ball`, also after a failure. */
ht_status ht_tube_balls(const ht_sac_vessel *vessel, ht_tube_ball **ball, int64_t *balls);

/* The ball whose surface is nearest to a point (least signed distance), and that distance. */
int64_t ht_tube_nearest(const ht_tube_ball *ball, int64_t balls, const double at_mm[3],
                        double *out_mm);

#endif

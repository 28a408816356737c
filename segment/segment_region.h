/* Part of a scan that is searched for the vessel, smoothed. Private to segment/. */
#ifndef HT_SEGMENT_REGION_H
#define HT_SEGMENT_REGION_H

#include "segment/voxels/component.h"
#include "core/work/progress.h"
#include "segment/settings/segment_options.h"

/* Finds the box of the options' region and ball; the seed must lie in it. HT_ERR_CASE. */
ht_status ht_segment_find_region(const ht_grid *grid, const ht_segment_options *options,
                                 ht_box *box);

/* Returns HT_ERR_MEMORY, with the remedy, where the box needs more bytes than are free. */
ht_status ht_segment_check_memory(const ht_grid *scan, const ht_box *box, double bytes_a_voxel,
                                  const char *remedy);

/* Makes the image of the box, without the bias where the options say so, and smoothed. Works slab
 * by slab, so that the filter's own images are small. The caller frees. HT_ERR_MEMORY,
 * HT_ERR_INTERRUPTED. */
ht_status ht_segment_smooth_region(const ht_volume *scan, const ht_box *box,
                                   const ht_segment_options *options, const ht_progress *progress,
                                   ht_volume *region);

/* Crops both to the vessel's surroundings where these are much smaller. HT_ERR_MEMORY. */
ht_status ht_segment_crop_to_vessel(ht_volume *region, ht_mask *vessel);

#endif

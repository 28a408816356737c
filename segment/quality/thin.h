/* Thin parts of a mask. Private to segment/quality/. */
#ifndef HT_THIN_H
#define HT_THIN_H

#include "segment/quality/quality_types.h"
#include "core/vessel/vessel_path.h"

/* Fills path_mm and the members after it except along_mm, from voxel_mm. HT_ERR_MEMORY. */
ht_status ht_thin_measure(const ht_mask *mask, const ht_vessel_path *path,
                          ht_mask_quality *quality);

#endif

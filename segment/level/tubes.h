/* Finds the bright tubes of a scan: multi-scale vesselness, block by block. Private to segment/. */
#ifndef HT_TUBES_H
#define HT_TUBES_H

#include "core/work/progress.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Marks in `tubes` (allocated by the caller, zeroed) the voxels whose vesselness
 * (ht_itk_vesselness, from 0 to 1) is at least `least` at one scale or more. Scales run from the
 * smallest to the largest radius (mm), at most a factor 2 apart; a scale of sigma s is computed on
 * the image averaged over boxes of up to 1.7 s: this loses only what the Gaussian removes anyway,
 * and costs a fraction. Blocks whose values span less than 1.25 `contrast` (the smallest step from
 * tissue to vessel that counts) hold no tube and are skipped. HT_ERR_MEMORY, HT_ERR_INTERRUPTED;
 * HT_ERR_CASE: the image is thinner than HT_SEGMENT_VOXELS_LEAST. */
ht_status ht_find_tubes(const ht_volume *image, const double radius_mm[2], double contrast,
                        double least, const ht_progress *progress, ht_mask *tubes);

#ifdef __cplusplus
}
#endif
#endif

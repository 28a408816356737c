/* The ITK filters that the segmentation uses, behind C.
 *
 * All of them work along the image's own axes: origin and direction of the grids are not looked at,
 * spacing is. Results do not depend on the number of threads. ITK's exceptions come back as
 * HT_ERR_MEMORY, HT_ERR_INTERRUPTED (the wish to stop is polled while a filter runs) or
 * HT_ERR_INTERNAL; outputs are then zeroed. `progress` may be NULL.
 */
#ifndef HT_VESSEL_H
#define HT_VESSEL_H

#include "progress.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Gaussian smoothing in place, twice over: 2 G - G G, the same sigma (mm) along every axis; 0:
 * nothing is done. One Gaussian alone would move the surface of a vessel of radius R inward by
 * sigma^2 / (2 R); twice over that is gone to first order (Tukey's twicing). Beyond the image its
 * border values are repeated. */
ht_status ht_itk_smooth(ht_volume *image, double sigma_mm, const ht_progress *progress);

/* Otsu's thresholds (IEEE Trans. Syst. Man Cybern. 9 (1979) 62) of a histogram with `bins` equal
 * bins from `least` to `most`, ascending; `count` of them split the values in count + 1 classes. */
ht_status ht_itk_otsu(const int64_t *histogram, int bins, double least, double most, int count,
                      double *thresholds);

/* Multi-scale tubularity of bright structures, from 0 to 1: eigenvalues of the Hessian, Frangi et
 * al. (MICCAI 1998) as generalised by Antiga (Insight Journal, 2007). Radii in mm; `contrast` is
 * the step from tissue to vessel, in the image's unit. Allocates; the caller frees. */
ht_status ht_itk_vesselness(const ht_volume *image, const double radius_mm[2], double contrast,
                            const ht_progress *progress, ht_volume *vesselness);

/* Numbers the 6-connected pieces of a mask 1 .. *count; 0 is outside. `labels` [nz][ny][nx] is
 * allocated; the caller frees it with free(). */
ht_status ht_itk_components(const ht_mask *mask, const ht_progress *progress, int32_t **labels,
                            int *count);

/* Distance (mm) of each voxel's centre to the nearest voxel centre of the mask; 0 inside. The mask
 * must not be empty. Allocates; the caller frees. */
ht_status ht_itk_distance(const ht_mask *mask, const ht_progress *progress, ht_volume *distance);

/* Fills what the mask encloses: background not 6-connected to the grid's border. In place. */
ht_status ht_itk_fill_cavities(ht_mask *mask, const ht_progress *progress);

#ifdef __cplusplus
}
#endif
#endif

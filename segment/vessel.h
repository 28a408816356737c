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

/* Geodesic active contour (Caselles, Kimmel & Sapiro, Int. J. Comput. Vision 22 (1997) 61) by ITK's
 * sparse field (Whitaker, Int. J. Comput. Vision 29 (1998) 203). `start` is positive in the vessel
 * and 0 at its surface; so is `contour` (allocated; the caller frees), which is a signed distance in
 * voxels next to the surface, and a constant farther off. The surface is drawn to the steepest edges
 * of `image`; those count whose gradient is about `edge` (values a mm) or more. `steps`: each moves
 * it by less than half a voxel. */
ht_status ht_itk_contour(const ht_volume *start, const ht_volume *image, double edge, int steps,
                         const ht_progress *progress, ht_volume *contour);

/* The field by which the image is too bright, 1 on average: N4 (Tustison et al., IEEE Trans. Med.
 * Imaging 29 (2010) 1310), from the voxels of `where`, whose values have to be above 0. Allocates;
 * the caller frees. */
ht_status ht_itk_bias(const ht_volume *image, const ht_mask *where, const ht_progress *progress,
                      ht_volume *bias);

/* Distance (mm) of each voxel's centre to the nearest voxel centre of the mask; 0 inside. The mask
 * must not be empty. Allocates; the caller frees. */
ht_status ht_itk_distance(const ht_mask *mask, const ht_progress *progress, ht_volume *distance);

#ifdef __cplusplus
}
#endif
#endif

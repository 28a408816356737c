/* ITK filters of the segmentation, with an interface in C.
 *
 * All work along the image's own axes: they ignore origin and direction of the grids, not the
 * spacing. Results do not depend on the number of threads. ITK's exceptions come back as
 * HT_ERR_MEMORY, HT_ERR_INTERRUPTED (an interrupt is polled while a filter runs) or
 * HT_ERR_INTERNAL; outputs are then zeroed. `progress` may be NULL. */
#ifndef HT_VESSEL_H
#define HT_VESSEL_H

#include "core/work/progress.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Smooths in place: (1 + a) G - a G G with a Gaussian G whose sigma along each of the image's axes
 * is sigma_mm[]; 0 along all: nothing is done. One Gaussian alone (a = 0) would move the surface of
 * a vessel of radius R inward by sigma^2 / (2 R). At a = 1 the shift vanishes to first order
 * (Tukey's twicing); a = 2 moves the surface outward by the same amount. Beyond the image its
 * border values are repeated. */
ht_status ht_itk_smooth(ht_volume *image, const double sigma_mm[3], double a,
                        const ht_progress *progress);

/* Finds Otsu's thresholds (IEEE Trans. Syst. Man Cybern. 9 (1979) 62) of a histogram with `bins`
 * equal bins from `least` to `most`, ascending; `count` of them split the values in count + 1
 * classes. */
ht_status ht_itk_otsu(const int64_t *histogram, int bins, double least, double most, int count,
                      double *thresholds);

/* Computes the multi-scale tubularity of bright structures, from 0 to 1: eigenvalues of the
 * Hessian, Frangi et al. (MICCAI 1998) as generalised by Antiga (Insight Journal, 2007). Radii in
 * mm; `contrast` is the step from tissue to vessel, in the image's unit. Allocates; the caller
 * frees. */
ht_status ht_itk_vesselness(const ht_volume *image, const double radius_mm[2], double contrast,
                            const ht_progress *progress, ht_volume *vesselness);

/* Moves a surface that begins where `drive` is 0: outward where it is positive, inward where it is
 * negative, pulled together where it is curved: by `curvature` (mm) times the sum of its two
 * curvatures, in the drive's unit. ITK's sparse field (Whitaker, Int. J. Comput. Vision 29 (1998)
 * 203). `contour` (allocated; the caller frees) is positive inside, 0 at the surface, and about the
 * distance in voxels next to it; farther off it is constant. Each of the `steps` moves the surface
 * by less than a voxel; it stops earlier where the surface rests. */
ht_status ht_itk_contour(const ht_volume *drive, double curvature, int steps,
                         const ht_progress *progress, ht_volume *contour);

/* Finds the factor by which the image is too bright, 1 on average: N4 (Tustison et al., IEEE Trans.
 * Med. Imaging 29 (2010) 1310), from the voxels of `where`, whose values have to be above 0.
 * Allocates; the caller frees. */
ht_status ht_itk_bias(const ht_volume *image, const ht_mask *where, const ht_progress *progress,
                      ht_volume *bias);

/* Computes the distance (mm) of each voxel's centre to the nearest voxel centre of the mask; 0
 * inside. The mask must not be empty. Allocates; the caller frees. */
ht_status ht_itk_distance(const ht_mask *mask, const ht_progress *progress, ht_volume *distance);

#ifdef __cplusplus
}
#endif
#endif

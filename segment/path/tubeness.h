/* Likeness of a scan to the inside of a tube of the vessel's size. Private to segment/. */
#ifndef HT_TUBENESS_H
#define HT_TUBENESS_H

#include "segment/path/search.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Two values per voxel, from the scan smoothed by a Gaussian of half the vessel's radius. */
typedef struct {
  ht_volume fill; /* 1: as bright as in the middle of a tube of that radius full of blood, 0:
                     tissue; a short gap is filled from both sides. Owned, as is the other */
  float *toll;    /* [voxels] for a way through the voxel: 0 where the scan falls off on all sides
                     across the way as in a tube, up to HT_TUBENESS_TOLL where it does not, as
                     between two vessels that touch */
} ht_tubeness;

#define HT_TUBENESS_TOLL 40

/* Computes both values. The toll follows the middle one of the three curvatures of the smoothed
 * scan: in a tube two of them are negative, at a saddle between two tubes one is (the eigenvalues
 * of the Hessian: Frangi et al., MICCAI 1998, LNCS 1496, 130). A tube of a third of `radius_mm` up
 * to 1.17 times it costs nothing in its middle. What is brighter than `bright` counts as tissue.
 * HT_ERR_MEMORY. The caller frees, also after a failure. */
ht_status ht_tubeness_look(const ht_volume *scan, const ht_blood_values *values, double bright,
                           double radius_mm, ht_tubeness *tube);
void ht_tubeness_free(ht_tubeness *tube);

#ifdef __cplusplus
}
#endif
#endif

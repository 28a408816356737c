/* Quality of a vessel's mask, in numbers: from the scan's values across its wall, and from its
 * shape. The limits and their sources: docs/segmentation.md.
 *
 * Brightness is given in shares of the contrast: 0 the tissue around the vessel, 1 its blood, both
 * as local means (over cells of 8 voxels and their neighbours), so that slow changes along the
 * vessel, as in MR, do not count. A voxel of the scan is the cube with a voxel's volume; lengths
 * along the wall's normal n are in voxels of sqrt(sum (n_a spacing_a)^2). A number that could not
 * be measured is NaN. */
#ifndef HT_QUALITY_H
#define HT_QUALITY_H

#include "core/vessel/openings.h"
#include "segment/quality/quality_types.h"
#include "core/vessel/vessel_path.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers that are out of their range, as bits. */
typedef enum {
  HT_QUALITY_NO_CONTRAST = 1,  /* the vessel is no brighter than what is around it */
  HT_QUALITY_LOW_CONTRAST = 2, /* lowest_contrast_to_noise, or contrast_to_noise without a path */
  HT_QUALITY_TOO_WIDE = 4,     /* offset_voxels */
  HT_QUALITY_TOO_NARROW = 8,   /* offset_voxels */
  HT_QUALITY_MISSING = 16,     /* missing_share or the largest piece without an edge */
  HT_QUALITY_LEAKS = 32,       /* leak_ratio */
  HT_QUALITY_TOUCHES = 64,     /* touching_share or the largest piece */
  HT_QUALITY_BRIGHT = 128,     /* bright_share */
  HT_QUALITY_DARK = 256,       /* dark_share */
  HT_QUALITY_THIN = 512,       /* thin_mm */
  HT_QUALITY_SLICES = 1024,    /* longest_mm, of the thinnest place */
} ht_quality_flag;

/* The limits: measured with tests/segment/truth/test_quality_phantom.c (docs/segmentation.md). */
typedef struct {
  double contrast_to_noise; /* least value */
  double offset_voxels;     /* largest value, either way; the others below are largest values,
                               too */
  double missing_share;     /* share of the wall */
  double leak_ratio;
  double touching_share;
  double patch_voxels2; /* area of a patch: faces of voxels of the scan */
  double foreign_share; /* bright_share and dark_share */
  double thin_voxels;   /* for thin_mm: voxels of the scan; for the thinnest place: longest
                           sides, */
  double long_share;    /* where that side is at least this number of voxels long */
} ht_quality_range;
extern const ht_quality_range ht_quality_limits;

/* Returns the flags of the numbers out of range; 0: none. NaN counts as in range. */
int ht_quality_judge(const ht_mask_quality *quality);

/* Takes every n-th node of a mask whose lattice is finer than its quality and its path need: at
 * least two nodes per voxel of the scan stay. *coarse is zeroed where the mask is not too fine. The
 * caller frees. HT_ERR_MEMORY. */
ht_status ht_quality_coarsen(const ht_grid *scan, const ht_mask *mask, ht_mask *coarse);

/* Measures a mask (isotropic lattice, one piece) on its scan. Openings and the border of the mask's
 * grid are no wall. `path`: from ht_main_path_find; NULL or without stations: there is none.
 * has_values 0: `scan` is no scan but the grid of a ready mask; its values are not used. Takes 4
 * bytes for each voxel of the scan in the mask's box and 8 voxels around it, and 3 for each node of
 * the mask. A million nodes take some tenths of a second. HT_ERR_VESSEL where the mask is empty or
 * lies outside the scan; HT_ERR_MEMORY. */
ht_status ht_quality_measure(const ht_volume *scan, int has_values, const ht_mask *mask,
                             const ht_openings *openings, const ht_vessel_path *path,
                             ht_mask_quality *quality);

#ifdef __cplusplus
}
#endif
#endif

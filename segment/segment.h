/* segment/: from the scan to the vessel's mask on the isotropic lattice.
 *
 * ht_volume -> [region] -> [smoothing] -> threshold or vesselness -> connected component -> smooth
 * sub-voxel surface -> resampled to isotropic spacing -> ht_mask. ITK does the filters.
 */
#ifndef HT_SEGMENT_H
#define HT_SEGMENT_H

#include "openings.h"
#include "progress.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HT_SEGMENT_AUTO = 0,  /* threshold where lower is given or the histogram has a clear vessel class,
                           else vesselness */
  HT_SEGMENT_THRESHOLD, /* lower <= value <= upper */
  HT_SEGMENT_VESSELNESS, /* multi-scale Hessian vesselness (Sato/Frangi; Antiga 2007 in ITK) */
} ht_segment_method;

typedef struct {
  ht_segment_method method;
  /* Intensity window, the scan's unit; NaN: chosen from the histogram (Otsu). */
  double lower, upper;
  /* LPS corners of the box that is looked at, along the LPS axes: the voxels whose centre lies in
   * its hull along the image's axes are kept. */
  int has_region; /* 0: the whole scan */
  double region_min_mm[3], region_max_mm[3];
  int has_seed;      /* 1: the component at (or nearest to) the seed; 0: the largest */
  double seed_mm[3]; /* LPS */
  /* Gaussian sigma on the scan before the threshold; 0: none; < 0: half an in-plane voxel. */
  double smoothing_mm;
  double vessel_radius_mm[2]; /* smallest and largest radius for the vesselness; 0: auto */
  double spacing_mm;          /* isotropic spacing of the result; 0: nodes_across decides */
  double nodes_across; /* lattice nodes across the widest opening at the border (or, without one,
                          across the vessel's widest place); default 20 */
  int64_t max_voxels;  /* refuse (HT_ERR_MEMORY, with the spacing that fits) a larger lattice box;
                          0: no limit */
} ht_segment_options;

/* What was chosen, for the log and the manifest. */
typedef struct {
  char method[64];      /* "threshold 120 .. inf (Otsu)" */
  double lower, upper;  /* used */
  int components;       /* found, of which one was kept */
  double kept_fraction; /* voxels of the kept component / all */
  double volume_ml;     /* of the mask */
  double spacing_mm;    /* of the result */
  double diameter_mm;   /* that nodes_across was applied to; 0 where spacing_mm was given */
} ht_segment_report;

void ht_segment_defaults(ht_segment_options *options);

/* Ranges of every option. HT_ERR_CASE. */
ht_status ht_segment_check(const ht_segment_options *options);

/* HT_ERR_VESSEL: nothing found (says the intensity range of the scan and what to set), HT_ERR_CASE
 * (region or seed outside the scan, with the scan's box), HT_ERR_MEMORY. The caller frees the mask.
 * The mask's grid keeps the scan's direction. `report` may be NULL. */
ht_status ht_segment_volume(const ht_volume *scan, const ht_segment_options *options,
                            const ht_progress *progress, ht_mask *mask, ht_segment_report *report);

/* Makes any mask fit for the solver: cropped to the region, one component kept (largest or at the
 * seed), resampled with a smooth surface to isotropic spacing (spacing_mm or nodes_across). A mask
 * that is isotropic already, with its own spacing or neither asked for, is only cropped to its
 * region and component: its voxels stay as they were drawn. Errors, ownership and `report` as
 * above; HT_ERR_VESSEL where the region has no voxel of the mask. */
ht_status ht_segment_mask(const ht_mask *drawn, const ht_segment_options *options,
                          const ht_progress *progress, ht_mask *mask, ht_segment_report *report);

#ifdef __cplusplus
}
#endif
#endif

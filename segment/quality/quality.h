/* How good a vessel's mask is, in numbers: from the scan's values across its wall, and from its
 * shape. README: docs/segmentation.md, "How good is the mask".
 *
 * Brightness is said in shares of the contrast: 0 the tissue around the vessel, 1 its blood, both
 * as local means (over cells of 8 voxels and their neighbours), so that slow changes along the
 * vessel, as in MR, do not count. A voxel of the scan is the cube with a voxel's volume; lengths
 * along the wall's normal n are in voxels of sqrt(sum (n_a spacing_a)^2). What could not be
 * measured is NaN.
 */
#ifndef HT_QUALITY_H
#define HT_QUALITY_H

#include "openings.h"
#include "vessel_path.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A place in the patient. */
typedef struct {
  double centre_mm[3]; /* LPS */
  double along_mm;     /* of the nearest section of the path; NaN: there is no path */
} ht_quality_place;

/* A piece of the wall. */
typedef struct {
  double area_mm2; /* 0: there is none */
  ht_quality_place at;
} ht_quality_patch;

/* A piece of the volume inside. */
typedef struct {
  double volume_mm3; /* 0: there is none */
  ht_quality_place at;
} ht_quality_lump;

typedef struct {
  double voxel_mm; /* of the scan; 0: nothing was measured */
  int has_values;  /* 0: there is no scan, only a ready mask: all down to `dark` is NaN or 0 */

  /* The scan's unit. Blood: median of the voxels deeper in the mask than 1.5 voxels (of a thin
   * vessel less deep); tissue: of those 1.5 to 3.5 voxels outside. Noise: 1.4826 times the median
   * absolute deviation (Rousseeuw & Croux, J. Am. Stat. Assoc. 88 (1993) 1273) of the former from
   * the local mean: of the blood, not of the tissue, which has anatomy in it. */
  double blood, tissue, noise;

  /* (blood - tissue) / noise. Below 5 single structures are hard to tell from noise (Rose's
   * criterion: A. Burgess, J. Opt. Soc. Am. A 16 (1999) 633). `lowest`: of the local means at the
   * sections of the path. INFINITY where there is no noise. */
  double contrast_to_noise, lowest_contrast_to_noise;
  ht_quality_place lowest_at;

  /* Width of the edge: from 80 to 20 % of the contrast along the wall's normal (profiles across an
   * edge, fitted in: Concepts Magn. Reson. A 44 (2015) 138), 1.683 sigma of a Gaussian blur;
   * linear interpolation between voxels widens it (by 1/6 voxel^2 in sigma^2). Median of the wall.
   * Offset: how far the mask's wall is outside the scan's edge at 50 % (< 0: inside), median. */
  double edge_mm, edge_voxels, offset_voxels;

  /* The share of the wall across which, from a voxel inside to a voxel outside, the scan falls by
   * less than a quarter of what a usual edge does (0.8 of the contrast, with a blur of 0.6 voxels):
   * the wall is drawn through something there. The largest connected piece of it. */
  double missing_share;
  ht_quality_patch missing;

  /* Growth of the volume of the voxels that are connected to the mask's and at most 4 voxels
   * outside of it when the level is lowered by 5 % of the contrast from that of the mask's wall
   * (the median there): per cent of the volume for each per cent of the contrast, and for each unit
   * of the scan. A leak is a sudden growth as the level falls (the "explosion" in region growing:
   * Mori et al., IEEE Trans. Med. Imaging 19 (2000) 103). `ratio`: to the growth of a clean wall
   * of this area and edge width, which is all that a thin vessel's high index may be. */
  double level; /* at the wall, share of the contrast */
  double leak_index, leak_index_per_unit, leak_ratio;

  /* The share of the wall outside of which the scan stays above 0.6 of the contrast for 2 voxels:
   * another structure touches, or the mask leaves out a part of the vessel. */
  double touching_share;
  ht_quality_patch touching;

  /* The share of the voxels deep in the mask that are brighter than the whole vessel's blood by
   * more than half of the contrast (bone, calcium, another vessel), and of those darker than
   * half-way to the tissue (the mask has run out of the vessel). The largest connected piece of
   * each. */
  double bright_share, dark_share;
  ht_quality_lump bright, dark;

  /* Parts thinner than 4 voxels of the scan across. Along the path: the diameter of the circle with
   * the section's area (median of three sections) over the side of a voxel across the path. */
  double path_mm; /* 0: there is no path, and the members of it are NaN */
  double thin_mm, thin_share;
  double thinnest_mm, thinnest_voxels;
  ht_quality_place thinnest_at;
  /* Share of the mask's volume that no ball of 4 voxels across inside the mask reaches: side
   * branches, too. True to a node's width: NaN where the lattice has less than 2 nodes to a ball's
   * radius. */
  double thin_volume_share;
} ht_mask_quality;

/* What is out of its range. */
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
} ht_quality_flag;

/* The limits: measured with tests/segment/test_quality_phantom.c (docs/segmentation.md). */
typedef struct {
  double contrast_to_noise; /* at least */
  double offset_voxels;     /* at most, either way; as the others below */
  double missing_share;     /* of the wall */
  double leak_ratio;
  double touching_share;
  double patch_voxels2; /* of a patch: faces of voxels of the scan */
  double foreign_share; /* bright_share and dark_share */
  double thin_voxels;   /* of thin_mm: voxels of the scan */
} ht_quality_range;
extern const ht_quality_range ht_quality_limits;

/* The flags of what is out of range; 0: none. A number that is NaN is in range. */
int ht_quality_judge(const ht_mask_quality *quality);

/* Every n-th node of a mask whose lattice is finer than its quality and its path need: at least two
 * nodes for each voxel of the scan stay. *coarse is zeroed where the mask will do as it is. The
 * caller frees. HT_ERR_MEMORY. */
ht_status ht_quality_coarsen(const ht_grid *scan, const ht_mask *mask, ht_mask *coarse);

/* Measures a mask (isotropic lattice, one piece) on its scan. Openings and the border of the
 * mask's grid are no wall. `path`: of ht_main_path_find; NULL or without stations: there is none.
 * has_values 0: `scan` is no scan but the grid of a ready mask; its values are not used. Takes 4
 * bytes for each voxel of the scan in the mask's box and 8 voxels around it, and 3 for each node of
 * the mask. Some tenths of a second for a million nodes. HT_ERR_VESSEL where the mask is empty or
 * lies outside the scan; HT_ERR_MEMORY. */
ht_status ht_quality_measure(const ht_volume *scan, int has_values, const ht_mask *mask,
                             const ht_openings *openings, const ht_vessel_path *path,
                             ht_mask_quality *quality);

#ifdef __cplusplus
}
#endif
#endif

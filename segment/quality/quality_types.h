/* Numbers of a mask's quality (quality.h), with units and sources. */
#ifndef HT_QUALITY_TYPES_H
#define HT_QUALITY_TYPES_H

/* Place in the patient. */
typedef struct {
  double centre_mm[3]; /* LPS */
  double along_mm;     /* distance along the path of its nearest section; NaN: there is no path */
} ht_quality_place;

/* Piece of the wall. */
typedef struct {
  double area_mm2; /* 0: there is none */
  ht_quality_place at;
} ht_quality_patch;

/* Piece of the volume inside. */
typedef struct {
  double volume_mm3; /* 0: there is none */
  ht_quality_place at;
} ht_quality_lump;

typedef struct {
  double voxel_mm;   /* side of a cube with the volume of the scan's voxel; 0: nothing was
                        measured */
  double longest_mm; /* longest side of the scan's voxel, usually the distance of the slices */
  int has_values;    /* 0: there is no scan, only a ready mask: all down to `dark` is NaN or 0 */

  /* The scan's unit. Blood: median of the voxels deeper in the mask than 1.5 voxels (less deep in a
   * thin vessel); tissue: median of those 1.5 to 3.5 voxels outside. Noise: 1.4826 times the median
   * absolute deviation (Rousseeuw & Croux, J. Am. Stat. Assoc. 88 (1993) 1273) of the blood's
   * voxels from their local mean; the tissue's deviation would contain anatomy. */
  double blood, tissue, noise;

  /* (blood - tissue) / noise. Below 5 single structures are hard to tell from noise (Rose's
   * criterion: A. Burgess, J. Opt. Soc. Am. A 16 (1999) 633). `lowest`: the lowest ratio of the
   * local means at the sections of the path. INFINITY where there is no noise. */
  double contrast_to_noise, lowest_contrast_to_noise;
  ht_quality_place lowest_at;

  /* Width of the edge: from 80 to 20 % of the contrast along the wall's normal (profiles across an
   * edge, fitted in: Concepts Magn. Reson. A 44 (2015) 138), 1.683 sigma of a Gaussian blur;
   * linear interpolation between voxels widens it (by 1/6 voxel^2 in sigma^2). Median of the wall.
   * Offset: how far the mask's wall is outside the scan's edge at 50 % (< 0: inside), median. */
  double edge_mm, edge_voxels, offset_voxels;

  /* Share of the wall without an edge: from a voxel inside to a voxel outside, the scan falls by
   * less than a quarter of a usual edge (0.8 of the contrast, with a blur of 0.6 voxels), so the
   * wall is drawn through something there. `missing`: its largest connected piece. Like `touching`
   * not measured on a lattice coarser than 1.5 voxels of the scan, whose steps are off the edge. */
  double missing_share;
  ht_quality_patch missing;

  /* Growth of the volume of the voxels that are connected to the mask's and at most 4 voxels
   * outside of it when the level is lowered by 5 % of the contrast from that of the mask's wall
   * (the median there): per cent of the volume for each per cent of the contrast, and for each unit
   * of the scan. Voxels at the edge count in part (leak.h), those beyond an opening's plane not at
   * all. A leak is a sudden growth as the level falls (the "explosion" in region growing: Mori et
   * al., IEEE Trans. Med. Imaging 19 (2000) 103). `ratio`: growth over that of a clean wall of this
   * area and edge width, which alone may give a thin vessel a high index. */
  double level; /* level at the wall, share of the contrast */
  double leak_index, leak_index_per_unit, leak_ratio;

  /* Share of the wall outside of which the scan stays above 0.6 of the contrast for 2 voxels:
   * another structure touches, or the mask leaves out a part of the vessel. */
  double touching_share;
  ht_quality_patch touching;

  /* Share of the voxels deep in the mask that are brighter than the whole vessel's blood by more
   * than three quarters of the contrast (bone, calcium, another vessel), and share of those darker
   * than a third of the way from its tissue to its blood (the mask has run out of the vessel).
   * `bright`, `dark`: the largest connected piece of each. */
  double bright_share, dark_share;
  ht_quality_lump bright, dark;

  /* Parts thinner than 4 voxels of the scan across. Along the path: the diameter of the circle with
   * the section's area over voxel_mm. */
  double path_mm; /* 0: there is no path, and the members that need one are NaN */
  double thin_mm, thin_share;
  double thinnest_mm, thinnest_voxels;
  ht_quality_place thinnest_at;
  /* Share of the mask's volume that no ball of 4 voxels across inside the mask reaches; side
   * branches count. Accurate to a node's width: NaN where the lattice has less than 2 nodes to a
   * ball's radius. */
  double thin_volume_share;
} ht_mask_quality;

#endif

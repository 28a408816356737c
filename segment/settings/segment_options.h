/* Settings of the segmentation, and its report. */
#ifndef HT_SEGMENT_OPTIONS_H
#define HT_SEGMENT_OPTIONS_H

#include "core/vessel/volume.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HT_SEGMENT_AUTO = 0,  /* threshold where lower is given or the histogram has a clear vessel class,
                           else vesselness */
  HT_SEGMENT_THRESHOLD, /* lower <= value <= upper */
  HT_SEGMENT_VESSELNESS, /* multi-scale Hessian vesselness (Sato/Frangi; Antiga 2007 in ITK) */
  HT_SEGMENT_LEVELSET,   /* as auto, then the wall moved half-way between blood and the tissue near
                            it, under some tension (levelset.h) */
  HT_SEGMENT_FILE,       /* the vessel is a given mask; for ht_segment_mask */
} ht_segment_method;

/* Kind of scan, for its usual settings (preset.h). */
typedef enum {
  HT_PRESET_AUTO = 0, /* chosen by the scan (preset_guess.h), before the segmentation, which takes
                         it as none */
  HT_PRESET_NONE,
  HT_PRESET_TOF_MRA,
  HT_PRESET_CTA_HEAD,
  HT_PRESET_CTA_AORTA,
  HT_PRESET_3DRA,
} ht_segment_preset;

typedef enum {
  HT_BIAS_AUTO = 0, /* as the preset says, else none */
  HT_BIAS_NONE,
  HT_BIAS_N4, /* Tustison et al., IEEE Trans. Med. Imaging 29 (2010) 1310 */
} ht_segment_bias;

/* Use of the network that sees vessels (segment/learned/). */
typedef enum {
  HT_SEGMENT_LEARNED_NO = 0,
  HT_SEGMENT_LEARNED_AUTO, /* where the vessel is not clear without it; chosen before the
                              segmentation, which takes it as no */
  HT_SEGMENT_LEARNED_ONLY, /* the vessel is searched for only where the network sees an artery */
} ht_segment_learned;

/* Kinds of voxels that the network tells apart. */
enum {
  HT_SEEN_BACKGROUND = 0,
  HT_SEEN_EDGE, /* background within a voxel of a vessel's wall */
  HT_SEEN_ARTERY,
  HT_SEEN_OTHER,
  HT_SEEN_HARD
};

enum { HT_SEGMENT_POINTS_MAX = 32 };

typedef struct {
  ht_segment_preset preset; /* fills automatic settings below */
  ht_segment_method method;
  /* Intensity window, the scan's unit; NaN: chosen (level.h). */
  double lower, upper;
  /* LPS corners of the box to segment, along the LPS axes: the voxels whose centre lies in
   * its hull along the image's axes are kept. */
  int has_region; /* 0: the whole scan */
  double region_min_mm[3], region_max_mm[3];
  int has_sphere;                        /* 1: only within a ball; with a region, within both */
  double sphere_mm[3], sphere_radius_mm; /* LPS */
  int has_seed;      /* 1: the component at (or nearest to) the seed; 0: the largest */
  double seed_mm[3]; /* LPS */
  int points;        /* > 0: the vessel between these places, the first of which is the inlet */
  double point_mm[HT_SEGMENT_POINTS_MAX][3]; /* LPS */
  double branch_diameters; /* with points: length of the side branches that are kept, in their own
                              diameters */
  /* Gaussian sigma on the scan before the threshold; 0: none; < 0: half an in-plane voxel. */
  double smoothing_mm;
  double vessel_radius_mm[2]; /* smallest and largest radius for the vesselness; 0: auto */
  ht_segment_bias bias;       /* removal of slow changes of brightness, before all other steps */
  double bone;   /* lowest value of dense bone, which is removed with its rim (bone.h); NaN: as the
                    preset says, else none */
  double gap_mm; /* gaps up to this are bridged (gaps.h); 0: none; < 0: as the preset says, else
                    none */
  ht_segment_learned learned;
  const ht_mask *seen; /* with `only`: the kind of each voxel of the scan (HT_SEEN_...), on its
                          grid; borrowed */
  double spacing_mm;   /* isotropic spacing of the result; 0: nodes_across decides */
  double nodes_across; /* lattice nodes across the widest opening, as far as known before there is a
                          lattice (ht_isosurface_spacing); default 20 */
  int is_reference;    /* 1: the lattice on which openings are decided (ht_segment_reference) */
  int64_t max_voxels;  /* refuse (HT_ERR_MEMORY, with the spacing that fits) a larger lattice box;
                          0: no limit */
} ht_segment_options;

/* Place of a point in the vessel. */
typedef struct {
  double centre_mm[3]; /* LPS, on the vessel's centreline */
  double radius_mm;    /* radius of the vessel there */
  double away_mm;      /* distance from the given point to the vessel; 0: it lay inside */
  int is_end;          /* 1: the vessel ends there; 0: it leads through */
  double out[3];       /* unit, along the vessel and out of it at an end; zeros: not known */
} ht_segment_point;

/* Side branch that was cut off, and goes on after that place. */
typedef struct {
  double centre_mm[3]; /* LPS, on its centreline, where an opening fits */
  double direction[3]; /* LPS, unit, away from the vessel */
  double radius_mm;    /* accurate to about a tenth */
  int is_tube;         /* 1: of about one width there; 0: a place to close */
} ht_segment_branch;

/* Blood that touches the vessel between points and was left out as another structure. */
typedef struct {
  double centre_mm[3]; /* LPS, centre of the section over which it touches */
  double radius_mm;    /* radius of a circle with that section's area */
  double vessel_mm;    /* radius of the vessel there */
  double ml;           /* volume of all that is left out and connected with it */
} ht_segment_left;

/* Least number of voxels along an axis in which a vessel can be found by every method. */
enum { HT_SEGMENT_VOXELS_LEAST = 4 };

enum { HT_SEGMENT_BRANCHES_MAX = 64, HT_SEGMENT_CONTACTS_MAX = 256, HT_SEGMENT_LEFTS_MAX = 4 };

/* Choices made, for the log and the manifest. */
typedef struct {
  char method[96];      /* "threshold 120 .. inf (half-way, from Otsu)" */
  char preset[256];     /* a preset's settings, and the results of bias, bone and gaps; "" */
  double lower, upper;  /* used */
  int no_agent;         /* 1: a CT without contrast agent, refused (HT_ERR_VESSEL) */
  int components;       /* number found; one was kept */
  double cut_share;     /* share of the vessel's voxels where it continues beyond the reach of the
                           vesselness' radii */
  double kept_fraction; /* voxels of the kept component / all */
  int bridges;          /* number over gaps */
  int points;           /* 0: it was not found between points */
  ht_segment_point point[HT_SEGMENT_POINTS_MAX];
  int branches; /* number cut off; `branch` is widest first */
  ht_segment_branch branch[HT_SEGMENT_BRANCHES_MAX];
  int parted; /* number of structures that touched the vessel between points and were left out */
  double parted_ml;
  int contacts; /* number of places where they touched it, half a radius of the vessel apart */
  double contact_mm[HT_SEGMENT_CONTACTS_MAX][3]; /* LPS */
  int lefts; /* number of these that touch over a good part of the vessel's width; widest first */
  ht_segment_left left[HT_SEGMENT_LEFTS_MAX];
  int may_be_mr; /* 1: between points what is far brighter than blood counts as bone, though nothing
                    says that the scan is a CT */
  int closed_border; /* voxels of the scan's outermost layer taken out, where the vessel between
                        points runs along it; the place of one of them, LPS */
  double closed_border_mm[3];
  double bone_ml;     /* volume removed as bone, with its rim */
  double volume_ml;   /* volume of the mask */
  double spacing_mm;  /* spacing of the result */
  double diameter_mm; /* diameter to which nodes_across was applied; 0 where spacing_mm was given */
} ht_segment_report;

/* Words "auto", "none", "tof-mra", ... in the order of ht_segment_preset; "auto", ... of the
 * methods and of the bias; each ends with NULL. */
extern const char *const ht_segment_preset_words[], *const ht_segment_method_words[],
                                                        *const ht_segment_bias_words[],
                                                            *const ht_segment_learned_words[];

#ifdef __cplusplus
}
#endif
#endif

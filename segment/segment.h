/* segment/: from the scan to the vessel's mask on the isotropic lattice.
 *
 * ht_volume -> [region] -> [bias] -> [smoothing] -> [bone] -> threshold or vesselness -> connected
 * component -> [level set] -> smooth sub-voxel surface -> resampled to isotropic spacing ->
 * ht_mask. ITK does the filters.
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
  HT_SEGMENT_LEVELSET,   /* as auto, then the wall moved to the steepest edge: geodesic active
                            contour (Caselles et al. 1997; levelset.h) */
  HT_SEGMENT_FILE,       /* the vessel is a mask that somebody made; for ht_segment_mask */
} ht_segment_method;

/* What is usual for one kind of scan (preset.h). */
typedef enum {
  HT_PRESET_NONE = 0,
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

typedef struct {
  ht_segment_preset preset; /* fills what is left automatic below */
  ht_segment_method method;
  /* Intensity window, the scan's unit; NaN: chosen from the histogram (Otsu). */
  double lower, upper;
  /* LPS corners of the box that is looked at, along the LPS axes: the voxels whose centre lies in
   * its hull along the image's axes are kept. */
  int has_region; /* 0: the whole scan */
  double region_min_mm[3], region_max_mm[3];
  int has_sphere; /* 1: and only what lies within a ball; with a region, in both */
  double sphere_mm[3], sphere_radius_mm; /* LPS */
  int has_seed;      /* 1: the component at (or nearest to) the seed; 0: the largest */
  double seed_mm[3]; /* LPS */
  /* Gaussian sigma on the scan before the threshold; 0: none; < 0: half an in-plane voxel. */
  double smoothing_mm;
  double vessel_radius_mm[2]; /* smallest and largest radius for the vesselness; 0: auto */
  ht_segment_bias bias;       /* slow changes of brightness taken out before anything else */
  double bone; /* lowest value of dense bone, which is taken away with its rim (bone.h); NaN: as the
                  preset says, else none */
  double gap_mm;     /* gaps up to this are bridged (gaps.h); 0: none; < 0: as the preset says, else
                        none */
  double spacing_mm; /* isotropic spacing of the result; 0: nodes_across decides */
  double nodes_across; /* lattice nodes across the widest opening, as far as it is known before
                          there is a lattice (ht_isosurface_spacing); default 20 */
  int64_t max_voxels;  /* refuse (HT_ERR_MEMORY, with the spacing that fits) a larger lattice box;
                          0: no limit */
} ht_segment_options;

/* What was chosen, for the log and the manifest. */
typedef struct {
  char method[96];     /* "threshold 120 .. inf (Otsu)" */
  char preset[256];    /* what a preset set, and what came of bias, bone and gaps; "" */
  double lower, upper; /* used */
  int components;      /* found, of which one was kept */
  double cut_share; /* of the vessel's voxels: there it goes on beyond the reach of the radii that
                       the vesselness looked for */
  double kept_fraction; /* voxels of the kept component / all */
  int bridges;          /* over gaps */
  double bone_ml;       /* taken away as bone, with its rim */
  double volume_ml;     /* of the mask */
  double spacing_mm;    /* of the result */
  double diameter_mm;   /* that nodes_across was applied to; 0 where spacing_mm was given */
} ht_segment_report;

void ht_segment_defaults(ht_segment_options *options);

/* "none", "tof-mra", ... in the order of ht_segment_preset; "auto", ... of the methods and of the
 * bias; each ends with NULL. */
extern const char *const ht_segment_preset_words[], *const ht_segment_method_words[],
                                                        *const ht_segment_bias_words[];

/* The allowed range of each number where it is not automatic. The case file's table has the same
 * ranges. */
typedef struct {
  ht_range intensity;   /* lower, upper and bone: the scan's unit */
  ht_range position_mm; /* every coordinate of the region, of the sphere's centre, of the seed */
  ht_range sphere_radius_mm, smoothing_mm, gap_mm;
  ht_range vessel_radius_mm; /* both */
  ht_range spacing_mm, nodes_across;
} ht_segment_ranges;
extern const ht_segment_ranges ht_segment_allowed;

/* Each option in its range, and those that belong together in their order. HT_ERR_CASE. */
ht_status ht_segment_check(const ht_segment_options *options);

/* HT_ERR_VESSEL: nothing found (says the intensity range of the scan and what to set), HT_ERR_CASE
 * (region or seed outside the scan, with the scan's box; the method `file`), HT_ERR_MEMORY. The
 * caller frees the mask. The mask's grid keeps the scan's direction. `report` may be NULL. */
ht_status ht_segment_volume(const ht_volume *scan, const ht_segment_options *options,
                            const ht_progress *progress, ht_mask *mask, ht_segment_report *report);

/* The same in two steps, for several lattices of one vessel: ht_segment_volume is ht_vessel_find
 * and ht_vessel_sample. The vessel holds the scan's values around it; it does not point into the
 * scan or the options. `report` may not be NULL; the second step fills what concerns the lattice.
 * The caller frees the vessel with ht_vessel_free (NULL: nothing). */
typedef struct ht_vessel ht_vessel;
ht_status ht_vessel_find(const ht_volume *scan, const ht_segment_options *options,
                         const ht_progress *progress, ht_vessel **vessel,
                         ht_segment_report *report);
ht_status ht_vessel_sample(const ht_vessel *vessel, const ht_segment_options *options,
                           const ht_progress *progress, ht_mask *mask, ht_segment_report *report);
void ht_vessel_free(ht_vessel *vessel);

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

/* Room segment/: makes the vessel's mask on the isotropic lattice from the scan.
 *
 * ht_volume -> [region] -> [bias] -> [smoothing] -> [bone] -> threshold or vesselness -> connected
 * component -> [level set] -> smooth sub-voxel surface -> resampled to isotropic spacing ->
 * ht_mask. ITK does the filters. */
#ifndef HT_SEGMENT_H
#define HT_SEGMENT_H

#include "core/vessel/candidates.h"
#include "core/work/progress.h"
#include "segment/settings/segment_options.h"
#include "core/vessel/triangles.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

void ht_segment_defaults(ht_segment_options *options);

/* Allowed range of each number that is not automatic. The case file's table has the same ranges. */
typedef struct {
  ht_range intensity;   /* of lower, upper and bone: the scan's unit */
  ht_range position_mm; /* of every coordinate of the region, of the sphere's centre, of the seed */
  ht_range sphere_radius_mm, smoothing_mm, gap_mm;
  ht_range vessel_radius_mm; /* both */
  ht_range spacing_mm, nodes_across;
  ht_range branch_diameters;
} ht_segment_ranges;
extern const ht_segment_ranges ht_segment_allowed;

/* Checks that each option is in its range, and that related options are in order. HT_ERR_CASE. */
ht_status ht_segment_check(const ht_segment_options *options);

/* Segments the scan. HT_ERR_VESSEL: nothing found (the message gives the intensity range of the
 * scan and the settings to change); HT_ERR_CASE: region or seed outside the scan (with the scan's
 * box), or the method `file`; HT_ERR_MEMORY. The caller frees the mask. The mask's grid keeps the
 * scan's direction. `report` may be NULL. */
ht_status ht_segment_volume(const ht_volume *scan, const ht_segment_options *options,
                            const ht_progress *progress, ht_mask *mask, ht_segment_report *report);

/* Vessel of a scan, for several lattices: ht_segment_volume is ht_vessel_find and ht_vessel_sample.
 * The vessel holds the scan's values around it; it does not point into the scan or the options.
 * `report` may not be NULL, and has no_agent after a failure, too; the second step fills the part
 * about the lattice. The caller frees the
 * vessel with ht_vessel_free (NULL: nothing). */
typedef struct ht_vessel ht_vessel;
ht_status ht_vessel_find(const ht_volume *scan, const ht_segment_options *options,
                         const ht_progress *progress, ht_vessel **vessel,
                         ht_segment_report *report);
ht_status ht_vessel_sample(ht_vessel *vessel, const ht_segment_options *options,
                           const ht_progress *progress, ht_mask *mask, ht_segment_report *report);
void ht_vessel_free(ht_vessel *vessel);

/* Requires that ht_vessel_find would look for a vessel: HT_ERR_VESSEL in a CT that needs a contrast
 * agent and shows none; HT_ERR_CASE: the region is not in the scan. Takes about a second. */
ht_status ht_vessel_check_agent(const ht_volume *scan, const ht_segment_options *options);

/* Makes the triangles of the vessel's surface between the scan's voxels; each lattice's mask
 * samples this surface (between_voxels.h). A drawn mask without a wall of its own has none (corner
 * NULL): its wall has no place between the voxels, and its steps narrow the vessel more than those
 * of the lattice (a pipe of 16 voxels across by 1.5 % of its radius). The caller frees;
 * HT_ERR_MEMORY. */
ht_status ht_vessel_triangles(const ht_vessel *vessel, ht_triangles *triangles);

/* Makes the vessel of a drawn mask, for several lattices: ht_segment_mask is this and
 * ht_vessel_sample. Errors as there. */
ht_status ht_vessel_of_mask(const ht_mask *drawn, const ht_segment_options *options,
                            ht_vessel **vessel, ht_segment_report *report);

/* Gives a drawn mask the wall that it samples: `distance` on the mask's grid, mm, > 0 inside. Other
 * lattices of the vessel and its triangles are then those of the wall. Copies. HT_ERR_INTERNAL:
 * another grid; HT_ERR_MEMORY. */
ht_status ht_vessel_take_wall(ht_vessel *vessel, const ht_volume *distance);

/* Returns the options of the lattice on which the openings are decided, the same for every lattice
 * of the case: half of the scan's smallest spacing, or spacing_mm where that is not 0, coarser
 * where it would have more than 40 million nodes. For ht_vessel_sample. */
ht_segment_options ht_segment_reference(const ht_segment_options *options, double spacing_mm);

/* Finds the vessels of the scan that a person may mean, best first: stretches between two ends, in
 * all pieces of vessel at the level of ht_vessel_find (find_candidates.h). Keeps only those that
 * the search between two points finds between their ends, too (some seconds each). Finds none where
 * the vessel was found between points. `signs` (scan_signs.h; 0: none) tell what names may be
 * given. HT_ERR_MEMORY, HT_ERR_INTERRUPTED. The caller frees the candidates. */
ht_status ht_vessel_candidates(const ht_vessel *vessel, const ht_volume *scan, unsigned signs,
                               const ht_progress *progress, ht_candidates *candidates);

/* Makes any mask fit for the solver: cropped to the region, one component kept (largest or at the
 * seed), resampled with a smooth surface to isotropic spacing (spacing_mm or nodes_across). A mask
 * that is already isotropic, where its own spacing or none is requested, is only cropped to its
 * region and component: its voxels stay as drawn. Errors, ownership and `report` as above;
 * HT_ERR_VESSEL where the region has no voxel of the mask. */
ht_status ht_segment_mask(const ht_mask *drawn, const ht_segment_options *options,
                          const ht_progress *progress, ht_mask *mask, ht_segment_report *report);

#ifdef __cplusplus
}
#endif
#endif

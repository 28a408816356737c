/* The pictures of a case. Every file is written whole or not at all (file.h). HT_ERR_WRITE names
 * the file and the reason. */
#ifndef HT_PICTURES_H
#define HT_PICTURES_H

#include "export/beat/beat.h"
#include "export/beat/beat_series.h"
#include "core/vessel/candidates.h"
#include "core/vessel/flow.h"
#include "core/vessel/openings.h"
#include "export/drawing/picture_text.h"
#include "core/vessel/vessel_path.h"
#include "core/vessel/volume.h"
#include "export/wall/wall.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pictures (PNG). All have a title, a scale bar in mm, orientation letters (R/L A/P H/F) and, where
 * colours mean numbers, a colour bar with units. `text` may be NULL. */

/* Draws 3 orthogonal slices with the mask's outline. */
ht_status ht_picture_mask_on_scan(const char *path, const ht_volume *scan, const ht_mask *mask,
                                  const ht_openings *openings, const ht_picture_text *text);
/* Draws the maximum projection, 3 views, openings numbered. */
ht_status ht_picture_projection(const char *path, const ht_volume *scan, const ht_mask *mask,
                                const ht_openings *openings, const ht_picture_text *text);
/* Draws the maximum projection of the whole scan, 3 views, with the centrelines of the candidate
 * vessels, their numbers at both ends, and a table of lengths, radii and scores. */
ht_status ht_picture_candidates(const char *path, const ht_volume *scan,
                                const ht_candidates *candidates, const ht_picture_text *text);
/* Draws the vessel straightened along its path (curved planar reformation: A. Kanitsar et al.,
 * Proc. IEEE Visualization 2002, 37), two views across each other, with the mask's outline, a scale
 * in mm, the names of the openings at the ends, and the numbers of the sections in the next
 * picture. `along`: from ht_main_path_find, at least two stations. */
ht_status ht_picture_straightened(const char *path, const ht_volume *scan, const ht_mask *mask,
                                  const ht_openings *openings, const ht_vessel_path *along,
                                  const ht_picture_text *text);
/* Draws up to 12 sections across the vessel, evenly along its path and at its narrowest place, with
 * the mask's outline, each with its number, its place along the path and its diameter. */
ht_status ht_picture_sections(const char *path, const ht_volume *scan, const ht_mask *mask,
                              const ht_vessel_path *along, const ht_picture_text *text);
/* Draws projections of the speed, and slices through the vessel. */
ht_status ht_picture_velocity(const char *path, const ht_domain *domain, const ht_flow *flow,
                              const ht_picture_text *text);
/* Draws the streamlines of the report's view (streamlines.h) in 3 views, coloured by speed.
 * HT_ERR_FORMAT: the flow lies on another grid than the vessel. HT_ERR_VESSEL: there is no vessel.
 */
ht_status ht_picture_streamlines(const char *path, const ht_domain *domain, const ht_flow *flow,
                                 const ht_picture_text *text);
/* Draws the shaded wall coloured by wall shear stress, 3 views. The colour bar ends at a round
 * number above the stress that 99 % of the area does not exceed. With text->lattice_mm the colours
 * are means of the wall around each place; the numbers below are those of the values. */
ht_status ht_picture_wall(const char *path, const ht_surface *surface, const ht_openings *openings,
                          const ht_picture_text *text);
/* Pictures of the wall with the results of a cycle: TAWSS (mean of the magnitude), and the
 * oscillatory shear index with a bar from 0 to 0.5. */
ht_status ht_picture_tawss(const char *path, const ht_surface *surface, const ht_wall_cycle *cycle,
                           const ht_openings *openings, const ht_picture_text *text);
ht_status ht_picture_osi(const char *path, const ht_surface *surface, const ht_wall_cycle *cycle,
                         const ht_openings *openings, const ht_picture_text *text);

/* Draws a beat as an animated WebP of at most 25 frames: the largest speed along the view that
 * shows most of the vessel, and the wall coloured by the wall shear stress, each with one range of
 * colours and the time in s. `flow` is any flow of the domain. 12 bytes a node. Errors as
 * ht_beat_series_velocity. */
ht_status ht_picture_series(const char *path, const ht_domain *domain, const ht_flow *flow,
                            const ht_surface *surface, const ht_beat_series *series,
                            const ht_picture_text *text);

/* Plots of a beat with a curve for each opening: its flow, its pressure. */
ht_status ht_picture_beat_flow(const char *path, const ht_beat *beat, const ht_flow_stats *stats,
                               const ht_picture_text *text);
ht_status ht_picture_beat_pressure(const char *path, const ht_beat *beat,
                                   const ht_flow_stats *stats, const ht_picture_text *text);
/* Plots the mean pressure of the sections along the vessel; for a beat also that at the largest
 * inflow. Needs at least one station. */
ht_status ht_picture_centreline(const char *path, const ht_beat *beat, const ht_flow_stats *stats,
                                const ht_picture_text *text);

/* The places of tiles on the lattice of a mask. */
typedef struct {
  int side; /* of a tile, voxels */
  int64_t count;
  const int32_t *first; /* [count][3] the voxel with the smallest indices of each; may lie outside
                           the mask, also below 0. Borrowed */
} ht_tile_places;
/* Draws the tiles on the mask in the section of the lattice that cuts the most of them: full ones,
 * partly filled ones, and the empty part of these. HT_ERR_VESSEL: no tile lies on the mask. */
ht_status ht_picture_tiles(const char *path, const ht_mask *mask, const ht_tile_places *tiles,
                           const ht_picture_text *text);

/* Draws the levels of a domain's lattice in 3 views, `coarser` as in ht_solver_options: the slices,
 * and dim the finest level before and behind them. HT_ERR_VESSEL, HT_ERR_MEMORY. */
ht_status ht_picture_levels(const char *path, const ht_domain *domain, const uint8_t *coarser,
                            const ht_picture_text *text);

/* Draws the wall of the domain with its extensions, 3 views, coloured by the part of each tile,
 * part[tiles->count], 0 to parts - 1. HT_ERR_VESSEL: there is no tile. HT_ERR_MEMORY. */
ht_status ht_picture_parts(const char *path, const ht_domain *domain, const ht_tile_places *tiles,
                           int parts, const int32_t *part, const ht_picture_text *text);

#ifdef __cplusplus
}
#endif
#endif

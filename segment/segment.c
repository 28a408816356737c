#include "segment/segment.h"
#include "segment/segment_between.h"
#include "segment/segment_region.h"
#include "segment/verify_candidates.h"
#include "segment/level/agent.h"
#include "segment/surface/between_voxels.h"
#include "segment/level/bone.h"
#include "segment/voxels/component.h"
#include "segment/candidates/find_candidates.h"
#include "segment/level/level.h"
#include "segment/level/seen_zone.h"
#include "segment/surface/levelset.h"
#include "segment/voxels/pieces.h"
#include "segment/settings/preset.h"
#include "segment/surface/resample.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ht_segment_defaults(ht_segment_options *options) {
  memset(options, 0, sizeof *options);
  options->method = HT_SEGMENT_AUTO;
  options->lower = options->upper = NAN;
  options->smoothing_mm = -1;
  options->bone = NAN;
  options->gap_mm = -1;
  options->nodes_across = 20;
  options->branch_diameters = 2;
}

const ht_segment_ranges ht_segment_allowed = {.intensity = {-1e7, 1e7, 0},
                                              .position_mm = {-1e5, 1e5, 0},
                                              .sphere_radius_mm = {0, 1e5, 1},
                                              .smoothing_mm = {0, 10, 0},
                                              .gap_mm = {0, 20, 0},
                                              .vessel_radius_mm = {0, 100, 1},
                                              .spacing_mm = {0, 100, 1},
                                              .nodes_across = {4, 1000, 0},
                                              .branch_diameters = {1, 50, 0}};

static ht_status check_window(const ht_segment_options *o) {
  const ht_range *allowed = &ht_segment_allowed.intensity;
  if (!isnan(o->lower)) HT_TRY(ht_check_range("segment.lower", o->lower, allowed));
  if (!isnan(o->upper)) HT_TRY(ht_check_range("segment.upper", o->upper, allowed));
  if (!isnan(o->bone)) HT_TRY(ht_check_range("segment.bone", o->bone, allowed));
  if (!(o->lower > o->upper)) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "segment.lower is %g, above segment.upper, %g: allowed is lower <= upper",
                 o->lower, o->upper);
}

static ht_status check_radii(const double radius_mm[2]) {
  const ht_range *allowed = &ht_segment_allowed.vessel_radius_mm;
  for (int i = 0; i < 2; i++)
    if (radius_mm[i] != 0) HT_TRY(ht_check_range("segment.radius_mm", radius_mm[i], allowed));
  if (!(radius_mm[1] > 0 && radius_mm[0] > radius_mm[1])) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "segment.radius_mm is [%g, %g]: the first is the smallest, the second the largest",
                 radius_mm[0], radius_mm[1]);
}

/* An automatic value has no range. */
static ht_status check_numbers(const ht_segment_options *o) {
  const ht_segment_ranges *allowed = &ht_segment_allowed;
  HT_TRY(check_window(o));
  if (!(o->smoothing_mm < 0))
    HT_TRY(ht_check_range("segment.smoothing_mm", o->smoothing_mm, &allowed->smoothing_mm));
  if (!(o->gap_mm < 0)) HT_TRY(ht_check_range("segment.gap_mm", o->gap_mm, &allowed->gap_mm));
  HT_TRY(check_radii(o->vessel_radius_mm));
  if (o->spacing_mm != 0)
    HT_TRY(ht_check_range("lattice.spacing_mm", o->spacing_mm, &allowed->spacing_mm));
  if (o->nodes_across == 0) return HT_OK;
  return ht_check_range("lattice.nodes_across", o->nodes_across, &allowed->nodes_across);
}

static ht_status check_position(const char *name, const double position_mm[3]) {
  for (int a = 0; a < 3; a++)
    HT_TRY(ht_check_range(name, position_mm[a], &ht_segment_allowed.position_mm));
  return HT_OK;
}

static ht_status check_places(const ht_segment_options *o) {
  const double *low = o->region_min_mm, *high = o->region_max_mm;
  if (o->has_seed) HT_TRY(check_position("segment.seed_mm", o->seed_mm));
  if (o->has_sphere) {
    HT_TRY(check_position("region.centre_mm", o->sphere_mm));
    HT_TRY(ht_check_range("region.radius_mm", o->sphere_radius_mm,
                          &ht_segment_allowed.sphere_radius_mm));
  }
  if (!o->has_region) return HT_OK;
  HT_TRY(check_position("region.min_mm", low));
  HT_TRY(check_position("region.max_mm", high));
  for (int a = 0; a < 3; a++)
    if (!(low[a] < high[a]))
      return ht_fail(HT_ERR_CASE, "region: min_mm %c is %g, not below max_mm %g", "xyz"[a], low[a],
                     high[a]);
  return HT_OK;
}

static ht_status check_points(const ht_segment_options *o) {
  if (o->points == 0) return HT_OK;
  if (o->points < 2 || o->points > HT_SEGMENT_POINTS_MAX)
    return ht_fail(HT_ERR_CASE, "vessel.points has %d points: allowed are 2 to %d", o->points,
                   HT_SEGMENT_POINTS_MAX);
  for (int p = 0; p < o->points; p++) HT_TRY(check_position("vessel.points", o->point_mm[p]));
  return ht_check_range("vessel.branches", o->branch_diameters,
                        &ht_segment_allowed.branch_diameters);
}

ht_status ht_segment_check(const ht_segment_options *options) {
  if (options->method < HT_SEGMENT_AUTO || options->method > HT_SEGMENT_FILE)
    return ht_fail(HT_ERR_CASE,
                   "segment.method is %d: allowed is auto, threshold, vesselness, levelset or file",
                   (int)options->method);
  if (options->preset < HT_PRESET_AUTO || options->preset > HT_PRESET_3DRA)
    return ht_fail(
        HT_ERR_CASE,
        "segment.preset is %d: allowed is auto, none, tof-mra, cta-head, cta-aorta or 3dra",
        (int)options->preset);
  HT_TRY(check_numbers(options));
  HT_TRY(check_points(options));
  return check_places(options);
}

enum { FEWEST_NODES = 100 }; /* of a vessel: fewer cannot be a flow */
static const double reference_nodes = 4e7;

static const double *seed_of(const ht_segment_options *options) {
  if (options->points > 0) return options->point_mm[0];
  return options->has_seed ? options->seed_mm : NULL;
}

static ht_status to_lattice(const ht_isosurface *surface, const ht_segment_options *options,
                            const ht_progress *progress, ht_mask *mask, ht_segment_report *report) {
  const double *s = surface->field.grid.spacing_mm;
  double spacing = options->spacing_mm, voxel = fmin(s[0], fmin(s[1], s[2]));
  if (options->is_reference)
    spacing = ht_isosurface_fitting_mm(surface, spacing > 0 ? spacing : voxel / 2,
                                       options->max_voxels > 0
                                           ? fmin((double)options->max_voxels, reference_nodes)
                                           : reference_nodes);
  if (!(spacing > 0) && options->nodes_across > 0)
    HT_TRY(ht_isosurface_spacing(surface, options->nodes_across, progress, &spacing,
                                 &report->diameter_mm));
  if (!(spacing > 0)) spacing = voxel;
  HT_TRY(ht_isosurface_sample(surface, spacing, options->max_voxels, seed_of(options), progress,
                              mask));
  int64_t nodes = ht_mask_count(mask);
  if (nodes >= FEWEST_NODES) return HT_OK;
  ht_mask_free(mask);
  return ht_fail(HT_ERR_VESSEL,
                 "the vessel has only %lld nodes on a lattice of %.3g mm: that is too coarse for "
                 "it; set a smaller lattice.spacing_mm (--spacing)",
                 (long long)nodes, spacing);
}

static void finish_report(const ht_mask *mask, ht_segment_report *report) {
  report->spacing_mm = mask->grid.spacing_mm[0];
  report->volume_ml = ht_mask_ml(mask);
}

/* Finds the zone where the vessel may be: in the ball, not in bone, where an artery is seen. Not
 * allocated where it may be everywhere. `seen`: on the region's grid; inside NULL: nothing. */
static ht_status find_zone(const ht_volume *region, const ht_mask *seen,
                           const ht_segment_options *options, const ht_progress *progress,
                           ht_mask *zone, double *bone_ml) {
  int64_t voxels = ht_grid_voxels(&region->grid);
  if (!options->has_sphere && isnan(options->bone) && !seen->inside) return HT_OK;
  HT_TRY(ht_mask_alloc(&region->grid, zone));
  memset(zone->inside, 1, (size_t)voxels);
  if (options->has_sphere) ht_mask_clip_sphere(zone, options->sphere_mm, options->sphere_radius_mm);
  if (ht_mask_count(zone) == 0)
    return ht_fail(HT_ERR_CASE,
                   "region: no voxel of the scan lies in the ball of %g mm around [%g, %g, %g]",
                   options->sphere_radius_mm, options->sphere_mm[0], options->sphere_mm[1],
                   options->sphere_mm[2]);
  if (seen->inside) HT_TRY(ht_zone_keep_seen(seen, progress, zone));
  if (isnan(options->bone)) return HT_OK;
  ht_status status = ht_bone_remove(region, options->bone, progress, zone, bone_ml);
  if (status == HT_OK && ht_mask_count(zone) == 0)
    status = ht_fail(HT_ERR_VESSEL,
                     "all of the region is bone: no value is below segment.bone, %g; set a higher "
                     "one, or a larger region",
                     options->bone);
  return status;
}

struct ht_vessel {
  ht_segment_options used; /* with the preset's */
  ht_agent agent;
  ht_isosurface surface;
  ht_mask piece;    /* of a drawn mask, whose surface is made on request; else none */
  int has_wall;     /* the drawn mask came with the surface */
  ht_grid grid;     /* of the region */
  ht_pieces pieces; /* all of vessel in it; none where it was found between points */
};

/* Finds the level and the piece of vessel. */
static ht_status level_of(const ht_volume *region, const ht_mask *seen, ht_mask *zone,
                          const ht_agent *agent, const ht_segment_options *options,
                          const ht_progress *progress, ht_level *level, ht_segment_report *report) {
  ht_segment_options by_seen = *options;
  if (seen->inside && isnan(options->lower)) {
    by_seen.method = HT_SEGMENT_THRESHOLD;
    HT_TRY(ht_seen_level(region, seen, progress, &by_seen.lower));
  }
  return ht_level_find(region, zone, agent, &by_seen, progress, level, report);
}

static ht_status surface_of(ht_volume *region, const ht_mask *seen, const ht_agent *agent,
                            const ht_segment_options *options, const ht_progress *progress,
                            ht_segment_report *report, ht_vessel *found) {
  ht_isosurface *surface = &found->surface;
  const int walls = options->method == HT_SEGMENT_LEVELSET || seen->inside;
  ht_level level = {.lower = 0};
  ht_mask zone = {0};
  ht_status status = find_zone(region, seen, options, progress, &zone, &report->bone_ml);
  found->grid = region->grid;
  if (status == HT_OK)
    status = level_of(region, seen, zone.inside ? &zone : NULL, agent, options, progress, &level,
                      report);
  ht_mask_free(&zone);
  if (status == HT_OK) status = ht_segment_crop_to_vessel(region, &level.vessel);
  if (status == HT_OK) {
    ht_isosurface_of_level(region, &level.vessel, level.lower, level.upper, surface);
    if (seen->inside)
      snprintf(report->method, sizeof report->method,
               "network, level set from %.4g, half-way near arteries", level.lower);
    else
      snprintf(report->method, sizeof report->method, "%s%s", walls ? "level set from " : "",
               level.method);
    report->lower = level.lower;
    report->upper = level.upper;
  }
  found->pieces = level.all;
  ht_mask_free(&level.vessel);
  if (status == HT_OK && walls) status = ht_levelset_refine(surface, progress);
  return status;
}

/* Requires no agent where a person gives the place of the vessel, or its brightness. */
static ht_status check_agent(const ht_agent *agent, const ht_segment_options *options) {
  if (!agent->is_ct || agent->is_there || options->has_seed || !isnan(options->lower)) return HT_OK;
  return ht_fail(HT_ERR_VESSEL,
                 "no contrast agent seen in a CT: nothing in it is evenly brighter than tissue "
                 "(150 HU and more), as blood with an agent is; bone and calcium are uneven: take "
                 "the series with contrast agent; if you see the vessel in this one (dimmer, or "
                 "thinner than four voxels), put two points into it, --from X,Y,Z --to X,Y,Z");
}

ht_status ht_vessel_check_agent(const ht_volume *scan, const ht_segment_options *options) {
  ht_box box;
  HT_TRY(ht_segment_find_region(&scan->grid, options, &box));
  const ht_agent agent = ht_agent_find(scan, &box);
  return check_agent(&agent, options);
}

static ht_status find_surface(const ht_volume *scan, const ht_segment_options *options,
                              const ht_progress *progress, ht_segment_report *report,
                              ht_vessel *found) {
  ht_box box;
  ht_volume region = {0};
  ht_mask seen = {0};
  HT_TRY(ht_segment_find_region(&scan->grid, options, &box));
  /* Memory next to the scan: the smoothed copy, masks of a byte, the blocks of the distances and
   * filters. Measured: docs/segmentation.md. */
  HT_TRY(ht_segment_check_memory(
      &scan->grid, &box, 8,
      "set a smaller `region` around the vessel, or resample the scan to larger "
      "voxels"));
  found->agent = ht_agent_find(scan, &box);
  ht_status status = check_agent(&found->agent, options);
  report->no_agent = status != HT_OK;
  if (status == HT_OK) status = ht_segment_smooth_region(scan, &box, options, progress, &region);
  if (status == HT_OK && options->seen) status = ht_mask_crop(options->seen, &box, &seen);
  if (status == HT_OK)
    status = surface_of(&region, &seen, &found->agent, options, progress, report, found);
  ht_mask_free(&seen);
  ht_volume_free(&region);
  return status;
}

ht_status ht_vessel_find(const ht_volume *scan, const ht_segment_options *options,
                         const ht_progress *progress, ht_vessel **vessel,
                         ht_segment_report *report) {
  *vessel = NULL;
  memset(report, 0, sizeof *report);
  HT_TRY(ht_segment_check(options));
  if (options->method == HT_SEGMENT_FILE)
    return ht_fail(HT_ERR_CASE,
                   "segment.method is file, but there is no mask: give `mask: FILE` in "
                   "the case file instead of the scan, or another method");
  ht_segment_options used = ht_preset_apply(options, report->preset, sizeof report->preset);
  HT_TRY(ht_alloc((void **)vessel, 1, sizeof **vessel, "the vessel"));
  (*vessel)->used = used;
  ht_isosurface *surface = &(*vessel)->surface;
  ht_status status = options->points > 0 ? ht_segment_between(scan, &used, options->method,
                                                              progress, report, surface)
                                         : find_surface(scan, &used, progress, report, *vessel);
  if (status == HT_OK) return HT_OK;
  ht_vessel_free(*vessel);
  *vessel = NULL;
  return status;
}

ht_segment_options ht_segment_reference(const ht_segment_options *options, double spacing_mm) {
  ht_segment_options reference = *options;
  reference.is_reference = 1;
  reference.spacing_mm = spacing_mm;
  reference.nodes_across = 0;
  return reference;
}

void ht_vessel_free(ht_vessel *vessel) {
  if (!vessel) return;
  ht_isosurface_free(&vessel->surface);
  ht_mask_free(&vessel->piece);
  ht_pieces_free(&vessel->pieces);
  free(vessel);
}

ht_status ht_vessel_candidates(const ht_vessel *vessel, const ht_volume *scan, unsigned signs,
                               const ht_progress *progress, ht_candidates *candidates) {
  HT_TRY(ht_candidates_find(scan, &vessel->agent, signs, &vessel->grid, &vessel->pieces, progress,
                            candidates));
  return ht_candidates_verify(scan, &vessel->used, progress, candidates);
}

/* Keeps the voxels as drawn and removes the empty space around them. */
static ht_status keep_drawn(const ht_mask *piece, ht_mask *mask) {
  ht_box box = ht_box_of_mask(piece);
  for (int a = 0; a < 3; a++) {
    if (box.first[a] > 0) box.first[a] -= 2;
    if (box.last[a] < piece->grid.dim[a] - 1) box.last[a] += 2;
  }
  return ht_mask_crop(piece, &box, mask);
}

static int is_as_drawn(const ht_grid *grid, const ht_segment_options *options) {
  double own_mm = grid->spacing_mm[0];
  int asks_own = fabs(options->spacing_mm - own_mm) <= 1e-3 * own_mm;
  int asks_none = !(options->spacing_mm > 0) && !(options->nodes_across > 0);
  return ht_grid_is_isotropic(grid) && (asks_own || asks_none) && !options->is_reference;
}

static ht_status sample_piece(ht_vessel *vessel, const ht_segment_options *options,
                              const ht_progress *progress, ht_mask *mask,
                              ht_segment_report *report) {
  int as_drawn = is_as_drawn(&vessel->piece.grid, options);
  snprintf(report->method, sizeof report->method, "%s",
           as_drawn ? "mask, as drawn" : "mask, resampled");
  if (as_drawn) return keep_drawn(&vessel->piece, mask);
  if (!vessel->surface.field.values)
    HT_TRY(ht_isosurface_of_mask(&vessel->piece, progress, &vessel->surface));
  return to_lattice(&vessel->surface, options, progress, mask, report);
}

ht_status ht_vessel_sample(ht_vessel *vessel, const ht_segment_options *options,
                           const ht_progress *progress, ht_mask *mask, ht_segment_report *report) {
  memset(mask, 0, sizeof *mask);
  HT_TRY(ht_segment_check(options));
  HT_TRY(vessel->piece.inside ? sample_piece(vessel, options, progress, mask, report)
                              : to_lattice(&vessel->surface, options, progress, mask, report));
  finish_report(mask, report);
  return HT_OK;
}

ht_status ht_vessel_triangles(const ht_vessel *vessel, ht_triangles *triangles) {
  memset(triangles, 0, sizeof *triangles);
  int of_voxels = vessel->piece.inside && !vessel->has_wall;
  if (of_voxels || !vessel->surface.field.values) return HT_OK;
  return ht_isosurface_triangles(&vessel->surface, triangles);
}

ht_status ht_segment_volume(const ht_volume *scan, const ht_segment_options *options,
                            const ht_progress *progress, ht_mask *mask, ht_segment_report *report) {
  ht_segment_report own;
  ht_vessel *vessel = NULL;
  if (!report) report = &own;
  memset(mask, 0, sizeof *mask);
  ht_status status = ht_vessel_find(scan, options, progress, &vessel, report);
  if (status == HT_OK) status = ht_vessel_sample(vessel, options, progress, mask, report);
  ht_vessel_free(vessel);
  return status;
}

static ht_status take_piece(const ht_mask *drawn, const ht_segment_options *options, ht_mask *piece,
                            ht_segment_report *report) {
  ht_box box;
  HT_TRY(ht_segment_check(options));
  HT_TRY(ht_segment_find_region(&drawn->grid, options, &box));
  HT_TRY(ht_mask_crop(drawn, &box, piece));
  if (options->has_sphere)
    ht_mask_clip_sphere(piece, options->sphere_mm, options->sphere_radius_mm);
  HT_TRY(ht_mask_keep_piece(piece, seed_of(options), &report->components, &report->kept_fraction));
  if (report->components > 0) return HT_OK;
  return ht_fail(HT_ERR_VESSEL, "the mask has no vessel voxel%s: draw one, or change the region",
                 options->has_region || options->has_sphere ? " in the region" : "");
}

ht_status ht_vessel_of_mask(const ht_mask *drawn, const ht_segment_options *options,
                            ht_vessel **vessel, ht_segment_report *report) {
  memset(report, 0, sizeof *report);
  HT_TRY(ht_alloc((void **)vessel, 1, sizeof **vessel, "the vessel"));
  ht_status status = take_piece(drawn, options, &(*vessel)->piece, report);
  if (status == HT_OK) return HT_OK;
  ht_vessel_free(*vessel);
  *vessel = NULL;
  return status;
}

ht_status ht_vessel_take_wall(ht_vessel *vessel, const ht_volume *distance) {
  const ht_grid *grid = &vessel->piece.grid;
  ht_box box = ht_box_of_mask(&vessel->piece);
  if (memcmp(grid->dim, distance->grid.dim, sizeof grid->dim) != 0)
    return ht_fail(HT_ERR_INTERNAL, "the distance from the wall is not on the mask's grid");
  ht_isosurface_free(&vessel->surface);
  vessel->has_wall = 1;
  return ht_isosurface_of_distance(distance, &box, &vessel->surface);
}

ht_status ht_segment_mask(const ht_mask *drawn, const ht_segment_options *options,
                          const ht_progress *progress, ht_mask *mask, ht_segment_report *report) {
  ht_segment_report own;
  ht_vessel *vessel = NULL;
  if (!report) report = &own;
  memset(mask, 0, sizeof *mask);
  ht_status status = ht_vessel_of_mask(drawn, options, &vessel, report);
  if (status == HT_OK) status = ht_vessel_sample(vessel, options, progress, mask, report);
  ht_vessel_free(vessel);
  return status;
}

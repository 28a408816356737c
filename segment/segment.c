#include "segment.h"
#include "bias.h"
#include "bone.h"
#include "component.h"
#include "find_candidates.h"
#include "gather.h"
#include "host_memory.h"
#include "level.h"
#include "levelset.h"
#include "part.h"
#include "pieces.h"
#include "preset.h"
#include "prune.h"
#include "resample.h"
#include "vessel.h"
#include "way.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sigma of the automatic smoothing, in voxels: enough to damp the noise. */
static const double auto_smoothing = 0.5;

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
                                              .nodes_across = {4, 1000, 0}};

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
  return check_places(options);
}

/* The part of the box that lies in the box around the ball, with some voxels of room: the cut
 * vessel ends inside the grid, not in a small patch of its border where the two touch. */
static ht_status cut_to_sphere(const ht_grid *grid, const ht_segment_options *options,
                               ht_box *box) {
  double low[3], high[3];
  ht_box ball;
  for (int r = 0; r < 3; r++) low[r] = options->sphere_mm[r] - options->sphere_radius_mm;
  for (int r = 0; r < 3; r++) high[r] = options->sphere_mm[r] + options->sphere_radius_mm;
  HT_TRY(ht_box_of_region(grid, low, high, &ball));
  ball = ht_box_grow(grid, &ball, 2);
  for (int a = 0; a < 3; a++) {
    if (ball.first[a] > box->first[a]) box->first[a] = ball.first[a];
    if (ball.last[a] < box->last[a]) box->last[a] = ball.last[a];
    if (box->first[a] > box->last[a])
      return ht_fail(HT_ERR_CASE, "region: box and sphere have no voxel in common");
  }
  return HT_OK;
}

/* The region's voxels, with the seed in them. */
static ht_status find_region(const ht_grid *grid, const ht_segment_options *options, ht_box *box) {
  double at[3], low[3], high[3];
  const double *p = options->seed_mm;
  HT_TRY(ht_grid_check(grid));
  HT_TRY(ht_box_of_region(grid, options->has_region ? options->region_min_mm : NULL,
                          options->region_max_mm, box));
  if (options->has_sphere) HT_TRY(cut_to_sphere(grid, options, box));
  if (!options->has_seed) return HT_OK;
  ht_grid_index(grid, p, at);
  int inside = 1, limited = options->has_region || options->has_sphere;
  for (int a = 0; a < 3; a++)
    inside = inside && at[a] >= box->first[a] - 0.5 && at[a] <= box->last[a] + 0.5;
  if (inside) return HT_OK;
  ht_box_extent(grid, box, low, high);
  return ht_fail(
      HT_ERR_CASE,
      "segment.seed_mm [%.1f, %.1f, %.1f] lies outside the %s, which runs from [%.1f, "
      "%.1f, %.1f] to [%.1f, %.1f, %.1f] mm (LPS: NIfTI's x and y with the sign changed)",
      p[0], p[1], p[2], limited ? "region" : "scan", low[0], low[1], low[2], high[0], high[1],
      high[2]);
}

/* How the scan is smoothed: sigma along each axis, and how far beyond (vessel.h). A voxel holds the
 * mean over its cell, and the surface is interpolated linearly between voxels: together they blur
 * with a variance of 1/12 + 1/6 = 1/4 voxel^2, which moves the wall of a vessel of radius R inward
 * by 1/8 voxel^2 / R. `a` is chosen so that the smoothing compensates for it, as far as a = 2 can.
 */
typedef struct {
  double sigma_mm[3], a;
} smoothing;

static smoothing smoothing_of(const ht_segment_options *options, const ht_grid *grid) {
  const double *s = grid->spacing_mm;
  smoothing used = {{0, 0, 0}, 2};
  double given = options->smoothing_mm, voxel = ht_mean_spacing(grid);
  for (int r = 0; r < 3; r++) used.sigma_mm[r] = given >= 0 ? given : auto_smoothing * s[r];
  if (given > 0) used.a = fmin(2, 1 + 0.25 * voxel * voxel / (given * given));
  return used;
}

/* The smallest number of the box; 0 where there is none. */
static float least_of(const ht_volume *scan, const ht_box *box) {
  const int *dim = scan->grid.dim;
  float least = INFINITY;
  for (int k = box->first[2]; k <= box->last[2]; k++)
    for (int j = box->first[1]; j <= box->last[1]; j++) {
      const float *row = scan->values + dim[0] * (j + (int64_t)dim[1] * k);
      for (int i = box->first[0]; i <= box->last[0]; i++)
        if (row[i] < least && isfinite(row[i])) least = row[i];
    }
  return isfinite(least) ? least : 0;
}

/* Values that are not a number become `least`, so that they do not spread. */
static void mend(ht_volume *image, float least) {
  int64_t voxels = ht_grid_voxels(&image->grid);
  for (int64_t v = 0; v < voxels; v++)
    if (!isfinite(image->values[v])) image->values[v] = least;
}

/* One slab of the region: smoothed together with its surroundings, then cut out. */
static ht_status smooth_slab(const ht_volume *scan, const ht_box *slab, const smoothing *how,
                             float least, const ht_bias *bias, const ht_box *box,
                             ht_volume *region) {
  int margin = 0; /* twice over reaches twice as far */
  for (int a = 0; a < 3; a++)
    margin = (int)fmax(margin, 2 * ceil(4 * how->sigma_mm[a] / scan->grid.spacing_mm[a]));
  ht_box wide = ht_box_grow(&scan->grid, slab, margin), inner;
  ht_volume around = {0};
  int first[3];
  for (int a = 0; a < 3; a++) {
    inner.first[a] = slab->first[a] - wide.first[a];
    inner.last[a] = slab->last[a] - wide.first[a];
    first[a] = slab->first[a] - box->first[a];
  }
  HT_TRY(ht_volume_crop(scan, &wide, &around));
  mend(&around, least);
  ht_bias_divide(bias, wide.first, &around);
  ht_status status = ht_itk_smooth(&around, how->sigma_mm, how->a, NULL);
  if (status == HT_OK) ht_volume_paste(&around, &inner, first, region);
  ht_volume_free(&around);
  return status;
}

/* The region, smoothed slab by slab: the filter's own images are then small. */
static ht_status smooth_region(const ht_volume *scan, const ht_box *box, const ht_bias *bias,
                               const ht_segment_options *options, const ht_progress *progress,
                               ht_volume *region) {
  const double slab_voxels = 6e6;
  const smoothing how = smoothing_of(options, &scan->grid);
  double slice = 1;
  ht_grid grid = ht_box_grid(&scan->grid, box);
  float least = least_of(scan, box);
  for (int a = 0; a < 2; a++) slice *= grid.dim[a];
  int thick = (int)fmax(8, slab_voxels / slice);
  HT_TRY(ht_volume_alloc(&grid, region));
  ht_status status = HT_OK;
  ht_box slab = *box;
  for (int k = box->first[2]; k <= box->last[2] && status == HT_OK; k += thick) {
    slab.first[2] = k;
    slab.last[2] = k + thick - 1 < box->last[2] ? k + thick - 1 : box->last[2];
    status = ht_progress_report(progress, "segment", k - box->first[2], grid.dim[2], "smoothing");
    if (status == HT_OK) status = smooth_slab(scan, &slab, &how, least, bias, box, region);
  }
  if (status != HT_OK) ht_volume_free(region);
  return status;
}

enum { FEWEST_NODES = 100 }; /* of a vessel: fewer cannot be a flow */

static const double *seed_of(const ht_segment_options *options) {
  return options->has_seed ? options->seed_mm : NULL;
}

static ht_status to_lattice(const ht_isosurface *surface, const ht_segment_options *options,
                            const ht_progress *progress, ht_mask *mask, ht_segment_report *report) {
  const double *s = surface->field.grid.spacing_mm;
  double spacing = options->spacing_mm;
  if (!(spacing > 0) && options->nodes_across > 0)
    HT_TRY(ht_isosurface_spacing(surface, options->nodes_across, progress, &spacing,
                                 &report->diameter_mm));
  if (!(spacing > 0)) spacing = fmin(s[0], fmin(s[1], s[2]));
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

/* Where the vessel may be: in the ball, not in bone. Not allocated where it may be everywhere. */
static ht_status find_zone(const ht_volume *region, const ht_segment_options *options,
                           const ht_progress *progress, ht_mask *zone, double *bone_ml) {
  int64_t voxels = ht_grid_voxels(&region->grid);
  if (!options->has_sphere && isnan(options->bone)) return HT_OK;
  HT_TRY(ht_mask_alloc(&region->grid, zone));
  memset(zone->inside, 1, (size_t)voxels);
  if (options->has_sphere) ht_mask_clip_sphere(zone, options->sphere_mm, options->sphere_radius_mm);
  if (ht_mask_count(zone) == 0)
    return ht_fail(HT_ERR_CASE,
                   "region: no voxel of the scan lies in the ball of %g mm around [%g, %g, %g]",
                   options->sphere_radius_mm, options->sphere_mm[0], options->sphere_mm[1],
                   options->sphere_mm[2]);
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
  ht_isosurface surface;
  ht_grid grid;     /* of the region */
  ht_pieces pieces; /* all of vessel in it; none where it was found between points */
};

/* The smoothed region, cropped to the vessel's surroundings where these are much smaller. */
static ht_status crop_to_vessel(ht_volume *region, ht_mask *vessel) {
  enum { MARGIN = 4 };
  ht_volume small = {0};
  ht_mask piece = {0};
  ht_box box = ht_box_of_mask(vessel);
  box = ht_box_grow(&region->grid, &box, MARGIN);
  ht_grid grid = ht_box_grid(&region->grid, &box);
  if (2 * ht_grid_voxels(&grid) > ht_grid_voxels(&region->grid)) return HT_OK;
  HT_TRY(ht_mask_crop(vessel, &box, &piece));
  ht_status status = ht_volume_crop(region, &box, &small);
  if (status != HT_OK) {
    ht_mask_free(&piece);
    return status;
  }
  ht_volume_free(region);
  ht_mask_free(vessel);
  *region = small;
  *vessel = piece;
  return HT_OK;
}

static ht_status surface_of(ht_volume *region, const ht_segment_options *options,
                            const ht_progress *progress, ht_segment_report *report,
                            ht_vessel *found) {
  ht_isosurface *surface = &found->surface;
  ht_level level;
  ht_mask vessel = {0}, zone = {0};
  ht_status status = find_zone(region, options, progress, &zone, &report->bone_ml);
  found->grid = region->grid;
  if (status == HT_OK)
    status = ht_level_find(region, zone.inside ? &zone : NULL, options, progress, &level, &vessel,
                           &found->pieces, report);
  ht_mask_free(&zone);
  if (status == HT_OK) status = crop_to_vessel(region, &vessel);
  if (status == HT_OK) {
    ht_isosurface_of_level(region, &vessel, level.lower, level.upper, surface);
    int walls = options->method == HT_SEGMENT_LEVELSET;
    snprintf(report->method, sizeof report->method, "%s%s", walls ? "level set from " : "",
             level.method);
    report->lower = level.lower;
    report->upper = level.upper;
  }
  ht_mask_free(&vessel);
  if (status == HT_OK && options->method == HT_SEGMENT_LEVELSET)
    status = ht_levelset_refine(surface, progress);
  return status;
}

/* Beside the scan, of each voxel of the region: the smoothed copy, masks of a byte, the blocks that
 * distances and filters run in. Measured: docs/segmentation.md. */
static ht_status check_memory(const ht_grid *scan, const ht_box *box) {
  const double bytes_a_voxel = 8;
  char what[96];
  ht_grid grid = ht_box_grid(scan, box);
  snprintf(what, sizeof what, "finding the vessel in %d x %d x %d voxels", grid.dim[0], grid.dim[1],
           grid.dim[2]);
  return ht_host_memory_check(bytes_a_voxel * (double)ht_grid_voxels(&grid), what,
                              "set a smaller `region` around the vessel, or resample the scan to "
                              "larger voxels");
}

static ht_status find_region_between(const ht_volume *scan, const ht_segment_options *options,
                                     const ht_progress *progress, ht_way *way, ht_box *box) {
  HT_TRY(ht_way_find(scan, options->point_mm, options->points, progress, way));
  return ht_way_box(way->coarse.values ? &way->coarse.grid : &scan->grid, way, box);
}

static void report_way(const ht_way *way, ht_segment_report *report) {
  double least = INFINITY, most = -INFINITY;
  report->points = way->points;
  for (int p = 0; p < way->points; p++) {
    const ht_way_station *one = &way->station[way->at_point[p]];
    ht_segment_point *point = &report->point[p];
    memcpy(point->centre_mm, one->centre_mm, sizeof point->centre_mm);
    point->radius_mm = one->radius_mm;
    point->away_mm = way->away_mm[p];
    point->is_end = way->is_end[p];
  }
  for (int s = 0; s < way->stations; s++) {
    double level = (way->station[s].blood + way->station[s].tissue) / 2;
    int dark = way->station[s].is_dark;
    least = fmin(least, level);
    most = fmax(most, level);
    report->bridges += dark && (s == 0 || !way->station[s - 1].is_dark);
  }
  report->lower = least;
  report->upper = INFINITY;
  report->components = 1;
  report->kept_fraction = 1;
  snprintf(report->method, sizeof report->method,
           "between %d points, above a local level of %.4g to %.4g", way->points, least, most);
}

/* The voxels of the vessel between the points; `region` becomes the field of its wall. */
static ht_status vessel_between(ht_volume *region, const ht_segment_options *options, ht_way *way,
                                const ht_progress *progress, ht_segment_report *report,
                                ht_mask *vessel) {
  int32_t *station;
  size_t voxels = (size_t)ht_grid_voxels(&region->grid);
  HT_TRY(ht_way_measure(region, options->point_mm, way));
  HT_TRY(ht_alloc((void **)&station, voxels, sizeof *station, "the vessel's stations"));
  ht_status status = ht_gather(region, way, progress, vessel, station);
  if (status == HT_OK)
    status = ht_part(region, way, station, vessel, &report->parted, &report->parted_ml);
  if (status == HT_OK) status = ht_prune(way, station, options->branch_diameters, vessel);
  free(station);
  if (status == HT_OK) report_way(way, report);
  return status;
}

static ht_status surface_between(ht_volume *region, const ht_segment_options *options, ht_way *way,
                                 const ht_progress *progress, ht_segment_report *report,
                                 ht_isosurface *surface) {
  ht_mask vessel = {0};
  ht_status status = vessel_between(region, options, way, progress, report, &vessel);
  if (status == HT_OK) status = crop_to_vessel(region, &vessel);
  if (status == HT_OK) ht_isosurface_of_level(region, &vessel, 0, INFINITY, surface);
  ht_mask_free(&vessel);
  if (status == HT_OK && options->method == HT_SEGMENT_LEVELSET)
    status = ht_levelset_refine(surface, progress);
  return status;
}

static ht_status find_surface(const ht_volume *scan, const ht_segment_options *options,
                              const ht_progress *progress, ht_segment_report *report,
                              ht_vessel *found) {
  ht_box box;
  ht_way way = {0};
  ht_bias bias = {0};
  ht_volume region = {0};
  ht_status status = options->points > 0 ? find_region_between(scan, options, progress, &way, &box)
                                         : find_region(&scan->grid, options, &box);
  if (way.coarse.values) scan = &way.coarse;
  if (status == HT_OK) status = check_memory(&scan->grid, &box);
  if (status == HT_OK && options->bias == HT_BIAS_N4)
    status = ht_bias_find(scan, &box, progress, &bias);
  if (status == HT_OK) status = smooth_region(scan, &box, &bias, options, progress, &region);
  ht_bias_free(&bias);
  if (status == HT_OK)
    status = options->points > 0
                 ? surface_between(&region, options, &way, progress, report, &found->surface)
                 : surface_of(&region, options, progress, report, found);
  ht_volume_free(&region);
  ht_way_free(&way);
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
  ht_status status = find_surface(scan, &used, progress, report, *vessel);
  if (status == HT_OK) return HT_OK;
  ht_vessel_free(*vessel);
  *vessel = NULL;
  return status;
}

ht_status ht_vessel_sample(const ht_vessel *vessel, const ht_segment_options *options,
                           const ht_progress *progress, ht_mask *mask, ht_segment_report *report) {
  memset(mask, 0, sizeof *mask);
  HT_TRY(ht_segment_check(options));
  HT_TRY(to_lattice(&vessel->surface, options, progress, mask, report));
  finish_report(mask, report);
  return HT_OK;
}

void ht_vessel_free(ht_vessel *vessel) {
  if (!vessel) return;
  ht_isosurface_free(&vessel->surface);
  ht_pieces_free(&vessel->pieces);
  free(vessel);
}

ht_status ht_vessel_candidates(const ht_vessel *vessel, const ht_volume *scan,
                               const ht_progress *progress, ht_candidates *candidates) {
  return ht_candidates_find(scan, &vessel->grid, &vessel->pieces, progress, candidates);
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

/* Keeps the voxels as drawn and removes the empty space around them. */
static ht_status keep_drawn(const ht_mask *piece, ht_mask *mask) {
  ht_box box = ht_box_of_mask(piece);
  for (int a = 0; a < 3; a++) {
    if (box.first[a] > 0) box.first[a] -= 2;
    if (box.last[a] < piece->grid.dim[a] - 1) box.last[a] += 2;
  }
  return ht_mask_crop(piece, &box, mask);
}

static ht_status fit_piece(const ht_mask *piece, const ht_segment_options *options,
                           const ht_progress *progress, ht_mask *mask, ht_segment_report *report) {
  ht_isosurface surface = {0};
  double own_mm = piece->grid.spacing_mm[0];
  int asks_own = fabs(options->spacing_mm - own_mm) <= 1e-3 * own_mm;
  int asks_none = !(options->spacing_mm > 0) && !(options->nodes_across > 0);
  int as_drawn = ht_grid_is_isotropic(&piece->grid) && (asks_own || asks_none);
  snprintf(report->method, sizeof report->method, "%s",
           as_drawn ? "mask, as drawn" : "mask, resampled");
  if (as_drawn) return keep_drawn(piece, mask);
  HT_TRY(ht_isosurface_of_mask(piece, progress, &surface));
  ht_status status = to_lattice(&surface, options, progress, mask, report);
  ht_isosurface_free(&surface);
  return status;
}

ht_status ht_segment_mask(const ht_mask *drawn, const ht_segment_options *options,
                          const ht_progress *progress, ht_mask *mask, ht_segment_report *report) {
  ht_box box;
  ht_mask piece = {0};
  ht_segment_report own;
  if (!report) report = &own;
  memset(report, 0, sizeof *report);
  memset(mask, 0, sizeof *mask);
  HT_TRY(ht_segment_check(options));
  HT_TRY(find_region(&drawn->grid, options, &box));
  HT_TRY(ht_mask_crop(drawn, &box, &piece));
  if (options->has_sphere)
    ht_mask_clip_sphere(&piece, options->sphere_mm, options->sphere_radius_mm);
  ht_status status =
      ht_mask_keep_piece(&piece, seed_of(options), &report->components, &report->kept_fraction);
  if (status == HT_OK && report->components == 0)
    status =
        ht_fail(HT_ERR_VESSEL, "the mask has no vessel voxel%s: draw one, or change the region",
                options->has_region || options->has_sphere ? " in the region" : "");
  if (status == HT_OK) status = fit_piece(&piece, options, progress, mask, report);
  if (status == HT_OK) finish_report(mask, report);
  ht_mask_free(&piece);
  return status;
}

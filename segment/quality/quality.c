#include "segment/quality/quality.h"
#include "segment/quality/foreign.h"
#include "segment/voxels/component.h"
#include "segment/quality/leak.h"
#include "segment/quality/thin.h"
#include "core/numbers/vector3.h"
#include "segment/quality/wall_profile.h"
#include <string.h>

static const double lowered_by = 0.05; /* of the contrast, for the leakage index */

static void nothing_known(ht_mask_quality *quality) {
  const ht_quality_place nowhere = {{NAN, NAN, NAN}, NAN};
  memset(quality, 0, sizeof *quality);
  quality->blood = quality->tissue = quality->noise = NAN;
  quality->contrast_to_noise = quality->lowest_contrast_to_noise = NAN;
  quality->edge_mm = quality->edge_voxels = quality->offset_voxels = NAN;
  quality->missing_share = quality->touching_share = NAN;
  quality->bright_share = quality->dark_share = NAN;
  quality->level = quality->leak_index = quality->leak_index_per_unit = quality->leak_ratio = NAN;
  quality->thin_mm = quality->thin_share = quality->thinnest_mm = quality->thinnest_voxels = NAN;
  quality->thin_volume_share = NAN;
  quality->lowest_at = quality->thinnest_at = nowhere;
  quality->missing.at = quality->touching.at = nowhere;
  quality->bright.at = quality->dark.at = nowhere;
}

/* The level of the section with the least contrast. */
static void follow_contrast(const ht_surroundings *around, const ht_vessel_path *path,
                            ht_mask_quality *quality) {
  double least = INFINITY;
  for (int s = 0; path && s < path->stations; s++) {
    double index[3], level[2];
    ht_grid_index(&around->scan->grid, path->station[s].centre_mm, index);
    ht_surroundings_level(around, index, level);
    if (level[0] - level[1] >= least) continue;
    least = level[0] - level[1];
    memcpy(quality->lowest_at.centre_mm, path->station[s].centre_mm, sizeof(double[3]));
  }
  if (isfinite(least)) quality->lowest_contrast_to_noise = least / quality->noise;
}

/* Finds the leak indices. A Gaussian edge falls about as steeply between its points at 80 and 20 %
 * as at its middle. */
static ht_status find_leak(const ht_surroundings *around, const ht_openings *openings,
                           double area_mm2, ht_mask_quality *quality) {
  double growth, volume_mm3, contrast = quality->blood - quality->tissue;
  if (!(isfinite(quality->level) && isfinite(quality->edge_mm))) return HT_OK;
  double level = fmin(fmax(quality->level, 2 * lowered_by), 1 - 2 * lowered_by);
  HT_TRY(ht_leak_measure(around, openings, level, lowered_by, &growth, &volume_mm3));
  quality->leak_index = growth / lowered_by;
  quality->leak_index_per_unit = 100 * growth / (lowered_by * contrast);
  double clean = area_mm2 * lowered_by * quality->edge_mm / 0.6 / volume_mm3;
  quality->leak_ratio = growth / clean;
  return HT_OK;
}

/* A wall drawn in steps of more than some voxels of the scan is off its edge by such a step. */
static void forget_coarse_wall(const ht_surroundings *around, const ht_mask *mask,
                               ht_mask_quality *quality) {
  const double coarsest = 1.5;
  const ht_quality_patch none = {0, {{NAN, NAN, NAN}, NAN}};
  if (mask->grid.spacing_mm[0] <= coarsest * ht_mean_spacing(&around->scan->grid)) return;
  quality->missing_share = quality->touching_share = NAN;
  quality->missing = quality->touching = none;
}

static ht_status measure_values(const ht_volume *scan, const ht_mask *mask,
                                const ht_openings *openings, const ht_vessel_path *path,
                                ht_mask_quality *quality) {
  ht_surroundings around;
  double area_mm2;
  ht_status status = ht_surroundings_make(scan, mask, &around);
  quality->blood = around.level[0];
  quality->tissue = around.level[1];
  quality->noise = around.noise;
  if (status == HT_OK && around.is_bright) {
    quality->contrast_to_noise = (quality->blood - quality->tissue) / quality->noise;
    follow_contrast(&around, path, quality);
    status = ht_wall_profile(&around, mask, openings, quality, &area_mm2);
    forget_coarse_wall(&around, mask, quality);
    if (status == HT_OK) status = find_leak(&around, openings, area_mm2, quality);
    if (status == HT_OK) status = ht_foreign_measure(&around, quality);
  }
  ht_surroundings_free(&around);
  return status;
}

ht_status ht_quality_coarsen(const ht_grid *scan, const ht_mask *mask, ht_mask *coarse) {
  int every = (int)(ht_mean_spacing(scan) / (2 * mask->grid.spacing_mm[0]));
  ht_grid grid = mask->grid;
  *coarse = (ht_mask){0};
  if (every < 2) return HT_OK;
  for (int a = 0; a < 3; a++) {
    grid.dim[a] = (grid.dim[a] - 1) / every + 1;
    grid.spacing_mm[a] *= every;
  }
  HT_TRY(ht_mask_alloc(&grid, coarse));
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    for (int a = 0; a < 3; a++) at[a] *= every;
    coarse->inside[v] = mask->inside[ht_voxel_index(mask->grid.dim, at)];
  }
  return HT_OK;
}

static void find_along(const ht_vessel_path *path, ht_quality_place *place) {
  double least = INFINITY;
  for (int s = 0; path && s < path->stations; s++) {
    double away = ht_distance(path->station[s].centre_mm, place->centre_mm);
    if (!(away < least)) continue; /* also where the place is unknown */
    least = away;
    place->along_mm = path->station[s].along_mm;
  }
}

ht_status ht_quality_measure(const ht_volume *scan, int has_values, const ht_mask *mask,
                             const ht_openings *openings, const ht_vessel_path *path,
                             ht_mask_quality *quality) {
  nothing_known(quality);
  const double *mm = scan->grid.spacing_mm;
  quality->voxel_mm = ht_mean_spacing(&scan->grid);
  quality->longest_mm = fmax(mm[0], fmax(mm[1], mm[2]));
  quality->has_values = has_values;
  if (has_values) HT_TRY(measure_values(scan, mask, openings, path, quality));
  HT_TRY(ht_thin_measure(mask, path, quality));
  find_along(path, &quality->lowest_at);
  find_along(path, &quality->thinnest_at);
  find_along(path, &quality->missing.at);
  find_along(path, &quality->touching.at);
  find_along(path, &quality->bright.at);
  find_along(path, &quality->dark.at);
  return HT_OK;
}

const ht_quality_range ht_quality_limits = {.contrast_to_noise = 5,
                                            .offset_voxels = 0.5,
                                            .missing_share = 0.1,
                                            .leak_ratio = 2,
                                            .touching_share = 0.05,
                                            .patch_voxels2 = 6,
                                            .foreign_share = 0.01,
                                            .thin_voxels = 4,
                                            .long_share = 2};

/* 0 also where the number is not known. */
static int above(double value, double limit, int flag) {
  return value > limit ? flag : 0;
}

int ht_quality_judge(const ht_mask_quality *quality) {
  const ht_quality_range *at = &ht_quality_limits;
  double voxel_mm = quality->voxel_mm, face_mm2 = at->patch_voxels2 * voxel_mm * voxel_mm;
  int flags = above(quality->thin_mm, at->thin_voxels * voxel_mm, HT_QUALITY_THIN);
  if (quality->longest_mm >= at->long_share * voxel_mm) /* slices several pixels apart */
    flags |=
        above(-quality->thinnest_mm, -at->thin_voxels * quality->longest_mm, HT_QUALITY_SLICES);
  if (!quality->has_values) return flags;
  if (!(quality->blood > quality->tissue)) return flags | HT_QUALITY_NO_CONTRAST;
  double noise = fmin(quality->contrast_to_noise, quality->lowest_contrast_to_noise);
  flags |= above(-noise, -at->contrast_to_noise, HT_QUALITY_LOW_CONTRAST);
  flags |= above(quality->offset_voxels, at->offset_voxels, HT_QUALITY_TOO_WIDE);
  flags |= above(-quality->offset_voxels, at->offset_voxels, HT_QUALITY_TOO_NARROW);
  flags |= above(quality->missing_share, at->missing_share, HT_QUALITY_MISSING);
  flags |= above(quality->missing.area_mm2, face_mm2, HT_QUALITY_MISSING);
  if (!(flags & HT_QUALITY_TOO_NARROW)) /* the mask grows into the vessel itself */
    flags |= above(quality->leak_ratio, at->leak_ratio, HT_QUALITY_LEAKS);
  flags |= above(quality->touching_share, at->touching_share, HT_QUALITY_TOUCHES);
  flags |= above(quality->touching.area_mm2, face_mm2, HT_QUALITY_TOUCHES);
  flags |= above(quality->bright_share, at->foreign_share, HT_QUALITY_BRIGHT);
  return flags | above(quality->dark_share, at->foreign_share, HT_QUALITY_DARK);
}

#include "segment/segment_region.h"
#include "segment/level/bias.h"
#include "core/machine/host_memory.h"
#include "segment/voxels/vessel.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Sigma of the automatic smoothing, in voxels: enough to damp the noise. */
static const double auto_smoothing = 0.5;

/* Crops the box to the box around the ball, with some voxels of room: the cut vessel ends inside
 * the grid, not in a small patch of its border where the two touch. */
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

/* Finds the region's voxels, with the seed in them. */
ht_status ht_segment_find_region(const ht_grid *grid, const ht_segment_options *options,
                                 ht_box *box) {
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

/* Smoothing of the scan: sigma along each axis, and the number of standard deviations beyond
 * (vessel.h). A voxel holds the mean over its cell, and the surface is interpolated linearly
 * between voxels: together they blur with a variance of 1/12 + 1/6 = 1/4 voxel^2, which moves the
 * wall of a vessel of radius R inward by 1/8 voxel^2 / R. `a` is chosen so that the smoothing
 * compensates for it, as far as a = 2 can. */
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

/* Smooths one slab of the region together with its surroundings, then cuts it out. */
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
  ht_volume_mend(&around, least);
  ht_bias_divide(bias, wide.first, &around);
  ht_status status = ht_itk_smooth(&around, how->sigma_mm, how->a, NULL);
  if (status == HT_OK) ht_volume_paste(&around, &inner, first, region);
  ht_volume_free(&around);
  return status;
}

static ht_status smooth_slabs(const ht_volume *scan, const ht_box *box, const ht_bias *bias,
                              const ht_segment_options *options, const ht_progress *progress,
                              ht_volume *region) {
  const double slab_voxels = 6e6;
  const smoothing how = smoothing_of(options, &scan->grid);
  double slice = 1;
  ht_grid grid = ht_box_grid(&scan->grid, box);
  float least = ht_volume_least(scan, box);
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

ht_status ht_segment_smooth_region(const ht_volume *scan, const ht_box *box,
                                   const ht_segment_options *options, const ht_progress *progress,
                                   ht_volume *region) {
  ht_bias bias = {0};
  if (options->bias == HT_BIAS_N4) HT_TRY(ht_bias_find(scan, box, progress, &bias));
  ht_status status = smooth_slabs(scan, box, &bias, options, progress, region);
  ht_bias_free(&bias);
  return status;
}

/* The smoothed region, cropped to the vessel's surroundings where these are much smaller. */
ht_status ht_segment_crop_to_vessel(ht_volume *region, ht_mask *vessel) {
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

ht_status ht_segment_check_memory(const ht_grid *scan, const ht_box *box, double bytes_a_voxel,
                                  const char *remedy) {
  char what[96];
  ht_grid grid = ht_box_grid(scan, box);
  snprintf(what, sizeof what, "finding the vessel in %d x %d x %d voxels", grid.dim[0], grid.dim[1],
           grid.dim[2]);
  return ht_host_memory_check(bytes_a_voxel * (double)ht_grid_voxels(&grid), what, remedy);
}

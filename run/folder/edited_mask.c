#include "run/folder/edited_mask.h"
#include <math.h>
#include <stdio.h>

static const double same_grid_slack = 0.1;   /* voxels */
static const double other_grid_slack = 1.05; /* of the larger voxels: programs round a size */
static const double same_voxels_within = 0.01;

/* Computes the index of corner 0 to 7 of the box of all voxels, half a voxel beyond the outermost
 * centres. */
static void corner_index(const ht_grid *grid, int corner, double index[3]) {
  for (int a = 0; a < 3; a++) index[a] = (corner >> a & 1) ? grid->dim[a] - 0.5 : -0.5;
}

/* Returns the voxel size of the edited mask along axis `a` of the written one, in voxels of the
 * latter; the axes may have another order. */
static double voxel_ratio(const ht_grid *written, const ht_grid *edited, int a) {
  double best = 0, ratio = 1;
  for (int b = 0; b < 3; b++) {
    double along = 0;
    for (int r = 0; r < 3; r++) along += written->direction[r][a] * edited->direction[r][b];
    if (fabs(along) <= best) continue;
    best = fabs(along);
    ratio = edited->spacing_mm[b] / written->spacing_mm[a];
  }
  return ratio;
}

/* Returns 1 where the sides of both boxes agree. With the same voxel size the slack is small: a
 * mask with a plane fewer and the image's affine would be shifted by a voxel. */
static int is_same_box(const ht_grid *written, const ht_grid *edited) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int corner = 0; corner < 8; corner++) {
    double index[3], p[3];
    corner_index(edited, corner, index);
    ht_grid_position(edited, index, p);
    ht_grid_index(written, p, index);
    for (int a = 0; a < 3; a++) {
      low[a] = fmin(low[a], index[a]);
      high[a] = fmax(high[a], index[a]);
    }
  }
  for (int a = 0; a < 3; a++) {
    double ratio = voxel_ratio(written, edited, a);
    double slack =
        fabs(ratio - 1) < same_voxels_within ? same_grid_slack : other_grid_slack * fmax(1, ratio);
    double off = fmax(fabs(low[a] + 0.5), fabs(high[a] - (written->dim[a] - 0.5)));
    if (off > slack) return 0;
  }
  return 1;
}

static void describe(const ht_grid *grid, char *text, size_t size) {
  double first[3], last[3], low[3], high[3];
  for (int a = 0; a < 3; a++) low[a] = INFINITY, high[a] = -INFINITY;
  for (int corner = 0; corner < 8; corner++) {
    corner_index(grid, corner, first);
    ht_grid_position(grid, first, last);
    for (int a = 0; a < 3; a++) {
      low[a] = fmin(low[a], last[a]);
      high[a] = fmax(high[a], last[a]);
    }
  }
  snprintf(text, size,
           "%d x %d x %d voxels of %.4g x %.4g x %.4g mm from [%.1f, %.1f, %.1f] to "
           "[%.1f, %.1f, %.1f]",
           grid->dim[0], grid->dim[1], grid->dim[2], grid->spacing_mm[0], grid->spacing_mm[1],
           grid->spacing_mm[2], low[0], low[1], low[2], high[0], high[1], high[2]);
}

ht_status ht_edited_mask_check(const char *path, const char *folder, const ht_grid *written,
                               const ht_grid *edited) {
  char before[256], now[256];
  if (written->dim[0] > 0 && is_same_box(written, edited)) return HT_OK;
  describe(edited, now, sizeof now);
  if (written->dim[0] > 0)
    describe(written, before, sizeof before);
  else
    snprintf(before, sizeof before, "not recorded (by an earlier version)");
  return ht_fail(HT_ERR_FORMAT,
                 "%s: this edited mask does not lie where hemotile's mask lay (LPS mm): it has %s; "
                 "expected: %s; save it with the size and the affine of the image that was opened "
                 "(3D Slicer and ITK-SNAP do; in Python: nibabel.Nifti1Image(data, image.affine)), "
                 "or make it again with `hemotile segment %s --force`",
                 path, now, before, folder);
}

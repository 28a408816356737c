#include "import/common/voxel_size.h"
#include "core/machine/host_memory.h"
#include <stdio.h>

ht_status ht_voxel_size_check(const double spacing_mm[3]) {
  int small = 0, large = 0;
  for (int a = 0; a < 3; a++) {
    small |= spacing_mm[a] < HT_VOXEL_LEAST_MM;
    large |= spacing_mm[a] > HT_VOXEL_MOST_MM;
  }
  if (!small && !large) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "its voxels would be %.4g x %.4g x %.4g mm, which no scan of a patient has (%g to "
                 "%g mm)%s: save it with its lengths in mm",
                 spacing_mm[0], spacing_mm[1], spacing_mm[2], HT_VOXEL_LEAST_MM, HT_VOXEL_MOST_MM,
                 small && large ? ""
                 : small        ? "; probably they are metres or centimetres"
                                : "; probably they are micrometres");
}

ht_status ht_scan_volume_check(const ht_grid *grid) {
  if (grid->dim[2] != 1) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "it has one slice only: a volume needs at least 2");
}

ht_status ht_scan_size_check(const ht_grid *grid) {
  const int *dim = grid->dim;
  HT_TRY(ht_voxel_size_check(grid->spacing_mm));
  for (int a = 0; a < 2; a++)
    if (dim[a] < HT_SCAN_LEAST_VOXELS)
      return ht_fail(HT_ERR_FORMAT,
                     "it has %d x %d x %d voxels: a volume needs at least %d along each axis (a "
                     "table that was saved as an image?)",
                     dim[0], dim[1], dim[2], HT_SCAN_LEAST_VOXELS);
  for (int a = 0; a < 3; a++)
    if (dim[a] * grid->spacing_mm[a] > HT_SCAN_MOST_MM)
      return ht_fail(
          HT_ERR_FORMAT,
          "its %d x %d x %d voxels would be %.3g m long along its %s axis, which no scan of "
          "a patient is (at most %g m): a damaged header, a wrong voxel size (%.4g mm) "
          "or a table that was saved as an image",
          dim[0], dim[1], dim[2], dim[a] * grid->spacing_mm[a] / 1000, ht_axis_name(a),
          HT_SCAN_MOST_MM / 1000, grid->spacing_mm[a]);
  return HT_OK;
}

ht_status ht_scan_memory_check(const ht_grid *grid, double more) {
  const double bytes_a_voxel = sizeof(float) + sizeof(short); /* scan.nii.gz is written from a
                                                                 copy */
  char what[96];
  snprintf(what, sizeof what, "a scan of %d x %d x %d voxels", grid->dim[0], grid->dim[1],
           grid->dim[2]);
  return ht_host_memory_check(bytes_a_voxel * (double)ht_grid_voxels(grid) + more, what,
                              "crop it to the vessel or resample it to larger voxels, or take a "
                              "machine with more memory");
}

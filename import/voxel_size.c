#include "voxel_size.h"

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

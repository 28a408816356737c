#include "export/files/result_files.h"
#include "export/files/wall_voxels.h"

ht_status ht_export_wall_image(const char *path, const ht_surface *surface, const float *values,
                               const ht_domain *domain, const ht_grid *grid, const char *name,
                               const char *about) {
  ht_volume volume = {.values = NULL};
  ht_flow_image image;
  ht_status status;
  HT_TRY_DONE(ht_flow_image_make(domain, NULL, grid, &image));
  HT_TRY_DONE(ht_volume_alloc(grid, &volume));
  HT_TRY_DONE(ht_wall_voxels(&image, surface, values, 0, volume.values));
  status = ht_export_quantity(path, &volume, name, about);
done:
  ht_volume_free(&volume);
  return status;
}

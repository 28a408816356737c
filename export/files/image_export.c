#include "export/files/result_files.h"
#include "export/files/flow_image.h"
#include "export/files/image_write.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ends_with(const char *path, const char *end) {
  size_t length = strlen(path), size = strlen(end);
  return length > size && !strcmp(path + length - size, end);
}

static int is_nifti(const char *path) {
  return ends_with(path, ".nii") || ends_with(path, ".nii.gz");
}

static ht_status write_image(const char *path, const ht_image_array *image) {
  return is_nifti(path) ? ht_nifti_write(path, image) : ht_itk_write(path, image);
}

static ht_status write_scan(const char *path, const ht_grid *grid, ht_voxel_type type,
                            const void *voxels) {
  return write_image(
      path,
      &(ht_image_array){
          .grid = grid, .type = type, .components = 1, .voxels = voxels, .name = "", .about = ""});
}

static int all_int16(const float *values, int64_t count) {
  for (int64_t v = 0; v < count; v++)
    if (!(values[v] >= -32768 && values[v] <= 32767 && values[v] == floorf(values[v]))) return 0;
  return 1;
}

static ht_status write_int16(const char *path, const ht_volume *volume, int64_t count) {
  int16_t *whole = NULL;
  HT_TRY(ht_alloc((void **)&whole, (size_t)count, sizeof *whole, "the image to write"));
  for (int64_t v = 0; v < count; v++) whole[v] = (int16_t)volume->values[v];
  ht_status status = write_scan(path, &volume->grid, HT_VOXEL_INT16, whole);
  free(whole);
  return status;
}

ht_status ht_export_volume(const char *path, const ht_volume *volume) {
  HT_TRY(ht_grid_check(&volume->grid));
  int64_t count = ht_grid_voxels(&volume->grid);
  if (all_int16(volume->values, count)) return write_int16(path, volume, count);
  return write_scan(path, &volume->grid, HT_VOXEL_FLOAT, volume->values);
}

ht_status ht_export_quantity(const char *path, const ht_volume *volume, const char *name,
                             const char *about) {
  HT_TRY(ht_grid_check(&volume->grid));
  return write_image(path, &(ht_image_array){.grid = &volume->grid,
                                             .type = HT_VOXEL_FLOAT,
                                             .components = 1,
                                             .voxels = volume->values,
                                             .name = name,
                                             .about = about});
}

ht_status ht_export_mask(const char *path, const ht_mask *mask) {
  return write_image(path, &(ht_image_array){.grid = &mask->grid,
                                             .type = HT_VOXEL_UINT8,
                                             .components = 1,
                                             .voxels = mask->inside,
                                             .name = "mask",
                                             .about = "hemotile vessel mask"});
}

/* The values of the flow that are written. */
typedef struct {
  int components;
  void (*fill)(const void *image, int64_t first, int64_t count, void *out);
  void (*part)(const void *image, int component, int64_t first, int64_t count, void *out);
  const char *name, *about;
} quantity;

static ht_status write_flow(const char *path, const ht_domain *domain, const ht_flow *flow,
                            const ht_grid *grid, const quantity *of) {
  ht_flow_image image;
  float *dense = NULL;
  HT_TRY(ht_flow_image_make(domain, flow, grid, &image));
  ht_image_array array = {.grid = &image.grid,
                          .type = HT_VOXEL_FLOAT,
                          .components = of->components,
                          .voxels = &image,
                          .name = of->name,
                          .about = of->about,
                          .part = of->part};
  if (is_nifti(path)) return ht_nifti_write(path, &array);
  int64_t values = of->components * ht_grid_voxels(&image.grid);
  HT_TRY(ht_alloc((void **)&dense, (size_t)values, sizeof *dense, "the flow as an image"));
  of->fill(&image, 0, values, dense);
  array.voxels = dense;
  array.part = NULL;
  ht_status status = write_image(path, &array);
  free(dense);
  return status;
}

ht_status ht_export_velocity(const char *path, const ht_domain *domain, const ht_flow *flow,
                             const ht_grid *grid) {
  static const quantity velocity = {3, ht_flow_image_velocity, ht_flow_image_velocity_part,
                                    "velocity", "hemotile velocity m/s LPS"};
  return write_flow(path, domain, flow, grid, &velocity);
}

ht_status ht_export_pressure(const char *path, const ht_domain *domain, const ht_flow *flow,
                             const ht_grid *grid) {
  static const quantity pressure = {1, ht_flow_image_pressure, ht_flow_image_pressure_part,
                                    "pressure", "hemotile pressure Pa gauge"};
  return write_flow(path, domain, flow, grid, &pressure);
}

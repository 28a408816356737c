#include "export/files/image_write.h"
#include "export/files/series_files.h"
#include "export/files/series_image.h"

typedef struct {
  int plane, components; /* the first plane that is written */
  const char *name, *about;
} quantity;

static const quantity velocity = {HT_PLANE_VELOCITY, 3, "velocity", "hemotile velocity m/s LPS"};
static const quantity pressure = {HT_PLANE_PRESSURE, 1, "pressure", "hemotile pressure Pa gauge"};

typedef struct {
  ht_series_image image;
  int plane;
} beat;

/* Writes the frames' voxels, frame by frame. */
static void fill(const void *source, int component, int64_t first, int64_t count, void *out) {
  beat *of = (beat *)(uintptr_t)source;
  float *to = out;
  int64_t voxels = ht_grid_voxels(&of->image.place.grid), end = first + count;
  while (first < end) {
    int64_t voxel = first % voxels,
            many = voxels - voxel < end - first ? voxels - voxel : end - first;
    ht_series_image_plane(&of->image, (int)(first / voxels), of->plane + component, voxel, many, 1,
                          to);
    to += many;
    first += many;
  }
}

static ht_status write_beat(const char *path, const ht_domain *domain, const ht_flow *flow,
                            const ht_grid *grid, const ht_beat_series *series,
                            const quantity *what) {
  beat of = {.plane = what->plane};
  const ht_beat_series_sample *sample = series->sample;
  HT_TRY(ht_series_image_make(domain, flow, grid, series, &of.image));
  const ht_image_array array = {.grid = &of.image.place.grid,
                                .type = HT_VOXEL_FLOAT,
                                .components = what->components,
                                .voxels = &of,
                                .name = what->name,
                                .about = what->about,
                                .part = fill,
                                .frames = series->samples,
                                .frame_s = series->samples > 1 ? sample[1].time_s - sample[0].time_s
                                                               : series->period_s,
                                .first_s = sample[0].time_s};
  ht_status status = ht_nifti_write(path, &array);
  if (status == HT_OK) status = ht_series_image_check(&of.image, path);
  ht_series_image_free(&of.image);
  return status;
}

ht_status ht_export_series_velocity(const char *path, const ht_domain *domain, const ht_flow *flow,
                                    const ht_grid *grid, const ht_beat_series *series) {
  return write_beat(path, domain, flow, grid, series, &velocity);
}

ht_status ht_export_series_pressure(const char *path, const ht_domain *domain, const ht_flow *flow,
                                    const ht_grid *grid, const ht_beat_series *series) {
  return write_beat(path, domain, flow, grid, series, &pressure);
}

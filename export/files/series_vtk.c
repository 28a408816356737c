#include "export/files/result_files.h"
#include "export/files/series_files.h"
#include "export/files/series_image.h"
#include "export/files/vti.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  ht_series_image *image;
  int sample;
} moment;

static void fill_pressure(const void *source, int64_t first, int64_t count, void *out) {
  const moment *of = source;
  ht_series_image_plane(of->image, of->sample, HT_PLANE_PRESSURE, first, count, 1, out);
}

/* Writes a piece of the velocity, which may start and end inside a vector. */
static void fill_velocity(const void *source, int64_t first, int64_t count, void *out) {
  const moment *of = source;
  for (int c = 0; c < 3; c++) {
    int64_t low = (first - c + 2) / 3, high = (first + count - c + 2) / 3;
    ht_series_image_plane(of->image, of->sample, HT_PLANE_VELOCITY + c, low, high - low, 3,
                          (float *)out + (3 * low + c - first));
  }
}

static void fill_mask(const void *source, int64_t first, int64_t count, void *out) {
  ht_flow_image_mask(&((const moment *)source)->image->place, first, count, out);
}

static ht_status write_vti(const char *path, const moment *of) {
  const ht_grid *grid = &of->image->place.grid;
  int64_t voxels = ht_grid_voxels(grid);
  const ht_vtk_array array[] = {
      {"Float32", "velocity_m_s", 3, 3 * voxels, fill_velocity, of},
      {"Float32", "pressure_pa", 1, voxels, fill_pressure, of},
      {"UInt8", "mask", 1, voxels, fill_mask, of},
  };
  return ht_vti_write(path, grid, array, sizeof array / sizeof *array);
}

static ht_status path_of(const char *folder, const char *stem, int sample, const char *ending,
                         char path[HT_PATH_MAX]) {
  char name[64];
  snprintf(name, sizeof name, "%s_%03d.%s", stem, sample, ending);
  return ht_path_join(path, folder, name);
}

ht_status ht_export_series_vti(const char *folder, const ht_domain *domain, const ht_flow *flow,
                               const ht_grid *grid, const ht_beat_series *series, int first,
                               int step) {
  ht_series_image image;
  char path[HT_PATH_MAX];
  HT_TRY(ht_series_image_make(domain, flow, grid, series, &image));
  ht_status status = HT_OK;
  for (int n = first; n < series->samples && status == HT_OK; n += step) {
    status = path_of(folder, "flow", n, "vti", path);
    if (status == HT_OK) status = write_vti(path, &(moment){&image, n});
    if (status == HT_OK) status = ht_series_image_check(&image, path);
  }
  ht_series_image_free(&image);
  return status;
}

/* Replaces the wall's own load by that of a sample. */
static ht_status take_load(const ht_beat_series *series, int sample, ht_surface *wall,
                           float *plane) {
  int readable = 1;
  for (int c = 0; c < 3; c++) {
    readable &= ht_beat_series_read(series, sample, HT_PLANE_WSS + c, 0, series->points, plane);
    for (int64_t p = 0; p < series->points; p++) wall->wss_pa[3 * p + c] = plane[p];
  }
  readable &= ht_beat_series_read(series, sample, HT_PLANE_WALL_PRESSURE, 0, series->points,
                                  wall->pressure_pa);
  if (!readable)
    return ht_fail(HT_ERR_FORMAT, "the samples of the beat cannot be read: run `hemotile solve` "
                                  "again");
  return ht_beat_series_wss(series, sample, wall->wss_mag_pa);
}

static ht_status write_walls(const char *folder, const ht_beat_series *series, int first, int step,
                             ht_surface *wall, float *plane) {
  char path[HT_PATH_MAX];
  for (int n = first; n < series->samples; n += step) {
    HT_TRY(take_load(series, n, wall, plane));
    HT_TRY(path_of(folder, "wall", n, "vtp", path));
    HT_TRY(ht_export_vtp(path, wall));
  }
  return HT_OK;
}

ht_status ht_export_series_vtp(const char *folder, const ht_surface *surface,
                               const ht_beat_series *series, int first, int step) {
  ht_surface wall = *surface; /* its points and triangles are borrowed, its loads are not */
  size_t points = (size_t)surface->points;
  float *loads;
  if (surface->points != series->points)
    return ht_fail(HT_ERR_FORMAT,
                   "the samples of the beat belong to a wall of %lld points, this one has %lld: "
                   "run `hemotile solve` again",
                   (long long)series->points, (long long)surface->points);
  HT_TRY(ht_alloc((void **)&loads, 6 * points + 1, sizeof *loads, "the wall of a sample"));
  wall.wss_pa = loads;
  wall.wss_mag_pa = loads + 3 * points;
  wall.pressure_pa = loads + 4 * points;
  wall.dx_plus = NULL;
  ht_status status = write_walls(folder, series, first, step, &wall, loads + 5 * points);
  free(loads);
  return status;
}

ht_status ht_export_series_pvd(const char *folder, const ht_beat_series *series, const char *stem,
                               const char *ending) {
  ht_output output;
  char path[HT_PATH_MAX], name[64];
  snprintf(name, sizeof name, "%s.pvd", stem);
  HT_TRY(ht_path_join(path, folder, name));
  HT_TRY(ht_output_open(path, &output));
  fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n",
        output.stream);
  for (int n = 0; n < series->samples; n++)
    fprintf(output.stream, "<DataSet timestep=\"%.9g\" part=\"0\" file=\"%s_%03d.%s\"/>\n",
            series->sample[n].time_s, stem, n, ending);
  fputs("</Collection>\n</VTKFile>\n", output.stream);
  return ht_output_commit(&output);
}

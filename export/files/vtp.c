#include "export/files/result_files.h"
#include "export/files/vtk_file.h"
#include "export/wall/wall_series.h"
#include <math.h>

/* Fills in "offsets": the end of each triangle in the list of point numbers. */
static void fill_ends(const void *source, int64_t first, int64_t count, void *out) {
  int64_t *to = out;
  (void)source;
  for (int64_t t = first; t < first + count; t++) *to++ = 3 * (t + 1);
}

static ht_status check_finite(const char *path, const float *values, int64_t count,
                              const char *what) {
  for (int64_t n = 0; values && n < count; n++)
    if (!isfinite(values[n]))
      return ht_fail(HT_ERR_DIVERGED, "%s: %s is not a finite number (value %lld): not written",
                     path, what, (long long)n);
  return HT_OK;
}

static ht_status check_surface(const char *path, const ht_surface *surface) {
  HT_TRY(check_finite(path, surface->point_mm, 3 * surface->points, "the wall's position"));
  HT_TRY(check_finite(path, surface->normal, 3 * surface->points, "the wall's normal"));
  HT_TRY(check_finite(path, surface->wss_pa, 3 * surface->points, "the wall shear stress"));
  HT_TRY(check_finite(path, surface->wss_mag_pa, surface->points, "the wall shear stress"));
  HT_TRY(check_finite(path, surface->dx_plus, surface->points, "dx_plus"));
  return check_finite(path, surface->pressure_pa, surface->points, "the pressure on the wall");
}

static ht_status check_cycle(const char *path, const ht_surface *surface,
                             const ht_cycle_array *array) {
  for (int a = 0; a < HT_CYCLE_ARRAYS; a++)
    HT_TRY(
        check_finite(path, *array[a].values, array[a].components * surface->points, array[a].name));
  return HT_OK;
}

static void point_array(ht_vtk_file *file, const char *name, int components, int64_t points,
                        const float *values) {
  if (!values) return;
  ht_vtk_data_array(
      file, &(ht_vtk_array){"Float32", name, components, components * points, NULL, values});
}

static void write_polys(ht_vtk_file *file, const ht_surface *surface) {
  ht_vtk_text(file, "<Polys>\n");
  ht_vtk_data_array(file, &(ht_vtk_array){"Int32", "connectivity", 1, 3 * surface->triangles, NULL,
                                          surface->triangle});
  ht_vtk_data_array(file,
                    &(ht_vtk_array){"Int64", "offsets", 1, surface->triangles, fill_ends, surface});
  ht_vtk_text(file, "</Polys>\n");
}

static void write_point_data(ht_vtk_file *file, const ht_surface *surface,
                             const ht_cycle_array *array) {
  ht_vtk_text(file, "<PointData%s Normals=\"Normals\">\n",
              surface->wss_mag_pa ? " Scalars=\"wss_magnitude_pa\"" : "");
  point_array(file, "Normals", 3, surface->points, surface->normal);
  point_array(file, "wss_pa", 3, surface->points, surface->wss_pa);
  point_array(file, "wss_magnitude_pa", 1, surface->points, surface->wss_mag_pa);
  point_array(file, "pressure_pa", 1, surface->points, surface->pressure_pa);
  point_array(file, "dx_plus", 1, surface->points, surface->dx_plus);
  for (int a = 0; array && a < HT_CYCLE_ARRAYS; a++)
    point_array(file, array[a].name, array[a].components, surface->points, *array[a].values);
  ht_vtk_text(file, "</PointData>\n");
}

/* Number of arrays besides the cycle's: normals, stress twice, pressure, dx_plus, points,
 * connectivity, offsets. */
_Static_assert(8 + HT_CYCLE_ARRAYS <= HT_VTK_ARRAYS_MAX, "a cycle has more arrays than a file");

static ht_status open_file(const char *path, const ht_surface *surface, ht_vtk_file *file) {
  HT_TRY(check_surface(path, surface));
  HT_TRY(ht_vtk_open(path, "PolyData", file));
  ht_vtk_text(file,
              ">\n<Piece NumberOfPoints=\"%lld\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
              "NumberOfStrips=\"0\" NumberOfPolys=\"%lld\">\n",
              (long long)surface->points, (long long)surface->triangles);
  return HT_OK;
}

static ht_status close_file(ht_vtk_file *file, const ht_surface *surface) {
  ht_vtk_text(file, "<Points>\n");
  point_array(file, NULL, 3, surface->points, surface->point_mm);
  ht_vtk_text(file, "</Points>\n");
  write_polys(file, surface);
  ht_vtk_text(file, "</Piece>\n");
  return ht_vtk_close(file, "PolyData");
}

static ht_status write_file(const char *path, const ht_surface *surface,
                            const ht_cycle_array *array) {
  ht_vtk_file file;
  HT_TRY(open_file(path, surface, &file));
  write_point_data(&file, surface, array);
  return close_file(&file, surface);
}

/* Number of arrays besides the fields: points, connectivity, offsets. */
_Static_assert(3 + HT_WALL_FIELDS_MAX <= HT_VTK_ARRAYS_MAX, "more fields than a file has arrays");

ht_status ht_export_vtp_fields(const char *path, const ht_surface *surface,
                               const ht_wall_field *field, int fields) {
  ht_vtk_file file;
  if (fields < 1 || fields > HT_WALL_FIELDS_MAX)
    return ht_fail(HT_ERR_INTERNAL, "%s: %d numbers of the wall; 1 to %d can be written", path,
                   fields, HT_WALL_FIELDS_MAX);
  HT_TRY(open_file(path, surface, &file));
  ht_vtk_text(&file, "<PointData Scalars=\"%s\">\n", field[0].name);
  for (int f = 0; f < fields; f++)
    point_array(&file, field[f].name, 1, surface->points, field[f].values);
  ht_vtk_text(&file, "</PointData>\n");
  return close_file(&file, surface);
}

ht_status ht_export_vtp(const char *path, const ht_surface *surface) {
  return write_file(path, surface, NULL);
}

ht_status ht_export_vtp_cycle(const char *path, const ht_surface *surface,
                              const ht_wall_cycle *cycle) {
  ht_cycle_array array[HT_CYCLE_ARRAYS];
  if (!cycle) return write_file(path, surface, NULL);
  if (cycle->points != surface->points)
    return ht_fail(HT_ERR_INTERNAL, "%s: the cycle has %lld points, the wall %lld", path,
                   (long long)cycle->points, (long long)surface->points);
  ht_wall_cycle shown = *cycle; /* its pointers: nothing is changed through them */
  ht_wall_cycle_arrays(&shown, array);
  HT_TRY(check_cycle(path, surface, array));
  return write_file(path, surface, array);
}

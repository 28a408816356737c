#include "app/compare/compared_wall.h"
#include "core/numbers/vector3.h"
#include "core/vessel/volume.h"
#include "app/compare/wall_nearest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const ht_wall_number_kind ht_wall_number_kinds[HT_WALL_NUMBERS] = {
    [HT_OF_TAWSS] = {"tawss", "tawss_pa", "Pa", "Time-averaged wall shear stress (TAWSS)", "TAWSS"},
    [HT_OF_OSI] = {"osi", "osi", "", "Oscillatory shear index (OSI)", "OSI"},
    [HT_OF_WSS] = {"wss", "wss_magnitude_pa", "Pa", "Wall shear stress", "Wall shear stress"},
    [HT_OF_PRESSURE] = {"pressure", "pressure_pa", "Pa", "Pressure on the wall (gauge)",
                        "Pressure"},
};

const char *ht_wall_number_suffix(ht_wall_number number) {
  return *ht_wall_number_kinds[number].unit ? "_pa" : "";
}

/* ---- arrays of another program ---- */

static const struct {
  const char *name;
  double pa;
} units[] = {{"Pa", 1}, {"kPa", 1000}, {"dyn/cm2", 0.1}, {"mmHg", 133.322387415}};
enum { UNITS = sizeof units / sizeof *units };

static ht_status refuse_array(const char *text) {
  return ht_fail(
      HT_ERR_USAGE,
      "--array %s: give NUMBER=NAME:UNIT, as in --array \"tawss=TAWSS:dyn/cm2\"; NUMBER "
      "is tawss, wss, pressure or osi, NAME the array in the file, UNIT Pa, kPa, dyn/cm2 "
      "or mmHg (osi has none: osi=NAME)",
      text);
}

ht_status ht_foreign_array_parse(const char *text, ht_foreign_array *array) {
  const char *is = strchr(text, '='), *colon = strrchr(text, ':');
  int number = 0, unit = 0;
  if (!is) return refuse_array(text);
  while (number < HT_WALL_NUMBERS &&
         !(strlen(ht_wall_number_kinds[number].key) == (size_t)(is - text) &&
           strncmp(text, ht_wall_number_kinds[number].key, (size_t)(is - text)) == 0))
    number++;
  if (number == HT_WALL_NUMBERS) return refuse_array(text);
  const char *end = number == HT_OF_OSI ? text + strlen(text) : colon;
  if (!end || end <= is + 1 || (size_t)(end - is) > HT_VTP_NAME_MAX) return refuse_array(text);
  while (number != HT_OF_OSI && unit < UNITS && strcmp(colon + 1, units[unit].name) != 0) unit++;
  if (unit == UNITS) return refuse_array(text);
  array->number = (ht_wall_number)number;
  array->pa = number == HT_OF_OSI ? 1 : units[unit].pa;
  snprintf(array->array, sizeof array->array, "%.*s", (int)(end - is - 1), is + 1);
  return HT_OK;
}

/* ---- reading ---- */

/* Returns the line for a number; 0: hemotile's own name. */
static ht_foreign_array line_of(const ht_wall_reading *how, int number) {
  ht_foreign_array own = {.number = (ht_wall_number)number, .pa = 1};
  for (int i = 0; i < how->arrays; i++)
    if (how->foreign && how->array[i].number == (ht_wall_number)number) return how->array[i];
  snprintf(own.array, sizeof own.array, "%s", ht_wall_number_kinds[number].array);
  return own;
}

static int is_wanted(void *user, const char *name) {
  for (int n = 0; n < HT_WALL_NUMBERS; n++)
    if (strcmp(line_of(user, n).array, name) == 0) return 1;
  return strcmp(name, "Normals") == 0;
}

static const ht_vtp_values *array_named(const ht_vtp_mesh *mesh, const char *name) {
  for (int i = 0; i < mesh->arrays; i++)
    if (mesh->array[i].value && strcmp(mesh->array[i].name, name) == 0) return &mesh->array[i];
  return NULL;
}

static void list_arrays(const ht_vtp_mesh *mesh, char text[600]) {
  size_t length = 0;
  text[0] = 0;
  for (int i = 0; i < mesh->arrays && length < 500; i++)
    length += (size_t)snprintf(text + length, 600 - length, "%s%.90s", i ? ", " : "",
                               mesh->array[i].name);
}

static ht_status refuse_missing(const char *path, const ht_vtp_mesh *mesh, const char *missing) {
  char names[600];
  list_arrays(mesh, names);
  return ht_fail(
      HT_ERR_FORMAT,
      "%s: %s%s%s. Its points have: %s.%s Say which is which, and in which unit, as in "
      "--array \"wss=NAME:Pa\" (tawss, wss, pressure, osi; Pa, kPa, dyn/cm2, mmHg)",
      path, missing ? "there is no array '" : "none of its arrays has a name of hemotile",
      missing ? missing : "", missing ? "' at its points" : "", *names ? names : "none",
      mesh->cell_arrays
          ? " It has arrays of its triangles, which are not read: in ParaView the filter "
            "Cell Data to Point Data makes them arrays of the points."
          : "");
}

static double size_of(const float *value, int components) {
  double sum = 0;
  if (components == 1) return value[0];
  for (int c = 0; c < components; c++) sum += (double)value[c] * value[c];
  return sqrt(sum);
}

static ht_status take_number(const ht_vtp_mesh *mesh, const ht_foreign_array *line,
                             ht_compared_wall *wall) {
  const ht_vtp_values *from = array_named(mesh, line->array);
  float *to;
  if (!from) return HT_OK;
  HT_TRY(ht_alloc((void **)&to, (size_t)mesh->points, sizeof *to, "the wall"));
  for (int64_t p = 0; p < mesh->points; p++) {
    double value = line->pa * size_of(from->value + p * from->components, from->components);
    to[p] = (float)(isfinite(value) ? value : NAN);
  }
  wall->values[line->number] = to;
  return HT_OK;
}

static ht_status take_numbers(const char *path, const ht_wall_reading *how, const ht_vtp_mesh *mesh,
                              ht_compared_wall *wall) {
  int found = 0;
  for (int n = 0; n < HT_WALL_NUMBERS; n++) {
    const ht_foreign_array line = line_of(how, n);
    HT_TRY(take_number(mesh, &line, wall));
    found += wall->values[n] != NULL;
    int asked = strcmp(line.array, ht_wall_number_kinds[n].array) != 0;
    if (asked && !wall->values[n]) return refuse_missing(path, mesh, line.array);
  }
  return found ? HT_OK : refuse_missing(path, mesh, NULL);
}

/* Takes the normals of the file, else the mean of the triangles' by area. */
static ht_status take_normals(const ht_vtp_mesh *mesh, ht_surface *surface) {
  const ht_vtp_values *from = array_named(mesh, "Normals");
  size_t numbers = 3 * (size_t)surface->points;
  HT_TRY(ht_alloc((void **)&surface->normal, numbers, sizeof(float), "the wall"));
  int usable = from && from->components == 3;
  for (size_t i = 0; i < numbers && usable; i++) {
    surface->normal[i] = from->value[i];
    usable = isfinite(from->value[i]);
  }
  if (usable) return HT_OK;
  memset(surface->normal, 0, numbers * sizeof(float));
  for (int64_t t = 0; t < surface->triangles; t++) {
    double face[3];
    ht_wall_face(surface, t, face);
    for (int i = 0; i < 9; i++)
      surface->normal[3 * (int64_t)surface->triangle[3 * t + i / 3] + i % 3] += (float)face[i % 3];
  }
  for (int64_t p = 0; p < surface->points; p++) {
    float *n = surface->normal + 3 * p;
    double unit[3] = {n[0], n[1], n[2]};
    if (!ht_normalise(unit)) unit[0] = unit[1] = unit[2] = 0;
    for (int r = 0; r < 3; r++) n[r] = (float)unit[r];
  }
  return HT_OK;
}

ht_status ht_compared_wall_read(const char *path, const ht_wall_reading *how,
                                ht_import_notes *notes, ht_compared_wall *wall) {
  ht_vtp_mesh mesh;
  memset(wall, 0, sizeof *wall);
  HT_TRY(ht_vtp_mesh_read(path, how->foreign ? how->unit : HT_UNIT_MM, is_wanted, (void *)how,
                          how->foreign ? notes : NULL, &mesh));
  ht_status status = take_numbers(path, how, &mesh, wall);
  wall->surface = (ht_surface){.points = mesh.points,
                               .triangles = mesh.triangles,
                               .point_mm = mesh.point_mm,
                               .triangle = mesh.triangle};
  mesh.point_mm = NULL;
  mesh.triangle = NULL;
  if (status == HT_OK) status = take_normals(&mesh, &wall->surface);
  ht_vtp_mesh_free(&mesh);
  if (status != HT_OK) ht_compared_wall_free(wall);
  return status;
}

void ht_compared_wall_free(ht_compared_wall *wall) {
  if (!wall) return;
  ht_surface_free(&wall->surface);
  for (int n = 0; n < HT_WALL_NUMBERS; n++) free(wall->values[n]);
  memset(wall, 0, sizeof *wall);
}

void ht_compared_wall_turn(ht_compared_wall *wall) {
  ht_surface *surface = &wall->surface;
  for (int64_t t = 0; t < surface->triangles; t++) {
    int32_t *corner = surface->triangle + 3 * t, second = corner[1];
    corner[1] = corner[2];
    corner[2] = second;
  }
  for (int64_t i = 0; i < 3 * surface->points; i++) surface->normal[i] = -surface->normal[i];
}

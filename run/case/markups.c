#include "run/case/markups.h"
#include "core/formats/json.h"
#include "core/numbers/vector3.h"
#include "run/folder/yaml_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char schema[] =
    "https://raw.githubusercontent.com/slicer/slicer/master/Modules/Loadable/"
    "Markups/Resources/Schema/markups-schema-v1.0.3.json#";

/* ---- reading ---- */

typedef struct {
  const char *path;
  const ht_case *before; /* whose openings were read before */
  ht_case *settings;
} reader;

static ht_status wrong_kind(const char *path, const char *what) {
  return ht_fail(HT_ERR_FORMAT,
                 "%s: %s; expected planes or a point list of 3D Slicer, saved as .mrk.json (in "
                 "the Markups module: Plane, or Point List)",
                 path, what);
}

/* Reads the axes: RAS is LPS with the signs of x and y changed. */
static ht_status axes_of(const reader *in, struct fy_node *markup, double *sign) {
  char axes[16] = "LPS", unit[16] = "mm", text[128];
  ht_yaml_text(markup, "coordinateSystem", axes, sizeof axes);
  *sign = strcmp(axes, "RAS") == 0 ? -1 : 1;
  if (strcmp(axes, "LPS") != 0 && strcmp(axes, "RAS") != 0) {
    snprintf(text, sizeof text, "its coordinateSystem is '%s', not LPS or RAS", axes);
    return wrong_kind(in->path, text);
  }
  ht_yaml_text(markup, "coordinateUnits", unit, sizeof unit);
  if (strcmp(unit, "mm") == 0) return HT_OK;
  snprintf(text, sizeof text, "its coordinateUnits are '%s', not mm", unit);
  return wrong_kind(in->path, text);
}

static int read_vector(struct fy_node *node, const char *key, double sign, double v[3]) {
  if (!ht_yaml_point(node, key, v)) return 0;
  v[0] *= sign, v[1] *= sign;
  return 1;
}

ht_role ht_markup_role(const char *name, const char *description) {
  static const ht_role roles[] = {HT_ROLE_INLET, HT_ROLE_OUTLET, HT_ROLE_WALL};
  for (int i = 0; i < 3; i++)
    if (strcasecmp(description, ht_role_name(roles[i])) == 0) return roles[i];
  for (int i = 0; i < 3; i++)
    if (strncasecmp(name, ht_role_name(roles[i]), strlen(ht_role_name(roles[i]))) == 0)
      return roles[i];
  return HT_ROLE_NONE;
}

/* Keeps flows and pressures, which a markups file cannot hold. */
static void keep_flows(const reader *in, ht_case_opening *opening) {
  for (int i = 0; i < in->before->openings; i++) {
    const ht_case_opening *was = &in->before->opening[i];
    if (!was->name[0] || strcmp(was->name, opening->name) != 0) continue;
    if (opening->role == HT_ROLE_NONE) opening->role = was->role;
    if (opening->role == was->role || opening->role == HT_ROLE_INLET)
      opening->flow_ml_s = opening->role == HT_ROLE_INLET ? was->flow_ml_s : 0;
    if (opening->role != HT_ROLE_OUTLET) continue;
    opening->pressure_pa = was->pressure_pa;
    opening->flow_fraction = was->flow_fraction;
    opening->has_windkessel = was->has_windkessel;
    memcpy(opening->windkessel, was->windkessel, sizeof was->windkessel);
  }
}

/* Adds an opening; `normal` NULL: from the centreline. */
static ht_status add(const reader *in, struct fy_node *node, const char *name,
                     const char *description, const double centre[3], const double *normal) {
  ht_case *settings = in->settings;
  if (settings->openings == HT_OPENINGS_MAX)
    return ht_fail(HT_ERR_FORMAT, "%s: more than %d openings", in->path, HT_OPENINGS_MAX);
  ht_case_opening *opening = &settings->opening[settings->openings++];
  memset(opening, 0, sizeof *opening);
  snprintf(opening->name, sizeof opening->name, "%.*s", HT_NAME_MAX - 1, name);
  opening->role = (int)ht_markup_role(name, description);
  opening->has_centre = opening->finds_side = opening->from_markups = 1;
  memcpy(opening->centre_mm, centre, sizeof opening->centre_mm);
  opening->has_normal = normal != NULL;
  if (normal) memcpy(opening->normal, normal, sizeof opening->normal);
  ht_yaml_position(node, &opening->line, &opening->column);
  keep_flows(in, opening);
  return HT_OK;
}

/* Computes the normal from the z axis of objectToBase and baseToNode, for versions without a
 * `normal`. In a file in LPS the first two rows of both have their signs changed. */
static int normal_of_matrices(struct fy_node *plane, double sign, double normal[3]) {
  double object[16], base[16], z[3];
  if (!ht_yaml_numbers(plane, "baseToNode", base, 16)) return 0;
  if (!ht_yaml_numbers(plane, "objectToBase", object, 16)) return 0;
  for (int r = 0; r < 3; r++) z[r] = (r < 2 && sign > 0 ? -1 : 1) * object[4 * r + 2];
  for (int r = 0; r < 3; r++)
    normal[r] = base[4 * r] * z[0] + base[4 * r + 1] * z[1] + base[4 * r + 2] * z[2];
  normal[0] *= sign, normal[1] *= sign;
  return normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2] > 0.5;
}

static struct fy_node *first_point(struct fy_node *markup) {
  void *next = NULL;
  struct fy_node *points = ht_yaml_get(markup, "controlPoints");
  return points && fy_node_is_sequence(points) ? fy_node_sequence_iterate(points, &next) : NULL;
}

static ht_status read_plane(const reader *in, struct fy_node *plane, double sign) {
  char name[HT_NAME_MAX] = "", description[32] = "";
  double centre[3], normal[3];
  struct fy_node *point = first_point(plane);
  if (!read_vector(plane, "center", sign, centre) &&
      !(point && read_vector(point, "position", sign, centre)))
    return wrong_kind(in->path, "a plane has no centre: place it first");
  int has_normal =
      read_vector(plane, "normal", sign, normal) || normal_of_matrices(plane, sign, normal);
  ht_yaml_text(plane, "name", name, sizeof name);
  if (point && !name[0]) ht_yaml_text(point, "label", name, sizeof name);
  if (point) ht_yaml_text(point, "description", description, sizeof description);
  return add(in, plane, name, description, centre, has_normal ? normal : NULL);
}

/* Finds the source: the one point that is not selected, as in SlicerVMTK's Extract Centerline. */
static void find_source(ht_case *settings, int first, int source, int unselected) {
  ht_case_opening *opening = settings->opening;
  if (unselected != 1 || settings->openings - first < 2) return;
  for (int i = first; i < settings->openings; i++)
    if (opening[i].role == HT_ROLE_INLET) return;
  if (opening[source].role == HT_ROLE_NONE) opening[source].role = HT_ROLE_INLET;
}

static ht_status read_points(const reader *in, struct fy_node *list, double sign) {
  void *next = NULL;
  int first = in->settings->openings, source = 0, unselected = 0;
  struct fy_node *points = ht_yaml_get(list, "controlPoints"), *point;
  while (points && fy_node_is_sequence(points) &&
         (point = fy_node_sequence_iterate(points, &next))) {
    char name[HT_NAME_MAX] = "", description[32] = "", status[16] = "defined";
    double centre[3];
    int selected = 1;
    ht_yaml_text(point, "positionStatus", status, sizeof status);
    if (strcmp(status, "defined") != 0) continue; /* a place that was skipped in the list */
    ht_yaml_text(point, "label", name, sizeof name);
    ht_yaml_text(point, "description", description, sizeof description);
    if (!read_vector(point, "position", sign, centre))
      return wrong_kind(in->path, "a point has no position of three numbers within 100 m");
    HT_TRY(add(in, point, name, description, centre, NULL));
    ht_yaml_bool(point, "selected", &selected);
    if (!selected) source = in->settings->openings - 1, unselected++;
  }
  find_source(in->settings, first, source, unselected);
  return HT_OK;
}

static ht_status read_markup(const reader *in, struct fy_node *markup) {
  char type[32] = "", text[128];
  double sign;
  if (!ht_yaml_text(markup, "type", type, sizeof type))
    return wrong_kind(in->path, "a markup in it has no type");
  HT_TRY(axes_of(in, markup, &sign));
  if (strcmp(type, "Plane") == 0) return read_plane(in, markup, sign);
  if (strcmp(type, "Fiducial") == 0) return read_points(in, markup, sign);
  snprintf(text, sizeof text, "it holds a markup of the kind '%s'", type);
  return wrong_kind(in->path, text);
}

/* Gives each opening a name of its own. */
static void tell_names_apart(ht_case *settings) {
  for (int i = 0; i < settings->openings; i++)
    for (int k = 0; k < i; k++)
      if (strcmp(settings->opening[k].name, settings->opening[i].name) == 0)
        settings->opening[i].name[0] = 0; /* named later, by its role */
}

static ht_status read_all(const reader *in, struct fy_node *root) {
  void *next = NULL;
  struct fy_node *markups = ht_yaml_get(root, "markups"), *markup;
  if (!markups || !fy_node_is_sequence(markups))
    return wrong_kind(in->path, "this is no markups file: it has no list 'markups'");
  while ((markup = fy_node_sequence_iterate(markups, &next))) HT_TRY(read_markup(in, markup));
  if (in->settings->openings == 0) return wrong_kind(in->path, "it holds no plane and no point");
  tell_names_apart(in->settings);
  return HT_OK;
}

ht_status ht_markups_read(const char *path, ht_case *settings) {
  ht_yaml yaml;
  ht_case *before;
  if (ht_path_ends(path, ".fcsv"))
    return wrong_kind(path, "this is a point list in the old form, .fcsv");
  HT_TRY(ht_alloc((void **)&before, 1, sizeof *before, "the case"));
  *before = *settings;
  settings->openings = 0;
  snprintf(settings->markups, sizeof settings->markups, "%s", path);
  ht_status status = ht_yaml_read(path, HT_ERR_FORMAT, &yaml);
  if (status == HT_OK) {
    reader in = {path, before, settings};
    status = read_all(&in, yaml.root);
    ht_yaml_free(&yaml);
  }
  free(before);
  return status;
}

ht_status ht_markups_read_neck(const char *path, ht_case *settings) {
  ht_case *of;
  HT_TRY(ht_alloc((void **)&of, 1, sizeof *of, "the case"));
  ht_status status = ht_markups_read(path, of);
  const ht_case_opening *plane = &of->opening[0];
  if (status == HT_OK && (of->openings != 1 || !plane->has_normal))
    status = ht_fail(HT_ERR_FORMAT,
                     "%s: it must hold one plane, that of the sac's neck, and nothing else", path);
  if (status == HT_OK) {
    ht_case_sac *sac = &settings->sac;
    sac->has_neck = sac->has_normal = 1;
    memcpy(sac->neck_mm, plane->centre_mm, sizeof sac->neck_mm);
    memcpy(sac->neck_normal, plane->normal, sizeof sac->neck_normal);
  }
  free(of);
  return status;
}

/* ---- writing ---- */

static void write_point(ht_json *json, const ht_opening *opening, const double orientation[9]) {
  ht_json_array(json, "controlPoints");
  ht_json_object(json, NULL);
  ht_json_string(json, "id", "1");
  ht_json_string(json, "label", opening->name);
  ht_json_string(json, "description", ht_role_name(opening->role));
  ht_json_numbers(json, "position", opening->centre_mm, 3);
  ht_json_numbers(json, "orientation", orientation, 9);
  ht_json_bool(json, "selected", 1);
  ht_json_bool(json, "locked", 0);
  ht_json_bool(json, "visibility", 1);
  ht_json_string(json, "positionStatus", "defined");
  ht_json_object_end(json);
  ht_json_array_end(json);
}

/* Writes the matrices: x and y in the plane, z its normal. */
static void write_matrices(ht_json *json, const ht_opening *opening, double orientation[9]) {
  static const double object[16] = {-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  double across[2][3], base[16] = {0};
  ht_span_across(opening->normal, across);
  for (int r = 0; r < 3; r++) {
    const double row[4] = {across[0][r], across[1][r], opening->normal[r], opening->centre_mm[r]};
    memcpy(&base[4 * r], row, sizeof row);
    memcpy(&orientation[3 * r], row, 3 * sizeof(double));
  }
  base[15] = 1;
  ht_json_numbers(json, "objectToBase", object, 16);
  ht_json_numbers(json, "baseToNode", base, 16);
}

static void write_plane(ht_json *json, const ht_opening *opening) {
  double side = 4 * opening->radius_mm, orientation[9];
  const double size[3] = {side, side, 0}, bounds[4] = {-side / 2, side / 2, -side / 2, side / 2};
  ht_json_object(json, NULL);
  ht_json_string(json, "type", "Plane");
  ht_json_string(json, "coordinateSystem", "LPS");
  ht_json_string(json, "coordinateUnits", "mm");
  ht_json_string(json, "name", opening->name);
  ht_json_bool(json, "locked", 0);
  ht_json_string(json, "planeType", "pointNormal");
  ht_json_string(json, "sizeMode", "absolute");
  ht_json_numbers(json, "center", opening->centre_mm, 3);
  ht_json_numbers(json, "normal", opening->normal, 3);
  write_matrices(json, opening, orientation);
  ht_json_numbers(json, "orientation", orientation, 9);
  ht_json_numbers(json, "size", size, 3);
  ht_json_numbers(json, "planeBounds", bounds, 4);
  write_point(json, opening, orientation);
  ht_json_object_end(json);
}

ht_status ht_markups_write(const char *path, const ht_openings *openings) {
  ht_output output;
  ht_json json;
  HT_TRY(ht_json_open(path, &output, &json));
  ht_json_string(&json, "@schema", schema);
  ht_json_array(&json, "markups");
  for (int i = 0; i < openings->count; i++) write_plane(&json, &openings->item[i]);
  ht_json_array_end(&json);
  return ht_json_commit(&json, &output);
}

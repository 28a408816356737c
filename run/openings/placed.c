#include "run/openings/placed.h"
#include "core/disk/file.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "run/folder/yaml_file.h"
#include <math.h>
#include <string.h>

int ht_placed_nearest(const ht_openings *openings, const double position_mm[3],
                      double *distance_mm) {
  int nearest = -1;
  *distance_mm = INFINITY;
  for (int i = 0; i < openings->count; i++) {
    double mm = ht_distance(openings->item[i].centre_mm, position_mm);
    if (mm < *distance_mm) *distance_mm = mm, nearest = i;
  }
  return nearest;
}

double ht_placed_outlet_share(const ht_openings *openings) {
  double in = 0, out = 0;
  for (int i = 0; i < openings->count; i++) {
    double cube = pow(openings->item[i].radius_mm, 3);
    if (openings->item[i].role == HT_ROLE_INLET) in += cube;
    if (openings->item[i].role == HT_ROLE_OUTLET) out += cube;
  }
  return in > 0 ? out / in : 1;
}

int ht_placed_is_missed(const ht_openings *openings, const ht_opening *end) {
  const double large = 0.7, accounted = 0.5;
  const ht_opening *inlet = ht_openings_main_inlet(openings);
  return inlet && end->radius_mm >= large * inlet->radius_mm &&
         ht_placed_outlet_share(openings) < accounted;
}

void ht_opening_json(ht_json *json, const ht_opening *opening) {
  ht_json_string(json, "name", opening->name);
  ht_json_string(json, "role", ht_role_name(opening->role));
  ht_json_numbers(json, "centre_mm", opening->centre_mm, 3);
  if (opening->measured_off_mm != 0)
    ht_json_number(json, "measured_off_mm", opening->measured_off_mm);
  ht_json_numbers(json, "normal", opening->normal, 3);
  ht_json_numbers(json, "direction", opening->direction, 3);
  ht_json_number(json, "area_mm2", opening->area_mm2);
  ht_json_number(json, "area_on_plane_mm2", ht_opening_plane_mm2(opening));
  ht_json_number(json, "radius_mm", opening->radius_mm);
}

void ht_place_close(ht_placed *placed, const ht_opening *end) {
  placed->thin_ends++;
  ht_openings_insert(&placed->closed, end);
}

void ht_place_offer(const ht_placed *placed, ht_openings *offer) {
  const ht_openings *from[] = {&placed->openings, &placed->blind, &placed->closed};
  memset(offer, 0, sizeof *offer);
  for (int l = 0; l < 3; l++)
    for (int i = 0; i < from[l]->count && offer->count < HT_OPENINGS_MAX; i++) {
      ht_opening *one = &offer->item[offer->count];
      double mm;
      int nearest = ht_placed_nearest(offer, from[l]->item[i].centre_mm, &mm);
      if (nearest >= 0 && mm < offer->item[nearest].radius_mm) continue;
      *one = from[l]->item[i];
      snprintf(one->name, sizeof one->name, "%d", ++offer->count);
    }
}

static void write_closed(ht_json *json, const ht_openings *closed) {
  if (closed->count == 0) return;
  ht_json_array(json, "closed");
  for (int i = 0; i < closed->count; i++) {
    ht_json_object(json, NULL);
    ht_json_numbers(json, "centre_mm", closed->item[i].centre_mm, 3);
    ht_json_number(json, "radius_mm", closed->item[i].radius_mm);
    ht_json_object_end(json);
  }
  ht_json_array_end(json);
}

static void write_one(ht_json *json, const ht_placed *placed, int i) {
  const ht_opening *one = &placed->openings.item[i];
  ht_json_object(json, NULL);
  ht_opening_json(json, one);
  ht_json_bool(json, "at_border", one->at_border);
  if (one->role == HT_ROLE_INLET) ht_json_number(json, "flow_ml_s", one->flow_ml_s);
  if (one->even_mm2 > 0) ht_json_number(json, "even_area_mm2", one->even_mm2);
  if (one->role == HT_ROLE_OUTLET) ht_json_number(json, "pressure_pa", one->pressure_pa);
  if (one->flow_fraction > 0) ht_json_number(json, "flow_fraction", one->flow_fraction);
  if (one->windkessel[1] > 0) ht_json_numbers(json, "windkessel_si", one->windkessel, 3);
  if (placed->asked_cut[i]) {
    ht_json_numbers(json, "asked_centre_mm", placed->asked_centre_mm[i], 3);
    ht_json_numbers(json, "asked_normal", placed->asked_normal[i], 3);
  }
  ht_json_object_end(json);
}

ht_status ht_placed_write(const char *path, const ht_placed *placed) {
  ht_output output;
  ht_json json;
  HT_TRY(ht_json_open(path, &output, &json));
  ht_json_string(&json, "axes", "LPS, mm; normal and direction point out of the vessel");
  if (placed->mask_sha256[0]) ht_json_string(&json, "mask_sha256", placed->mask_sha256);
  ht_json_integer(&json, "ignored", placed->ignored);
  ht_json_array(&json, "openings");
  for (int i = 0; i < placed->openings.count; i++) write_one(&json, placed, i);
  ht_json_array_end(&json);
  write_closed(&json, &placed->closed);
  return ht_json_commit(&json, &output);
}

static ht_role parse_role(const char *text) {
  for (int role = HT_ROLE_NONE; role <= HT_ROLE_WALL; role++)
    if (strcmp(ht_role_name((ht_role)role), text) == 0) return (ht_role)role;
  return HT_ROLE_NONE;
}

static int read_one(struct fy_node *node, ht_placed *placed, int i) {
  ht_opening *one = &placed->openings.item[i];
  char role[16] = "";
  int complete = ht_yaml_text(node, "name", one->name, sizeof one->name) &&
                 ht_yaml_text(node, "role", role, sizeof role) &&
                 ht_yaml_point(node, "centre_mm", one->centre_mm) &&
                 ht_yaml_numbers(node, "normal", one->normal, 3) &&
                 ht_yaml_numbers(node, "direction", one->direction, 3) &&
                 ht_yaml_number(node, "area_mm2", &one->area_mm2) &&
                 ht_yaml_number(node, "radius_mm", &one->radius_mm) &&
                 ht_yaml_bool(node, "at_border", &one->at_border);
  one->role = parse_role(role);
  double on_plane; /* versions that did not write it had it as the area */
  if (!ht_yaml_number(node, "area_on_plane_mm2", &on_plane))
    one->area_mm2 = HT_PI * one->radius_mm * one->radius_mm;
  ht_yaml_number(node, "measured_off_mm", &one->measured_off_mm);
  ht_yaml_number(node, "flow_ml_s", &one->flow_ml_s);
  ht_yaml_number(node, "even_area_mm2", &one->even_mm2);
  ht_yaml_number(node, "pressure_pa", &one->pressure_pa);
  ht_yaml_number(node, "flow_fraction", &one->flow_fraction);
  ht_yaml_numbers(node, "windkessel_si", one->windkessel, 3);
  placed->asked_cut[i] = ht_yaml_numbers(node, "asked_centre_mm", placed->asked_centre_mm[i], 3) &&
                         ht_yaml_numbers(node, "asked_normal", placed->asked_normal[i], 3);
  return complete;
}

/* Reads the closed ends; a folder of an earlier version has none. */
static void read_closed(struct fy_node *list, ht_placed *placed) {
  void *next = NULL;
  struct fy_node *item;
  while (list && fy_node_is_sequence(list) && (item = fy_node_sequence_iterate(list, &next))) {
    ht_opening one = {.role = HT_ROLE_WALL};
    if (!ht_yaml_point(item, "centre_mm", one.centre_mm) ||
        !ht_yaml_number(item, "radius_mm", &one.radius_mm))
      continue;
    one.area_mm2 = HT_PI * one.radius_mm * one.radius_mm;
    ht_place_close(placed, &one);
  }
}

ht_status ht_placed_read(const char *path, ht_placed *placed) {
  ht_yaml yaml;
  void *next = NULL;
  struct fy_node *item;
  memset(placed, 0, sizeof *placed);
  HT_TRY(ht_yaml_read(path, HT_ERR_FORMAT, &yaml));
  struct fy_node *list = ht_yaml_get(yaml.root, "openings");
  int complete = list && fy_node_is_sequence(list);
  ht_yaml_text(yaml.root, "mask_sha256", placed->mask_sha256, sizeof placed->mask_sha256);
  ht_yaml_int(yaml.root, "ignored", &placed->ignored);
  while (complete && (item = fy_node_sequence_iterate(list, &next)))
    complete = placed->openings.count < HT_OPENINGS_MAX &&
               read_one(item, placed, placed->openings.count++);
  read_closed(ht_yaml_get(yaml.root, "closed"), placed);
  ht_yaml_free(&yaml);
  if (complete) return HT_OK;
  memset(placed, 0, sizeof *placed);
  return ht_fail(HT_ERR_FORMAT,
                 "%s: this is not a list of openings as hemotile writes it: run `hemotile segment` "
                 "on the folder again",
                 path);
}

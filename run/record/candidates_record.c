#include "run/record/candidates_record.h"
#include "core/disk/file.h"
#include "core/formats/json.h"
#include "run/folder/yaml_file.h"

static void line_json(ht_json *json, const ht_candidate *one) {
  ht_json_array(json, "centreline_x_y_z_radius_mm");
  for (int s = 0; s < one->stations; s++) ht_json_numbers(json, NULL, one->station[s], 4);
  ht_json_array_end(json);
}

static void terms_json(ht_json *json, const ht_candidate_terms *terms) {
  ht_json_object(json, "score_terms");
  ht_json_number(json, "length", terms->length);
  ht_json_number(json, "radius", terms->radius);
  ht_json_number(json, "contrast", terms->contrast);
  ht_json_number(json, "branching", terms->branching);
  ht_json_number(json, "smoothness", terms->smoothness);
  ht_json_object_end(json);
}

static void candidate_json(ht_json *json, const ht_candidate *one, int number) {
  ht_json_object(json, NULL);
  ht_json_integer(json, "vessel", number);
  if (one->name[0]) ht_json_string(json, "name", one->name);
  ht_json_number(json, "score", one->score);
  terms_json(json, &one->terms);
  ht_json_numbers(json, "from_mm", one->from_mm, 3);
  ht_json_numbers(json, "to_mm", one->to_mm, 3);
  ht_json_bool(json, "from_at_border", one->from_at_border);
  ht_json_bool(json, "to_at_border", one->to_at_border);
  ht_json_number(json, "length_mm", one->length_mm);
  ht_json_number(json, "mean_radius_mm", one->radius_mm);
  ht_json_number(json, "least_radius_mm", one->least_radius_mm);
  ht_json_number(json, "contrast_to_noise", one->contrast);
  ht_json_number(json, "branches_per_cm", one->branches_per_cm);
  ht_json_number(json, "neck", one->neck);
  ht_json_number(json, "tortuosity", one->tortuosity);
  ht_json_number(json, "curvature_per_mm", one->curvature_per_mm);
  line_json(json, one);
  ht_json_object_end(json);
}

ht_status ht_candidates_write(const char *path, const ht_candidates *candidates) {
  ht_output out;
  ht_json json;
  HT_TRY(ht_json_open(path, &out, &json));
  ht_json_string(&json, "coordinates", "LPS, mm");
  ht_json_array(&json, "candidates");
  for (int i = 0; i < candidates->count; i++) candidate_json(&json, &candidates->item[i], i + 1);
  ht_json_array_end(&json);
  return ht_json_commit(&json, &out);
}

ht_status ht_candidates_read_ends(const char *path, int number, double ends_mm[2][3]) {
  ht_yaml yaml;
  void *next = NULL;
  int count = 0;
  struct fy_node *item, *found = NULL;
  ht_status status = ht_yaml_read(path, HT_ERR_FORMAT, &yaml);
  struct fy_node *list = status == HT_OK ? ht_yaml_get(yaml.root, "candidates") : NULL;
  while (list && fy_node_is_sequence(list) && (item = fy_node_sequence_iterate(list, &next)))
    if (++count == number) found = item;
  if (status == HT_OK && count == 0)
    status =
        ht_fail(HT_ERR_FORMAT, "%s: has no list 'candidates': run `hemotile segment` again", path);
  else if (status == HT_OK && !found)
    status = ht_fail(HT_ERR_USAGE, "--vessel %d: %s has the vessels 1 to %d", number, path, count);
  else if (status == HT_OK && !(ht_yaml_point(found, "from_mm", ends_mm[0]) &&
                                ht_yaml_point(found, "to_mm", ends_mm[1])))
    status = ht_fail(HT_ERR_FORMAT, "%s: candidate %d has no from_mm and to_mm, three numbers each",
                     path, number);
  ht_yaml_free(&yaml);
  return status;
}

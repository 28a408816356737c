#define _GNU_SOURCE
#include "run/record/manifest.h"
#include "core/machine/clock.h"
#include "run/record/identity.h"
#include "run/privacy/redact.h"
#include "core/vessel/scan_signs.h"
#include "run/case/schema.h"
#include "core/text/words.h"
#include "run/folder/yaml_file.h"
#include <string.h>
#include <sys/resource.h>

/* Prints a key as in a case file: an automatic value reads "auto". */
static void print_key(const ht_key *key, const void *target, char *text, size_t size) {
  text[0] = 0;
  FILE *stream = fmemopen(text, size, "w");
  if (!stream) return;
  ht_key_print(stream, key, target);
  fclose(stream);
}

static void points_json(ht_json *json, const ht_key *key, const void *target) {
  int count;
  const double *numbers = ht_key_points(key, target, &count);
  ht_json_array(json, key->key);
  for (int i = 0; i < count; i++) ht_json_numbers(json, NULL, numbers + 3 * i, 3);
  ht_json_array_end(json);
}

static void key_json(ht_json *json, const ht_key *key, const void *target) {
  const char *at = (const char *)target + key->offset;
  char text[128];
  if (key->type == HT_KEY_TEXT) {
    snprintf(text, sizeof text, "%s", at);
    /* The import removes the patient's name from the openings' names, for all files
     * (stage_import.c). */
    if (strcmp(key->section, "openings") != 0) ht_redact_name(text, sizeof text);
    ht_json_string(json, key->key, text);
    return;
  }
  if (key->type == HT_KEY_WORD) {
    ht_json_string(json, key->key, ht_case_waveform_name(target));
    return;
  }
  print_key(key, target, text, sizeof text);
  if (key->type == HT_KEY_CHOICE || strcmp(text, "auto") == 0) {
    ht_json_string(json, key->key, text);
    return;
  }
  switch (key->type) {
  case HT_KEY_NUMBER:
    ht_json_number(json, key->key, *(const double *)at);
    break;
  case HT_KEY_COUNT:
    ht_json_integer(json, key->key, *(const int64_t *)at);
    break;
  case HT_KEY_INT:
    ht_json_integer(json, key->key, *(const int *)at);
    break;
  case HT_KEY_POINT:
    ht_json_numbers(json, key->key, (const double *)at, 3);
    break;
  case HT_KEY_POINTS:
    points_json(json, key, target);
    break;
  case HT_KEY_PAIR:
    ht_json_numbers(json, key->key, (const double *)at, 2);
    break;
  default:
    break;
  }
}

/* Writes the options; `input` has the paths already. */
static void options_json(ht_json *json, const ht_case *settings) {
  const char *section = "";
  ht_json_object(json, "options");
  for (const ht_key *key = ht_case_keys; key->key; key++) {
    int unused = !settings->phantom[0] && strncmp(key->key, "phantom", 7) == 0;
    if (key->type == HT_KEY_PATH || unused || !ht_key_given(key, settings)) continue;
    if (strcmp(section, key->section) != 0) {
      if (*section) ht_json_object_end(json);
      ht_json_object(json, key->section);
      section = key->section;
    }
    key_json(json, key, settings);
  }
  if (*section) ht_json_object_end(json);
  ht_json_array(json, "openings");
  for (int i = 0; i < settings->openings; i++) {
    ht_json_object(json, NULL);
    for (const ht_key *key = ht_opening_keys; key->key; key++)
      if (ht_key_given(key, &settings->opening[i])) key_json(json, key, &settings->opening[i]);
    ht_json_object_end(json);
  }
  ht_json_array_end(json);
  if (settings->inflow_facts.sha256[0])
    ht_json_string(json, "waveform_sha256", settings->inflow_facts.sha256);
  ht_json_object_end(json);
}

static void patient_json(ht_json *json, const ht_identity *patient) {
  ht_json_object(json, "patient");
  ht_json_string(json, "name", patient->name);
  ht_json_string(json, "id", patient->id);
  ht_json_string(json, "birth_date", patient->birth_date);
  ht_json_string(json, "study_date", patient->study_date);
  ht_json_string(json, "accession", patient->accession);
  ht_json_object_end(json);
}

static void read_patient(struct fy_node *node, ht_identity *patient) {
  if (!node) return;
  ht_yaml_text(node, "name", patient->name, sizeof patient->name);
  ht_yaml_text(node, "id", patient->id, sizeof patient->id);
  ht_yaml_text(node, "birth_date", patient->birth_date, sizeof patient->birth_date);
  ht_yaml_text(node, "study_date", patient->study_date, sizeof patient->study_date);
  ht_yaml_text(node, "accession", patient->accession, sizeof patient->accession);
}

static void study_json(ht_json *json, const ht_study *study) {
  ht_json_object(json, "study");
  ht_json_string(json, "uid", study->uid);
  ht_json_string(json, "frame_uid", study->frame_uid);
  if (study->time[0]) ht_json_string(json, "time", study->time);
  if (study->id[0]) ht_json_string(json, "id", study->id);
  if (study->sex[0]) ht_json_string(json, "patient_sex", study->sex);
  ht_json_object_end(json);
}

static void read_study(struct fy_node *node, ht_study *study) {
  if (!node) return;
  ht_yaml_text(node, "uid", study->uid, sizeof study->uid);
  ht_yaml_text(node, "frame_uid", study->frame_uid, sizeof study->frame_uid);
  ht_yaml_text(node, "time", study->time, sizeof study->time);
  ht_yaml_text(node, "id", study->id, sizeof study->id);
  ht_yaml_text(node, "patient_sex", study->sex, sizeof study->sex);
}

static const char *const *surface_units(void) {
  return ht_key_find(ht_case_keys, "", "surface_unit")->choices;
}

static void reading_json(ht_json *json, const ht_reading *reading) {
  if (!reading->source[0]) return;
  ht_json_string(json, "source", reading->source);
  if (reading->phase > 0) ht_json_integer(json, "phase", reading->phase);
  if (reading->allow_gaps_mm > 0) ht_json_number(json, "allow_gaps_mm", reading->allow_gaps_mm);
  if (reading->surface_unit > 0)
    ht_json_string(json, "surface_unit", surface_units()[reading->surface_unit]);
  if (!reading->phantom[0]) return;
  ht_json_string(json, "phantom", reading->phantom);
  ht_json_integer(json, "phantom_seed", reading->phantom_seed);
  ht_json_number(json, "phantom_spacing_mm", reading->phantom_spacing_mm);
}

static void read_reading(struct fy_node *input, ht_reading *reading) {
  char unit[8] = "";
  ht_yaml_text(input, "source", reading->source, sizeof reading->source);
  ht_yaml_integer(input, "phase", &reading->phase);
  ht_yaml_number(input, "allow_gaps_mm", &reading->allow_gaps_mm);
  ht_yaml_text(input, "surface_unit", unit, sizeof unit);
  int found = ht_word_find(surface_units(), unit, strlen(unit));
  reading->surface_unit = found > 0 ? found : 0;
  ht_yaml_text(input, "phantom", reading->phantom, sizeof reading->phantom);
  ht_yaml_integer(input, "phantom_seed", &reading->phantom_seed);
  ht_yaml_number(input, "phantom_spacing_mm", &reading->phantom_spacing_mm);
}

static void input_json(ht_json *json, const ht_manifest *manifest) {
  ht_json_object(json, "input");
  ht_json_string(json, "path", manifest->input);
  ht_json_string(json, "sha256", manifest->input_sha256);
  if (manifest->surface_sha256[0]) ht_json_string(json, "surface_sha256", manifest->surface_sha256);
  ht_json_integer(json, "files", manifest->input_files);
  if (manifest->series[0]) ht_json_string(json, "series", manifest->series);
  reading_json(json, &manifest->reading);
  ht_json_string(json, "modality", manifest->modality);
  if (manifest->signs) {
    char signs[320];
    ht_scan_signs_text(manifest->signs, signs, sizeof signs);
    ht_json_string(json, "signs", signs);
  }
  if (manifest->patient_hash[0]) ht_json_string(json, "patient_hash", manifest->patient_hash);
  if (manifest->patient.id[0] || manifest->patient.name[0]) patient_json(json, &manifest->patient);
  if (manifest->study.uid[0] || manifest->study.frame_uid[0]) study_json(json, &manifest->study);
  if (manifest->notes[0]) ht_json_string(json, "notes", manifest->notes);
  if (manifest->warning[0]) ht_json_string(json, "warning", manifest->warning);
  ht_json_object_end(json);
}

static void stages_json(ht_json *json, const ht_manifest *manifest) {
  ht_json_object(json, "stages");
  for (int s = 0; s < HT_STAGES; s++) {
    if (!manifest->stage[s].ended[0]) continue;
    ht_json_object(json, ht_stage_name((ht_stage)s));
    ht_json_number(json, "seconds", manifest->stage[s].seconds);
    ht_json_string(json, "ended", manifest->stage[s].ended);
    ht_json_object_end(json);
  }
  ht_json_object_end(json);
}

/* Writes the path of a vessel between points. */
static void way_json(ht_json *json, const ht_segment_report *report) {
  if (report->points == 0) return;
  ht_json_array(json, "points");
  for (int p = 0; p < report->points; p++) {
    const ht_segment_point *one = &report->point[p];
    ht_json_object(json, NULL);
    ht_json_numbers(json, "centre_mm", one->centre_mm, 3);
    ht_json_number(json, "radius_mm", one->radius_mm);
    ht_json_number(json, "away_mm", one->away_mm);
    ht_json_bool(json, "is_end", one->is_end);
    ht_json_object_end(json);
  }
  ht_json_array_end(json);
  ht_json_integer(json, "parted", report->parted);
  ht_json_number(json, "parted_ml", report->parted_ml);
  ht_json_integer(json, "bridges", report->bridges);
}

static void segment_json(ht_json *json, const ht_segment_report *report, const char *preset_why) {
  ht_json_object(json, "segment");
  ht_json_string(json, "method", report->method);
  if (report->preset[0]) ht_json_string(json, "preset", report->preset);
  if (preset_why[0]) ht_json_string(json, "preset_why", preset_why);
  ht_json_number(json, "lower", report->lower);
  ht_json_number(json, "upper", report->upper);
  ht_json_integer(json, "components", report->components);
  ht_json_number(json, "kept_fraction", report->kept_fraction);
  ht_json_number(json, "volume_ml", report->volume_ml);
  ht_json_number(json, "spacing_mm", report->spacing_mm);
  ht_json_number(json, "diameter_mm", report->diameter_mm);
  way_json(json, report);
  ht_json_object_end(json);
}

static void grid_json(ht_json *json, const ht_grid *grid) {
  double dim[3] = {grid->dim[0], grid->dim[1], grid->dim[2]};
  ht_json_object(json, "mask_grid");
  ht_json_numbers(json, "dim", dim, 3);
  ht_json_numbers(json, "spacing_mm", grid->spacing_mm, 3);
  ht_json_numbers(json, "origin_mm", grid->origin_mm, 3);
  ht_json_numbers(json, "direction", &grid->direction[0][0], 9);
  ht_json_object_end(json);
}

static double peak_memory_mb(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss * 1024 / 1e6 : 0;
}

void ht_manifest_json(ht_json *json, const ht_manifest *manifest, const ht_case *settings) {
  char now[32];
  ht_time_utc(now);
  ht_program_json(json);
  ht_json_string(json, "written", now);
  input_json(json, manifest);
  stages_json(json, manifest);
  ht_json_number(json, "peak_memory_mb", peak_memory_mb());
  ht_json_string(json, "case_sha256", manifest->case_sha256);
  if (manifest->has_mask) {
    ht_json_string(json, "mask_sha256", manifest->mask_sha256);
    if (manifest->vessel_sha256[0]) ht_json_string(json, "vessel_sha256", manifest->vessel_sha256);
    ht_json_string(json, "mask_settings_sha256", manifest->mask_settings_sha256);
    if (manifest->mask_grid.dim[0] > 0) grid_json(json, &manifest->mask_grid);
    ht_json_bool(json, "mask_edited", manifest->mask_edited);
    if (manifest->mask_edited) ht_json_string(json, "mask_edited_sha256", manifest->edited_sha256);
    segment_json(json, &manifest->segment, manifest->preset_why);
    ht_quality_json(json, &manifest->quality);
  }
  if (manifest->flow_settings_sha256[0])
    ht_json_string(json, "flow_settings_sha256", manifest->flow_settings_sha256);
  if (manifest->stage[HT_STAGE_SOLVE].ended[0] || manifest->plan.expected_s > 0)
    ht_flow_plan_json(json, &manifest->plan);
  if (manifest->flow_sha256[0]) ht_json_string(json, "flow_sha256", manifest->flow_sha256);
  ht_machine_json(json, &manifest->machine);
  options_json(json, settings);
}

ht_status ht_manifest_write(const char *path, const ht_manifest *manifest,
                            const ht_case *settings) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  ht_json json = {output.stream, 0, 1};
  ht_json_object(&json, NULL);
  ht_manifest_json(&json, manifest, settings);
  ht_json_object_end(&json);
  return ht_output_commit(&output);
}

static void read_way(struct fy_node *node, ht_segment_report *report) {
  void *next = NULL;
  struct fy_node *points = ht_yaml_get(node, "points"), *item;
  while (points && fy_node_is_sequence(points) && report->points < HT_SEGMENT_POINTS_MAX &&
         (item = fy_node_sequence_iterate(points, &next))) {
    ht_segment_point *one = &report->point[report->points++];
    ht_yaml_point(item, "centre_mm", one->centre_mm);
    ht_yaml_number(item, "radius_mm", &one->radius_mm);
    ht_yaml_number(item, "away_mm", &one->away_mm);
    ht_yaml_bool(item, "is_end", &one->is_end);
  }
  ht_yaml_int(node, "parted", &report->parted);
  ht_yaml_number(node, "parted_ml", &report->parted_ml);
  ht_yaml_int(node, "bridges", &report->bridges);
}

static void read_segment(struct fy_node *node, ht_segment_report *report) {
  ht_yaml_text(node, "method", report->method, sizeof report->method);
  ht_yaml_text(node, "preset", report->preset, sizeof report->preset);
  ht_yaml_number(node, "lower", &report->lower);
  ht_yaml_number(node, "upper", &report->upper);
  ht_yaml_int(node, "components", &report->components);
  ht_yaml_number(node, "kept_fraction", &report->kept_fraction);
  ht_yaml_number(node, "volume_ml", &report->volume_ml);
  ht_yaml_number(node, "spacing_mm", &report->spacing_mm);
  ht_yaml_number(node, "diameter_mm", &report->diameter_mm);
  read_way(node, report);
}

ht_status ht_manifest_read(const char *path, ht_manifest *manifest) {
  ht_yaml yaml;
  char signs[320];
  memset(manifest, 0, sizeof *manifest);
  HT_TRY(ht_yaml_read(path, HT_ERR_FORMAT, &yaml));
  struct fy_node *input = ht_yaml_get(yaml.root, "input");
  struct fy_node *stages = ht_yaml_get(yaml.root, "stages");
  ht_yaml_text(input, "path", manifest->input, sizeof manifest->input);
  ht_yaml_text(input, "sha256", manifest->input_sha256, sizeof manifest->input_sha256);
  ht_yaml_text(input, "surface_sha256", manifest->surface_sha256, HT_HASH_TEXT);
  ht_yaml_text(input, "modality", manifest->modality, sizeof manifest->modality);
  if (ht_yaml_text(input, "signs", signs, sizeof signs))
    manifest->signs = ht_scan_signs_parse(signs);
  ht_yaml_text(input, "patient_hash", manifest->patient_hash, HT_HASH_TEXT);
  if (input) read_reading(input, &manifest->reading);
  read_patient(input ? ht_yaml_get(input, "patient") : NULL, &manifest->patient);
  read_study(input ? ht_yaml_get(input, "study") : NULL, &manifest->study);
  ht_yaml_text(input, "notes", manifest->notes, sizeof manifest->notes);
  ht_yaml_text(input, "warning", manifest->warning, sizeof manifest->warning);
  ht_yaml_text(input, "series", manifest->series, sizeof manifest->series);
  ht_yaml_text(yaml.root, "case_sha256", manifest->case_sha256, HT_HASH_TEXT);
  ht_yaml_int(input, "files", &manifest->input_files);
  for (int s = 0; s < HT_STAGES; s++) {
    struct fy_node *stage = ht_yaml_get(stages, ht_stage_name((ht_stage)s));
    ht_yaml_number(stage, "seconds", &manifest->stage[s].seconds);
    ht_yaml_text(stage, "ended", manifest->stage[s].ended, sizeof manifest->stage[s].ended);
  }
  manifest->has_mask = ht_yaml_text(yaml.root, "mask_sha256", manifest->mask_sha256, HT_HASH_TEXT);
  ht_yaml_text(yaml.root, "vessel_sha256", manifest->vessel_sha256, HT_HASH_TEXT);
  ht_yaml_text(yaml.root, "mask_settings_sha256", manifest->mask_settings_sha256, HT_HASH_TEXT);
  ht_yaml_text(yaml.root, "flow_settings_sha256", manifest->flow_settings_sha256, HT_HASH_TEXT);
  ht_yaml_bool(yaml.root, "mask_edited", &manifest->mask_edited);
  ht_yaml_text(yaml.root, "mask_edited_sha256", manifest->edited_sha256, HT_HASH_TEXT);
  ht_yaml_grid(ht_yaml_get(yaml.root, "mask_grid"), &manifest->mask_grid);
  read_segment(ht_yaml_get(yaml.root, "segment"), &manifest->segment);
  ht_yaml_text(ht_yaml_get(yaml.root, "segment"), "preset_why", manifest->preset_why,
               sizeof manifest->preset_why);
  ht_quality_read(yaml.root, &manifest->quality);
  ht_flow_plan_read(yaml.root, &manifest->plan);
  struct fy_node *options = ht_yaml_get(yaml.root, "options");
  if (options) ht_yaml_text(options, "waveform_sha256", manifest->waveform_sha256, HT_HASH_TEXT);
  ht_yaml_text(yaml.root, "flow_sha256", manifest->flow_sha256, HT_HASH_TEXT);
  ht_machine_read(yaml.root, &manifest->machine);
  ht_yaml_free(&yaml);
  return HT_OK;
}

ht_status ht_manifest_input_name(const ht_case *settings, char name[HT_PATH_MAX]) {
  const char *input = settings->mask[0] ? settings->mask : settings->scan;
  if (!settings->phantom[0] && !settings->keep_identity) return ht_identity_label(input, name);
  if (settings->phantom[0])
    snprintf(name, HT_PATH_MAX, "phantom %s, seed %lld", settings->phantom,
             (long long)settings->phantom_seed);
  else
    snprintf(name, HT_PATH_MAX, "%s", input);
  return HT_OK;
}

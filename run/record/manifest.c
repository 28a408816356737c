#define _GNU_SOURCE
#include "run/record/manifest.h"
#include "core/machine/clock.h"
#include "run/record/identity.h"
#include "run/privacy/redact.h"
#include "core/vessel/scan_signs.h"
#include "run/case/schema.h"
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
  if (key->type == HT_KEY_CHOICE || key->type == HT_KEY_SPAN || strcmp(text, "auto") == 0) {
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

/* ---- the members ---- */

#define AT(key, field)                                                                             \
  { HT_MEMBER(ht_manifest, key, field) }
#define OPTIONAL(key, field)                                                                       \
  { HT_MEMBER(ht_manifest, key, field), .options = HT_OPTIONAL }
#define DECIDES(key, field)                                                                        \
  { HT_MEMBER(ht_manifest, key, field), .options = HT_DECIDES }
#define FLAG(field) HT_FLAG(ht_manifest, field)

static const ht_member patient_members[] = {
    DECIDES("name", patient.name),        DECIDES("id", patient.id),
    AT("birth_date", patient.birth_date), AT("study_date", patient.study_date),
    AT("accession", patient.accession),   {0},
};

static const ht_member study_members[] = {
    DECIDES("uid", study.uid), DECIDES("frame_uid", study.frame_uid), OPTIONAL("time", study.time),
    OPTIONAL("id", study.id),  OPTIONAL("patient_sex", study.sex),    {0},
};

static const ht_member phantom_members[] = {
    DECIDES("phantom", reading.phantom),
    AT("phantom_seed", reading.phantom_seed),
    AT("phantom_spacing_mm", reading.phantom_spacing_mm),
    {0},
};

static const ht_member reading_members[] = {
    DECIDES("source", reading.source),
    OPTIONAL("phase", reading.phase),
    OPTIONAL("allow_gaps_mm", reading.allow_gaps_mm),
    {HT_MEMBER(ht_manifest, "surface_unit", reading.surface_unit), .options = HT_OPTIONAL,
     .words = ht_surface_unit_words},
    {HT_GROUP(phantom_members)},
    {0},
};

static const ht_member input_members[] = {
    AT("path", input),
    AT("sha256", input_sha256),
    OPTIONAL("surface_sha256", surface_sha256),
    AT("files", input_files),
    OPTIONAL("series", series),
    {HT_GROUP(reading_members)},
    AT("modality", modality),
    OPTIONAL("signs", file.signs),
    OPTIONAL("patient_hash", patient_hash),
    {HT_PART("patient", patient_members)},
    {HT_PART("study", study_members)},
    OPTIONAL("notes", notes),
    OPTIONAL("warning", warning),
    {0},
};

static const ht_member stage_members[] = {
    {HT_MEMBER(ht_stage_record, "seconds", seconds)},
    {HT_MEMBER(ht_stage_record, "ended", ended), .options = HT_DECIDES},
    {0},
};

#define STAGE(name, stage_)                                                                        \
  { HT_OBJECT(ht_manifest, name, stage[stage_], stage_members) }
static const ht_member stages_members[] = {
    STAGE("import", HT_STAGE_IMPORT), STAGE("segment", HT_STAGE_SEGMENT),
    STAGE("tile", HT_STAGE_TILE),     STAGE("solve", HT_STAGE_SOLVE),
    STAGE("export", HT_STAGE_EXPORT), {0},
};

static const ht_member point_members[] = {
    {HT_MEMBER(ht_segment_point, "centre_mm", centre_mm), .options = HT_POSITION},
    {HT_MEMBER(ht_segment_point, "radius_mm", radius_mm)},
    {HT_MEMBER(ht_segment_point, "away_mm", away_mm)},
    {HT_MEMBER(ht_segment_point, "is_end", is_end), .options = HT_BOOL},
    {0},
};

/* The path of a vessel between points. */
static const ht_member path_members[] = {
    {HT_ITEMS(ht_manifest, "points", segment.point, segment.points, point_members),
     .options = HT_DECIDES},
    AT("parted", segment.parted),
    AT("parted_ml", segment.parted_ml),
    AT("bridges", segment.bridges),
    {0},
};

static const ht_member segment_members[] = {
    AT("method", segment.method),
    OPTIONAL("preset", segment.preset),
    OPTIONAL("preset_why", preset_why),
    AT("lower", segment.lower),
    AT("upper", segment.upper),
    AT("components", segment.components),
    AT("kept_fraction", segment.kept_fraction),
    AT("volume_ml", segment.volume_ml),
    AT("spacing_mm", segment.spacing_mm),
    AT("diameter_mm", segment.diameter_mm),
    {HT_GROUP(path_members)},
    {0},
};

static const ht_member mask_members[] = {
    {HT_MEMBER(ht_manifest, "mask_sha256", mask_sha256), .options = HT_REQUIRED},
    OPTIONAL("vessel_sha256", vessel_sha256),
    AT("mask_settings_sha256", mask_settings_sha256),
    {HT_OBJECT(ht_manifest, "mask_grid", mask_grid, ht_grid_members)},
    {HT_MEMBER(ht_manifest, "mask_edited", mask_edited), .options = HT_BOOL},
    {HT_MEMBER(ht_manifest, "mask_edited_sha256", edited_sha256), FLAG(mask_edited)},
    {HT_PART("segment", segment_members)},
    {HT_OBJECT(ht_manifest, "quality", quality, ht_quality_members)},
    {0},
};

const ht_member ht_manifest_members[] = {
    AT("written", file.written),
    {HT_PART("input", input_members)},
    {HT_PART("stages", stages_members)},
    AT("peak_memory_mb", file.peak_memory_mb),
    AT("case_sha256", case_sha256),
    {HT_GROUP(mask_members), FLAG(has_mask)},
    {HT_OBJECT(ht_manifest, "measured_flow", measured, ht_measured_members)},
    OPTIONAL("flow_settings_sha256", flow_settings_sha256),
    {HT_GROUP(ht_flow_plan_members), HT_AT(ht_manifest, plan)},
    OPTIONAL("flow_sha256", flow_sha256),
    {HT_GROUP(ht_machine_members), HT_AT(ht_manifest, machine)},
    {0},
};

static double peak_memory_mb(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss * 1024 / 1e6 : 0;
}

void ht_manifest_json(ht_json *json, const ht_manifest *manifest, const ht_case *settings) {
  ht_manifest known = *manifest;
  if (!known.stage[HT_STAGE_SOLVE].ended[0] && !(known.plan.expected_s > 0))
    known.plan = (ht_flow_plan){0};
  if (!ht_measured_is_inflow(&known.measured, settings))
    memset(&known.measured, 0, sizeof known.measured);
  ht_time_utc(known.file.written);
  ht_scan_signs_text(known.signs, known.file.signs, sizeof known.file.signs);
  known.file.peak_memory_mb = peak_memory_mb();
  ht_program_json(json);
  ht_members_json(json, ht_manifest_members, &known);
  options_json(json, settings);
}

ht_status ht_manifest_write(const char *path, const ht_manifest *manifest,
                            const ht_case *settings) {
  ht_output output;
  ht_json json;
  HT_TRY(ht_json_open(path, &output, &json));
  ht_manifest_json(&json, manifest, settings);
  return ht_json_commit(&json, &output);
}

ht_status ht_manifest_read(const char *path, ht_manifest *manifest) {
  ht_yaml yaml;
  memset(manifest, 0, sizeof *manifest);
  HT_TRY(ht_yaml_read(path, HT_ERR_FORMAT, &yaml));
  ht_program_read(yaml.root, &manifest->machine);
  ht_members_read(yaml.root, ht_manifest_members, manifest);
  manifest->signs = ht_scan_signs_parse(manifest->file.signs);
  if (ht_grid_check(&manifest->mask_grid) != HT_OK) manifest->mask_grid = (ht_grid){0};
  ht_yaml_text(ht_yaml_get(yaml.root, "options"), "waveform_sha256", manifest->waveform_sha256,
               HT_HASH_TEXT);
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

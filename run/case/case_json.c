#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include "run/case/case_json.h"
#include <string.h>

enum { VALUE_MAX = 512, CURVE = 128 };

/* Writes the value as a case file has it; a text without its quotes. */
static void value_of(const ht_key *key, const void *target, char text[VALUE_MAX]) {
  text[0] = 0;
  if (!ht_key_given(key, target)) return;
  if (key->type == HT_KEY_TEXT) {
    snprintf(text, VALUE_MAX, "%s", (const char *)target + key->offset);
    return;
  }
  FILE *stream = fmemopen(text, VALUE_MAX, "w");
  if (!stream) return;
  ht_key_print(stream, key, target);
  fclose(stream);
}

static void put_allowed(ht_json *json, const ht_key *key) {
  ht_json_bool(json, "auto", key->has_automatic || key->type == HT_KEY_PAIR);
  if (key->choices) {
    ht_json_array(json, "words");
    for (const char *const *word = key->choices; *word; word++) ht_json_string(json, NULL, *word);
    ht_json_array_end(json);
  }
  if (!key->range) return;
  ht_json_number(json, "least", key->range->least);
  ht_json_number(json, "most", key->range->most);
}

static void put_key(ht_json *json, const ht_key *key, const ht_case *settings) {
  char name[96], value[VALUE_MAX];
  const char *idle = key->rule ? key->rule(settings) : NULL;
  ht_json_object(json, NULL);
  snprintf(name, sizeof name, "%s%s%s", key->section, *key->section ? "." : "", key->key);
  ht_json_string(json, "name", name);
  if (key->type == HT_KEY_WORD)
    ht_json_string(json, "value", ht_case_waveform_name(settings));
  else {
    value_of(key, settings, value);
    ht_json_string(json, "value", value);
  }
  ht_key_default(key, value, sizeof value);
  ht_json_string(json, "usual", value);
  ht_json_string(json, "help", key->help);
  ht_json_bool(json, "given", settings->is_given[key - ht_case_keys]);
  if (idle) ht_json_string(json, "idle", idle);
  put_allowed(json, key);
  ht_json_object_end(json);
}

void ht_case_keys_json(ht_json *json, const ht_case *settings) {
  ht_json_array(json, "keys");
  for (const ht_key *key = ht_case_keys; key->key; key++)
    if (key->type != HT_KEY_PATH && key->type != HT_KEY_POINTS) put_key(json, key, settings);
  ht_json_array_end(json);
}

void ht_case_opening_json(ht_json *json, const ht_case_opening *opening) {
  char value[VALUE_MAX];
  for (const ht_key *key = ht_opening_keys; key->key; key++) {
    value_of(key, opening, value);
    if (*value) ht_json_string(json, key->key, value);
  }
}

void ht_case_inflow_json(ht_json *json, const ht_case *settings) {
  const ht_waveform *inflow = &settings->inflow;
  const int is_file = ht_case_waveform_is_file(settings);
  double values[CURVE];
  for (int i = 0; i < CURVE; i++)
    values[i] = ht_waveform_value(inflow, inflow->period_s * i / CURVE);
  ht_json_object(json, "inflow");
  ht_json_number(json, "period_s", inflow->period_s);
  ht_json_bool(json, "of_file", is_file);
  ht_json_string(json, "unit", !is_file ? "" : settings->inflow_facts.is_velocity ? "m/s" : "mL/s");
  ht_json_number(json, "mean", ht_waveform_mean(inflow));
  ht_json_numbers(json, "values", values, CURVE);
  ht_json_object_end(json);
}

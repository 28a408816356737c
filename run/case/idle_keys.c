/* Keys of a case that have no effect (idle_rules.h). */
#include "run/case/schema.h"
#include "core/vessel/volume.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t flag_size(const ht_key *key) {
  return key->flag ? sizeof(int) : 0;
}

static int has_default(const ht_key *key, const ht_case *settings, const ht_case *defaults) {
  const char *is = (const char *)settings, *was = (const char *)defaults;
  return memcmp(is + key->offset, was + key->offset, key->size) == 0 &&
         memcmp(is + key->flag, was + key->flag, flag_size(key)) == 0;
}

static void set_default(const ht_key *key, const ht_case *defaults, ht_case *settings) {
  memcpy((char *)settings + key->offset, (const char *)defaults + key->offset, key->size);
  memcpy((char *)settings + key->flag, (const char *)defaults + key->flag, flag_size(key));
}

static ht_status make_defaults(ht_case **defaults) {
  HT_TRY(ht_alloc((void **)defaults, 1, sizeof **defaults, "the settings"));
  ht_case_defaults(*defaults);
  return HT_OK;
}

ht_status ht_case_unmark_defaults(ht_case *settings) {
  ht_case *defaults;
  HT_TRY(make_defaults(&defaults));
  for (int k = 0; ht_case_keys[k].key; k++)
    if (has_default(&ht_case_keys[k], settings, defaults)) settings->is_given[k] = 0;
  free(defaults);
  return HT_OK;
}

/* Evaluates all rules before a key changes: they say what the person's settings rule out. */
ht_status ht_case_drop_idle(ht_case *settings, ht_idle_key *idle, int *count) {
  ht_case *defaults;
  *count = 0;
  HT_TRY(make_defaults(&defaults));
  for (int k = 0; ht_case_keys[k].key; k++) {
    const ht_key *key = &ht_case_keys[k];
    const char *why = settings->is_given[k] && key->rule ? key->rule(settings) : NULL;
    if (!why) continue;
    idle[*count].why = why;
    idle[*count].at = k;
    snprintf(idle[*count].name, sizeof idle->name, "%s%s%s", key->section, *key->section ? "." : "",
             key->key);
    ++*count;
  }
  for (int i = 0; i < *count; i++) {
    set_default(&ht_case_keys[idle[i].at], defaults, settings);
    settings->is_given[idle[i].at] = 0;
  }
  settings->segment.has_region = settings->has_region_min && settings->has_region_max;
  free(defaults);
  return HT_OK;
}

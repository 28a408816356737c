#define _POSIX_C_SOURCE 200809L
#include "run/case/case.h"
#include "run/case/schema.h"
#include "core/disk/folder_names.h"
#include <stdlib.h>
#include <string.h>

static int is_one_of(const ht_key *key, const char *const *names) {
  for (; *names; names++)
    if (strcmp(key->key, *names) == 0) return 1;
  return 0;
}

/* Returns 1 for a key to leave out: a spacing overrules nodes_across; only a surface has a voxel
 * size to choose, only a vessel between points branches to keep. */
static int is_silent(const ht_key *key, const ht_case *settings) {
  if (strcmp(key->key, "surface_spacing_mm") == 0) return !(settings->surface_spacing_mm > 0);
  if (strcmp(key->section, "vessel") == 0) return settings->segment.points == 0;
  if (strcmp(key->key, "neck_file") == 0) return 1; /* it became the two keys before it */
  return strcmp(key->key, "nodes_across") == 0 && settings->segment.spacing_mm > 0;
}

/* Returns 1 for settings for reading the source. The folder's case.yaml omits them: it has the scan
 * itself. */
static int is_reading(const ht_key *key) {
  static const char *const names[] = {"series",       "phase",         "allow_gaps_mm",
                                      "surface_unit", "keep_identity", NULL};
  return is_one_of(key, names) || strncmp(key->key, "phantom", 7) == 0;
}

/* Writes the keys. A key that has no effect, and that nobody gave, becomes a comment, where a
 * person finds it who changes what rules it out. */
static void write_keys(FILE *stream, const ht_case *settings, const char *source) {
  const char *section = "";
  for (const ht_key *key = ht_case_keys; key->key; key++) {
    int is_measured = strcmp(key->key, "measured") == 0;
    int is_path = key->type == HT_KEY_PATH && !is_measured;
    int skipped = is_reading(key) || is_silent(key, settings);
    int as_mask = settings->mask[0] != 0;
    if (is_path && as_mask != (strcmp(key->key, "mask") == 0)) continue;
    if (skipped || (!is_path && !ht_key_given(key, settings))) continue;
    if (strcmp(section, key->section) != 0) fprintf(stream, "%s:\n", key->section);
    section = key->section;
    int was_given = settings->is_given[key - ht_case_keys];
    const char *idle = key->rule && !was_given ? key->rule(settings) : NULL;
    fprintf(stream, "%s%s%s: ", *section ? "  " : "", idle ? "# " : "", key->key);
    if (is_path)
      ht_yaml_quote(stream, source);
    else if (is_measured) /* no path of a patient's series is kept */
      fputs(HT_FILE_FLOW_MEASURED, stream);
    else if (key->type == HT_KEY_WORD)
      fputs(ht_case_waveform_name(settings), stream);
    else
      ht_key_print(stream, key, settings);
    if (idle) fprintf(stream, "  # no effect: %s", idle);
    fprintf(stream, "  # %s\n", key->help);
  }
}

/* Returns 1 where an opening is no setting: its name reflects a guessed role, and another lattice
 * may lead to another guess. */
static int is_guess(const ht_case_opening *opening) {
  return opening->role == HT_ROLE_NONE && opening->flow_ml_s == 0 && opening->name_is_made_up;
}

static void write_asked(FILE *stream, const ht_case *settings) {
  for (int i = 0; i < settings->openings; i++) {
    const ht_case_opening *opening = &settings->opening[i];
    const char *before = "  - {";
    for (const ht_key *key = ht_opening_keys; key->key; key++) {
      if (!ht_key_given(key, opening)) continue;
      if (strcmp(key->key, "name") == 0 && is_guess(opening)) continue;
      if (strcmp(key->key, "flow_ml_s") == 0 && opening->flow_ml_s == 0) continue;
      if (strcmp(key->key, "pressure_pa") == 0 && opening->role != HT_ROLE_OUTLET) continue;
      if (strcmp(key->key, "flow_fraction") == 0 && opening->flow_fraction == 0) continue;
      fprintf(stream, "%s%s: ", before, key->key);
      ht_key_print(stream, key, opening);
      before = ", ";
    }
    fputs("}\n", stream);
  }
}

/* Returns 1 where the case lists the opening. Openings that were found are comments: without its
 * '#' a line becomes a setting. */
static int asked_for(const ht_case *settings, const char *name) {
  for (int i = 0; i < settings->openings; i++)
    if (strcmp(settings->opening[i].name, name) == 0) return 1;
  return 0;
}

static void write_found(FILE *stream, const ht_case *settings, const ht_openings *found) {
  int others = 0;
  for (int i = 0; i < found->count; i++) others += !asked_for(settings, found->item[i].name);
  if (others == 0) return;
  fputs("# Openings that were found, not prescribed. To change a role or a flow, remove the '#'\n# "
        "of its line, edit it, and run `hemotile solve` on this folder.\n",
        stream);
  for (int i = 0; i < found->count; i++) {
    const ht_opening *opening = &found->item[i];
    if (asked_for(settings, opening->name)) continue;
    fputs("#  - {name: ", stream);
    ht_yaml_quote(stream, opening->name);
    fprintf(stream, ", role: %s, near_mm: [%.2f, %.2f, %.2f]", ht_role_name(opening->role),
            opening->centre_mm[0], opening->centre_mm[1], opening->centre_mm[2]);
    if (opening->role == HT_ROLE_INLET) fprintf(stream, ", flow_ml_s: %.5g", opening->flow_ml_s);
    if (opening->role == HT_ROLE_OUTLET)
      fprintf(stream, ", pressure_pa: %.6g", opening->pressure_pa);
    fprintf(stream, "}  # radius %.2f mm%s\n", opening->radius_mm,
            opening->at_border ? "" : ", cut");
  }
}

ht_status ht_case_write(const char *path, const ht_case *settings, const char *source,
                        const ht_openings *found) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  fputs("# Every setting of this case, written by hemotile. `hemotile help case` explains the "
        "keys.\n",
        output.stream);
  write_keys(output.stream, settings, source);
  fputs("openings:\n", output.stream);
  write_asked(output.stream, settings);
  if (found) write_found(output.stream, settings, found);
  return ht_output_commit(&output);
}

static int makes_mask(const ht_key *key) {
  return strcmp(key->section, "region") == 0 || strcmp(key->section, "segment") == 0 ||
         strcmp(key->section, "vessel") == 0 ||
         (strcmp(key->section, "lattice") == 0 && strncmp(key->key, "refine", 6) != 0);
}

static int is_without_effect(const ht_key *key) {
  static const char *const names[] = {"threads", "checkpoint_minutes", "speed_colours_to_m_s",
                                      "wss_colours_to_pa", NULL};
  return is_one_of(key, names);
}

/* Returns 1 for keys that do not change the flow: names and paths, what is made from a flow, and
 * device, memory and time, by which a lattice may have been chosen. */
static int is_beside_flow(const ht_key *key) {
  static const char *const names[] = {"sensitivity",   "follow_umask", "device",
                                      "max_memory_gb", "within",       NULL};
  return key->type == HT_KEY_PATH || key->type == HT_KEY_TEXT || is_one_of(key, names) ||
         strcmp(key->section, "sac") == 0 || strcmp(key->section, "export") == 0;
}

/* A run without a time of its own ends as one that may take any. */
static int counts(const ht_key *key, const ht_case *settings, ht_hash_of of) {
  if (is_without_effect(key)) return 0;
  if (of == HT_HASH_RUN) return key->type != HT_KEY_SPAN || settings->within_s > 0;
  if (is_beside_flow(key)) return 0;
  return of == HT_HASH_MASK ? makes_mask(key) : !is_reading(key);
}

ht_status ht_case_hash(const ht_case *settings, ht_hash_of of, char hex[HT_HASH_TEXT]) {
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  ht_hash *hash = ht_hash_begin();
  int complete = 0;
  if (stream) {
    for (const ht_key *key = ht_case_keys; key->key; key++) {
      if (!counts(key, settings, of) || !ht_key_given(key, settings) || is_silent(key, settings))
        continue;
      fprintf(stream, "%s.%s: ", key->section, key->key);
      if (key->type == HT_KEY_WORD && ht_case_waveform_is_file(settings))
        fputs(settings->inflow_facts.sha256, stream);
      else
        ht_key_print(stream, key, settings);
      fputc('\n', stream);
    }
    if (of != HT_HASH_MASK) {
      write_asked(stream, settings);
      fputs(settings->profile_sha256, stream);
    }
    if (of == HT_HASH_RUN) fputs(settings->more_masks, stream);
    complete = fclose(stream) == 0 && hash;
  }
  if (complete) ht_hash_add(hash, text, length);
  ht_hash_end(hash, complete ? hex : NULL);
  free(text);
  return complete ? HT_OK : ht_fail(HT_ERR_MEMORY, "not enough memory for the settings");
}

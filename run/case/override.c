#define _POSIX_C_SOURCE 200809L
#include "run/case/override.h"
#include "run/case/markups.h"
#include "run/case/points_file.h"
#include "solver/inflow/published_waveforms.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { ELEMENTS = 3, TEXT_MAX = 256, NAME_MAX_KEY = 80 };

/* Drops the flow of the only inlet in the list where a flow of the whole inlet overrides it. */
static ht_status drop_flow(ht_case *settings, const char *where, ht_status code) {
  int inlets = 0;
  for (int i = 0; i < settings->openings; i++)
    inlets += settings->opening[i].role == HT_ROLE_INLET || settings->opening[i].flow_ml_s > 0;
  if (inlets > 1)
    return ht_fail(code,
                   "%s: the case has %d inlets: give 'flow_ml_s' for each instead, under "
                   "`openings:` in %s",
                   where, inlets, settings->file[0] ? settings->file : "a case file");
  for (int i = 0; i < settings->openings; i++)
    if (settings->opening[i].flow_ml_s > 0) {
      settings->opening[i].flow_ml_s = 0;
      settings->opening[i].role = HT_ROLE_INLET;
    }
  return HT_OK;
}

static int is(const ht_key *key, const char *section, const char *name) {
  return strcmp(key->section, section) == 0 && strcmp(key->key, name) == 0;
}

/* Returns 1 for keys after whose change lattice.within chooses again. */
static int wants_other_choice(const ht_key *key) {
  return is(key, "lattice", "nodes_across") || is(key, "lattice", "spacing_mm") ||
         is(key, "lattice", "within") || is(key, "flow", "cycles") || is(key, "flow", "max_cycles");
}

ht_status ht_case_make_way(ht_case *settings, const ht_key *key, const char *where,
                           ht_status code) {
  ht_case_mark_given(settings, key);
  /* Only an aorta has a patient's heart. */
  if (strcmp(key->section, "patient") == 0 && !is(key, "patient", "kind")) {
    if (settings->patient.kind == HT_PATIENT_HEAD)
      return ht_fail(code,
                     "%s: it is of use for an aorta alone, and this case is an artery of head or "
                     "neck (patient.kind: head): leave it out, or set patient.kind=aorta first",
                     where);
    settings->patient.kind = HT_PATIENT_AORTA;
  }
  if (is(key, "lattice", "nodes_across")) settings->segment.spacing_mm = 0;
  if (wants_other_choice(key)) settings->has_within_choice = 0;
  if (is(key, "flow", "max_steps")) settings->steps = 0;
  if (is(key, "flow", "steps")) settings->solver.max_steps = 0;
  if (is(key, "patient", "heart_rate_per_min")) settings->period_s = 0;
  if (is(key, "patient", "cardiac_output_l_min")) {
    settings->inlet_flow_ml_s = settings->inlet_reynolds = 0;
    return drop_flow(settings, where, code);
  }
  /* A measured profile belongs to the flow that was measured with it. */
  if ((is(key, "flow", "measured") || is(key, "flow", "waveform")) &&
      settings->profile == HT_PROFILE_MEASURED)
    settings->profile = -1;
  if (is(key, "flow", "measured")) {
    strcpy(settings->waveform, ht_waveform_words[HT_WAVEFORM_CONSTANT]);
    settings->waveform_period_s = settings->period_s = settings->patient.heart_rate_per_min = 0;
  }
  if (is(key, "flow", "measured") || is(key, "flow", "inlet_flow_ml_s") ||
      is(key, "flow", "inlet_reynolds")) {
    settings->inlet_flow_ml_s = settings->inlet_reynolds = 0;
    settings->patient.cardiac_output_l_min = 0;
    return drop_flow(settings, where, code);
  }
  return HT_OK;
}

/* Returns the number of the quantity that a key gives; 0: no other key gives it. */
static int quantity_of(const char *name) {
  static const struct {
    const char *name;
    int quantity;
  } keys[] = {{"flow.inlet_flow_ml_s", 1},
              {"flow.inlet_reynolds", 1},
              {"patient.cardiac_output_l_min", 1},
              {"lattice.nodes_across", 2},
              {"lattice.spacing_mm", 2},
              {"flow.steps", 3},
              {"flow.max_steps", 3},
              {"patient.heart_rate_per_min", 4},
              {"flow.period_s", 4}};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(keys[i].name, name) == 0) return keys[i].quantity;
  return 0;
}

/* Returns 1 where the measured flow gives what the other key gives. */
static int are_measured(const char *one, const char *other) {
  static const char *const keys[] = {"flow.waveform",
                                     "flow.waveform_period_s",
                                     "flow.period_s",
                                     "flow.inlet_flow_ml_s",
                                     "flow.inlet_reynolds",
                                     "patient.heart_rate_per_min",
                                     "patient.cardiac_output_l_min"};
  if (strcmp(one, "flow.measured") != 0) return 0;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(keys[i], other) == 0) return 1;
  return 0;
}

ht_status ht_case_refuse_rivals(const char *one, const char *other, const char *where,
                                ht_status code) {
  const int same = quantity_of(one) != 0 && quantity_of(one) == quantity_of(other);
  if (strcmp(one, other) == 0 || !(same || are_measured(one, other) || are_measured(other, one)))
    return HT_OK;
  return ht_fail(code, "%s: %s and %s give the same quantity: give one of them", where, one, other);
}

/* Splits "section.key" into its two parts. */
static const char *split(const char *name, char section[NAME_MAX_KEY]) {
  const char *dot = strchr(name, '.');
  size_t length = dot ? (size_t)(dot - name) : 0;
  if (length >= NAME_MAX_KEY) length = NAME_MAX_KEY - 1;
  memcpy(section, name, length);
  section[length] = 0;
  return dot ? dot + 1 : name;
}

static const ht_key *find(const char *name) {
  char section[NAME_MAX_KEY];
  const char *key = split(name, section);
  return ht_key_find(ht_case_keys, section, key);
}

int ht_case_has_key(const char *name) {
  return strcmp(name, "openings") == 0 || find(name) != NULL;
}

enum { TELLING_LETTERS = 8 }; /* least letters of a part of a key */

/* Copies the letters and digits of a name, in small letters: "Inlet flow" and "inlet_flow" are
 * one. */
static size_t fold(const char *name, char folded[2 * NAME_MAX_KEY]) {
  size_t length = 0;
  for (; *name && length + 1 < 2 * NAME_MAX_KEY; name++)
    if (isalnum((unsigned char)*name)) folded[length++] = (char)tolower((unsigned char)*name);
  folded[length] = 0;
  return length;
}

static int folds_to(const char *name, const char *folded) {
  char own[2 * NAME_MAX_KEY];
  fold(name, own);
  return strcmp(own, folded) == 0;
}

/* Copies the key without its unit: "inlet_flow". */
static void without_unit(const char *key, char bare[NAME_MAX_KEY]) {
  static const char *const units[] = {"_ml_s",    "_mm",   "_s",   "_mmhg", "_lu",   "_gb",
                                      "_per_min", "_pa_s", "_m_s", "_pa",   "_l_min"};
  size_t end = strlen(key);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    const size_t length = strlen(units[i]), all = strlen(key);
    if (all > length && strcmp(key + all - length, units[i]) == 0 && all - length < end)
      end = all - length;
  }
  snprintf(bare, NAME_MAX_KEY, "%.*s", (int)end, key);
}

/* Returns 1 where `folded` is the key, with or without its unit or its section. *certain 1: it has
 * its section, or is a key of two words that drives the flow. */
static int is_spelling(const ht_key *key, const char *folded, int *certain) {
  char bare[NAME_MAX_KEY], whole[2 * NAME_MAX_KEY], bare_whole[2 * NAME_MAX_KEY];
  const int drives = strcmp(key->section, "flow") == 0 || strcmp(key->section, "lattice") == 0;
  without_unit(key->key, bare);
  snprintf(whole, sizeof whole, "%s.%s", key->section, key->key);
  snprintf(bare_whole, sizeof bare_whole, "%s.%s", key->section, bare);
  *certain = *key->section && (folds_to(whole, folded) || folds_to(bare_whole, folded));
  if (*certain) return 1;
  if (!folds_to(key->key, folded) && !folds_to(bare, folded)) return 0;
  *certain = drives && strchr(bare, '_');
  return 1;
}

/* Leaves *certain 0 for a single word: a heart rate, an age or a radius may be of interest without
 * being a setting. */
const ht_key *ht_case_key_meant(const char *name, int *certain) {
  const ht_key *part = NULL;
  char folded[2 * NAME_MAX_KEY], own[2 * NAME_MAX_KEY];
  const size_t length = fold(name, folded);
  *certain = 1;
  if (strcmp(folded, "flow") == 0 || strcmp(folded, "flowmls") == 0)
    return find("flow.inlet_flow_ml_s");
  for (const ht_key *key = ht_case_keys; key->key; key++) {
    if (is_spelling(key, folded, certain)) return key;
    const size_t letters = fold(key->key, own);
    if (length < TELLING_LETTERS) continue;
    if (strncmp(own, folded, length) == 0) part = key;
    if (letters > length && strcmp(own + letters - length, folded) == 0) part = key;
  }
  *certain = 0;
  return part;
}

static ht_status unknown(const char *name, const char *where, ht_status code) {
  char section[NAME_MAX_KEY], nearest[2 * NAME_MAX_KEY] = "";
  const char *key = split(name, section);
  if (*section && !ht_section_known(section)) {
    const char *near = ht_section_nearest(section);
    if (*near) snprintf(nearest, sizeof nearest, "; did you mean '%s.%s'?", near, key);
  } else if (*ht_key_nearest(ht_case_keys, section, key)) {
    snprintf(nearest, sizeof nearest, "; did you mean '%s%s%s'?", section, *section ? "." : "",
             ht_key_nearest(ht_case_keys, section, key));
  }
  return ht_fail(code, "%s: there is no setting '%.60s'%s (`hemotile help case` lists them)", where,
                 name, nearest);
}

/* Sets a list: "[1, 2, 3]", "1 2 3", "120/80". */
static ht_status set_list(const ht_key *key, void *target, const char *text, const char *where,
                          ht_status code) {
  char copy[TEXT_MAX];
  const char *element[ELEMENTS + 1];
  int count = 0;
  snprintf(copy, sizeof copy, "%s", text);
  for (char *at = strtok(copy, "[], /"); at && count <= ELEMENTS; at = strtok(NULL, "[], /"))
    element[count++] = at;
  return ht_key_set(key, target, element, count, where, code);
}

static ht_status set_value(const ht_key *key, void *target, const char *text, const char *where,
                           ht_status code) {
  return key->type == HT_KEY_POINT || key->type == HT_KEY_PAIR
             ? set_list(key, target, text, where, code)
             : ht_key_set(key, target, &text, 1, where, code);
}

/* Without a path: no points. */
static ht_status set_points(ht_case *settings, const char *path) {
  ht_points points = {.count = 0};
  if (*path) HT_TRY(ht_points_read(path, &points));
  snprintf(settings->points_file, sizeof settings->points_file, "%s", path);
  settings->points_are_ras = points.is_ras;
  return ht_case_set_points(settings, &points);
}

/* ---- the keys of an opening ---- */

static int is_of_opening(const ht_key *key, const char *name) {
  return strcmp(key->key, name) == 0;
}

/* Removes what else gives the same place. */
static void make_way_in(ht_case_opening *one, const ht_key *key) {
  const int is_centre = is_of_opening(key, "centre_mm"), is_near = is_of_opening(key, "near_mm");
  const int is_point = is_of_opening(key, "point");
  if (is_centre || is_point) one->has_near = 0;
  if (is_near || is_point) one->has_centre = 0;
  if (is_centre || is_near) one->point = 0;
  if (is_centre || is_near || is_point) one->has_normal = one->finds_side = 0;
}

/* Removes what only other roles have. */
static void fit_role(ht_case_opening *one) {
  if (one->role != HT_ROLE_INLET) one->flow_ml_s = 0;
  if (one->role == HT_ROLE_OUTLET) return;
  one->pressure_pa = one->flow_fraction = 0;
  one->has_windkessel = 0;
  memset(one->windkessel, 0, sizeof one->windkessel);
}

static void remove_value(void *target, const ht_key *key) {
  memset((char *)target + key->offset, 0, key->size);
  if (key->flag) memset((char *)target + key->flag, 0, sizeof(int));
}

/* Returns the number of the opening in the list, by the name that it had before the command, else,
 * unless a name is set, by its new one; or that of a new opening. */
static int number_of(const ht_case *settings, const char *name, int is_naming) {
  for (int is_new = 0; is_new < (is_naming ? 1 : 2); is_new++)
    for (int at = 0; at < settings->openings; at++) {
      const ht_case_opening *one = &settings->opening[at];
      if (strcmp(one->called[0] && !is_new ? one->called : one->name, name) == 0) return at;
    }
  return settings->openings;
}

/* Returns 1 where the command took this name for the new one of another opening. */
static int was_taken_for_new(const ht_case *settings, const char *name) {
  for (int at = 0; at < settings->openings; at++)
    if (settings->opening[at].found_anew && strcmp(settings->opening[at].name, name) == 0) return 1;
  return 0;
}

void ht_case_role_drops(const ht_case *settings, const char *name, const char *text, char *drops,
                        size_t size) {
  static const char before[] = "openings.", after[] = ".role";
  static const char *const keys[] = {"flow_ml_s", "pressure_pa", "flow_fraction",
                                     "windkessel_mmhg_ml_s"};
  char typed[HT_NAME_MAX + sizeof after];
  const ht_case_opening none = {0};
  *drops = 0;
  if (strncmp(name, before, sizeof before - 1) != 0) return;
  snprintf(typed, sizeof typed, "%s", name + sizeof before - 1);
  const size_t length = strlen(typed);
  if (length < sizeof after || strcmp(typed + length - (sizeof after - 1), after) != 0) return;
  typed[length - (sizeof after - 1)] = 0;
  const int at = number_of(settings, typed, 0);
  if (at == settings->openings) return;
  ht_case_opening left = settings->opening[at];
  const ht_key *role = ht_key_find(ht_opening_keys, "openings", "role");
  if (ht_key_set(role, &left, &text, 1, name, HT_ERR_USAGE) != HT_OK) return;
  fit_role(&left);
  FILE *stream = fmemopen(drops, size, "w");
  if (!stream) return;
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    const ht_key *key = ht_key_find(ht_opening_keys, "openings", keys[k]);
    const char *is = (const char *)&settings->opening[at] + key->offset;
    if (memcmp(is, (const char *)&none + key->offset, key->size) == 0 ||
        memcmp(is, (const char *)&left + key->offset, key->size) == 0)
      continue;
    fprintf(stream, "%s%s: ", ftell(stream) ? ", " : "", key->key);
    ht_key_print(stream, key, &settings->opening[at]);
  }
  fclose(stream);
}

/* Gives the opening of a point its name: that of the list, or a new one. */
static ht_status name_point(ht_case *settings, ht_case_opening *one, const ht_key *key,
                            const char *text, const char *where, ht_status code) {
  int at = 0;
  HT_TRY(set_value(key, one, text, where, code));
  while (at < settings->openings && settings->opening[at].point != one->point) at++;
  if (at == HT_OPENINGS_MAX)
    return ht_fail(code, "%s: more than %d openings", where, HT_OPENINGS_MAX);
  if (at == settings->openings) {
    settings->opening[settings->openings++] = *one;
    return HT_OK;
  }
  ht_case_opening *named = &settings->opening[at];
  if (!named->called[0]) memcpy(named->called, named->name, HT_NAME_MAX);
  memcpy(named->name, one->name, HT_NAME_MAX);
  return HT_OK;
}

/* Sets "NAME.key" of an opening. The last dot counts, as names may have some. */
static ht_status set_opening(ht_case *settings, const char *name, const char *text,
                             const char *where, ht_status code) {
  const char *dot = strrchr(name, '.');
  const ht_key *key = dot ? ht_key_find(ht_opening_keys, "openings", dot + 1) : NULL;
  ht_case_opening one = {0};
  if (!key) {
    const char *nearest = dot ? ht_key_nearest(ht_opening_keys, "openings", dot + 1) : "";
    return ht_fail(code, "%s: an opening has no setting '%.60s'%s%s%s (as in openings.inlet.role)",
                   where, dot ? dot + 1 : name, *nearest ? "; did you mean '" : "", nearest,
                   *nearest ? "'?" : "");
  }
  if (dot == name || dot - name >= HT_NAME_MAX)
    return ht_fail(code, "%s: an opening's name has 1 to %d characters", where, HT_NAME_MAX - 1);
  memcpy(one.name, name, (size_t)(dot - name));
  const int is_naming = is_of_opening(key, "name");
  const int at = number_of(settings, one.name, is_naming);
  if (at == HT_OPENINGS_MAX)
    return ht_fail(code, "%s: more than %d openings", where, HT_OPENINGS_MAX);
  if (is_naming && at == settings->openings && was_taken_for_new(settings, one.name))
    return ht_fail(code,
                   "%s: the command uses '%s' as the new name of another opening, too: give "
                   "the names first",
                   where, one.name);
  if (at < settings->openings) {
    const int is_anew = strcmp(settings->opening[at].called, one.name) != 0;
    one = settings->opening[at];
    one.found_anew |= one.called[0] && is_anew;
  }
  if (is_naming && !one.called[0]) memcpy(one.called, one.name, HT_NAME_MAX);
  if (at == settings->openings && is_of_opening(key, "point"))
    return name_point(settings, &one, key, text, where, code);
  if (*text) {
    make_way_in(&one, key);
    HT_TRY(set_value(key, &one, text, where, code));
  } else {
    remove_value(&one, key);
  }
  if (is_of_opening(key, "role")) fit_role(&one);
  if (is_of_opening(key, "flow_ml_s") && one.flow_ml_s > 0)
    settings->inlet_flow_ml_s = settings->inlet_reynolds = settings->patient.cardiac_output_l_min =
        0;
  settings->opening[at] = one;
  if (at == settings->openings) settings->openings++;
  return HT_OK;
}

/* Returns the bits of a number, as all keys of wants_other_choice() are, to compare. */
static int64_t bits_of(const ht_case *settings, const ht_key *key) {
  int64_t bits = 0;
  memcpy(&bits, (const char *)settings + key->offset,
         key->size < sizeof bits ? key->size : sizeof bits);
  return bits;
}

/* Sets what follows from a key that was set. */
static ht_status derive(ht_case *settings, const ht_key *key) {
  settings->segment.has_region = settings->has_region_min && settings->has_region_max;
  if (is(key, "sac", "neck_file") && settings->sac.neck_file[0])
    return ht_markups_read_neck(settings->sac.neck_file, settings);
  return HT_OK;
}

ht_status ht_case_override(ht_case *settings, const char *name, const char *text, const char *where,
                           ht_status code) {
  static const char openings[] = "openings.";
  if (strcmp(name, "openings") == 0) return ht_markups_read(text, settings);
  if (strncmp(name, openings, sizeof openings - 1) == 0)
    return set_opening(settings, name + sizeof openings - 1, text, where, code);
  const ht_key *key = find(name);
  if (!key) return unknown(name, where, code);
  if (key->type == HT_KEY_POINTS) return set_points(settings, text);
  if (key->type == HT_KEY_POINT && !*text) {
    remove_value(settings, key);
    settings->is_given[key - ht_case_keys] = 0;
    return derive(settings, key);
  }
  const int is_given = settings->is_given[key - ht_case_keys], chose = settings->has_within_choice;
  const int64_t was = bits_of(settings, key);
  HT_TRY(ht_case_make_way(settings, key, where, code));
  HT_TRY(set_value(key, settings, text, where, code));
  /* A page and a script repeat all settings: the same value again is no change. */
  if (is_given && wants_other_choice(key) && bits_of(settings, key) == was)
    settings->has_within_choice = chose;
  return derive(settings, key);
}

#include "app/compare/compare_settings.h"
#include "run/process/console.h"
#include "run/case/schema.h"
#include "run/run_newer.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "core/vessel/volume.h"
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double same_flow = 0.01, same_spacing = 0.02;

/* ---- the table ---- */

/* Prefix of the settings that the case file names. */
static const char options[] = "options.";

/* Patterns of settings that change no number. For openings the places and roles that were found
 * count (warn_of_places). */
static const char *const silent[] = {
    "name",        "max_memory_gb",   "keep_identity",   "follow_umask",
    "sensitivity", "flow.threads",    "flow.device",     "export.*",
    "sac.*",       "openings.*.name", "openings.*.role", "openings.*near_mm.[xyz]"};

/* Facts of the record, all texts, and of the summary, in addition to the settings. */
static const char *const facts[] = {"hemotile", "commit", "input.path", "waveform_sha256"};
static const char *const found[] = {"flow.spacing_mm", "flow.precision", "flow.collision",
                                    "flow.fluid",      "mask_edited",    "steady"};

/* Returns 1 for a silent setting, also for one that `found` lists with its chosen value: "auto" and
 * what it chose are the same. */
static int is_silent(const char *name) {
  for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
    if (fnmatch(silent[i], name, 0) == 0) return 1;
  for (size_t i = 0; i < sizeof found / sizeof *found; i++)
    if (strcmp(found[i], name) == 0) return 1;
  return 0;
}

/* Returns the entry of a setting; NULL: an element of a list, or a key of another version. */
static const ht_key *key_of(const char *setting) {
  char section[32] = "", key[64] = "";
  const char *last = strrchr(setting, '.');
  if (!last) return ht_key_find(ht_case_keys, "", setting);
  if (strncmp(setting, "openings.", strlen("openings.")) == 0)
    return ht_key_find(ht_opening_keys, "openings", last + 1);
  if (sscanf(setting, "%31[^.].%63s", section, key) != 2) return NULL;
  return ht_key_find(ht_case_keys, section, key);
}

/* Returns 1 for texts: a version, a commit, a series may be all digits, and are still no
 * numbers. */
static int is_text(const char *setting) {
  const ht_key *key = key_of(setting);
  return key && (key->type == HT_KEY_TEXT || key->type == HT_KEY_PATH || key->type == HT_KEY_WORD ||
                 key->type == HT_KEY_CHOICE || key->type == HT_KEY_SPAN);
}

/* Returns 1 for equal values. A number that a run computes differs in its last digits. */
static int is_same(const char *a, const char *b, int as_text) {
  if (as_text) return strcmp(a, b) == 0;
  double x = ht_number_of_text(a), y = ht_number_of_text(b);
  if (isfinite(x) && isfinite(y)) return fabs(x - y) <= 1e-6 * fmax(fabs(x), fabs(y));
  return strcmp(a, b) == 0;
}

/* Returns 1 for a default: a setting that is not given (an opening's, where the case lists none) is
 * automatic, or 0. */
static int is_default(const char *value) {
  return strcmp(value, "auto") == 0 || ht_number_of_text(value) == 0;
}

static int differs(const ht_setting_row *row, const ht_compared_case *one, int cases) {
  const char *first = NULL;
  int absent = 0;
  for (int c = 0; c < cases; c++) {
    absent |= !row->value[c] && !one[c].is_foreign;
    if (!row->value[c]) continue;
    if (!first) first = row->value[c];
    if (!is_same(first, row->value[c], row->is_text)) return 1;
  }
  return absent && first && !is_default(first);
}

/* Adds a row. `added`: its name, as shown, and type. name: in the record, or of_summary: in the
 * summary. */
static void add_row(ht_setting_table *table, const ht_compared_case *one, int cases,
                    ht_setting_row added, const char *name, int of_summary) {
  ht_setting_row *row = &table->row[table->rows];
  for (int r = 0; r < table->rows; r++)
    if (strcmp(table->row[r].name, added.name) == 0) return;
  *row = added;
  for (int c = 0; c < cases; c++)
    row->value[c] = ht_value_text(of_summary ? &one[c].numbers : &one[c].record, name);
  if (differs(row, one, cases)) table->rows++;
}

ht_status ht_setting_table_make(const ht_compared_case *one, int cases, ht_setting_table *table) {
  size_t room = sizeof facts / sizeof *facts + sizeof found / sizeof *found;
  for (int c = 0; c < cases; c++) room += (size_t)one[c].record.count;
  *table = (ht_setting_table){.rows = 0};
  HT_TRY(ht_alloc((void **)&table->row, room, sizeof *table->row, "the settings of the cases"));
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    add_row(table, one, cases, (ht_setting_row){.name = facts[i], .is_text = 1}, facts[i], 0);
  for (size_t i = 0; i < sizeof found / sizeof *found; i++)
    add_row(table, one, cases, (ht_setting_row){.name = found[i], .is_text = is_text(found[i])},
            found[i], 1);
  for (int c = 0; c < cases; c++)
    for (int i = 0; i < one[c].record.count; i++) {
      const char *name = one[c].record.item[i].name;
      if (strncmp(name, options, strlen(options)) != 0) continue;
      const char *setting = name + strlen(options);
      if (is_silent(setting)) continue;
      add_row(table, one, cases, (ht_setting_row){.name = setting, .is_text = is_text(setting)},
              name, 0);
    }
  return HT_OK;
}

const char *ht_setting_text(const ht_setting_row *row, int c, char text[HT_COMPARE_VALUE]) {
  const char *value = row->value[c];
  double number = row->is_text ? NAN : ht_number_of_text(value);
  if (isfinite(number))
    snprintf(text, HT_COMPARE_VALUE, "%.6g", number);
  else
    snprintf(text, HT_COMPARE_VALUE, "%.60s", value ? value : "-");
  return text;
}

const char *ht_setting_none(const ht_compared_case *one, int cases) {
  int foreign = 0;
  for (int c = 0; c < cases; c++) foreign += one[c].is_foreign;
  if (foreign == 0) return "the cases have the same settings, program and lattice";
  return cases - foreign < 2 ? "the settings of the other program are not known"
                             : "hemotile's cases have the same settings; those of the other "
                               "program are not known";
}

void ht_setting_table_free(ht_setting_table *table) {
  if (!table) return;
  free(table->row);
  memset(table, 0, sizeof *table);
}

/* ---- warnings ---- */

/* Writes "1 (a), 1.5 (b)". */
static void say_values(const ht_compared_case *one, int cases, const ht_setting_row *row,
                       char *text, size_t size) {
  size_t length = 0;
  text[0] = 0;
  for (int c = 0; c < cases && length + 1 < size; c++)
    if (!one[c].is_foreign) {
      char value[HT_COMPARE_VALUE];
      ht_setting_text(row, c, value);
      length += (size_t)snprintf(text + length, size - length, "%s%.32s (%s)", length ? ", " : "",
                                 row->value[c] ? value : "not given", one[c].label);
    }
}

/* Patterns of settings, and the meaning of a difference. */
static const struct {
  const char *pattern, *meaning;
} kinds[] = {
    {"hemotile", "the cases were computed by different versions of hemotile: CHANGELOG.md says "
                 "where results changed; compute them again with one version"},
    {"commit", "the cases were computed by different builds of hemotile: compute them again with "
               "one to be sure"},
    {"flow.waveform", "the waveforms of the inflow differ"},
    {"waveform_sha256", "the waveforms of the inflow differ (their files have other numbers)"},
    {"flow.period_s", "the heart rates differ"},
    {"patient.*", "the hearts (output, rate, blood pressure, ...) differ"},
    {"blood.*", "the blood differs"},
    {"flow.walls", "the walls are computed differently"},
    {"flow.collision", "the collision operators differ"},
    {"flow.fluid", "the fluid models differ"},
    {"flow.profile", "the profiles of the inflow differ"},
    {"flow.eddies", "the eddy viscosities differ"},
    {"flow.precision", "the number formats of the flow differ"},
    {"outlets.*", "the outlets are modelled differently"},
    {"openings.*.pressure_pa", "the pressures at the outlets differ"},
    {"openings.*.windkessel*", "the Windkessels of the outlets differ"},
    {"openings.*.flow_fraction", "the shares of the outlets are prescribed differently"},
    {"extensions.*", "the lengths of the extensions differ, whose friction acts on the flow"},
};

/* Warns once per kind, with the first setting of that kind. */
static void warn_of_settings(const ht_compared_case *one, int cases,
                             const ht_setting_table *table) {
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (int r = 0; r < table->rows; r++) {
      char values[300];
      const ht_setting_row *row = &table->row[r];
      if (fnmatch(kinds[k].pattern, row->name, 0) != 0) continue;
      say_values(one, cases, row, values, sizeof values);
      ht_console_warn("%s: %s is %s", kinds[k].meaning, row->name, values);
      break;
    }
}

/* Returns the flow in mL/s through all inlets; NAN: not known. */
static double inflow_of(const ht_compared_case *one) {
  double sum = 0;
  int inlets = 0;
  for (int i = 0; i < one->numbers.count; i++) {
    const ht_named_value *item = &one->numbers.item[i];
    char name[512];
    size_t length = strlen(item->name);
    if (fnmatch("openings.*.role", item->name, 0) != 0 || strcmp(item->value, "inlet") != 0)
      continue;
    snprintf(name, sizeof name, "%.*sflow_ml_s", (int)(length - 4), item->name);
    sum += ht_value_number(&one->numbers, name);
    inlets++;
  }
  return inlets ? sum : NAN;
}

/* A number of each case, as text; the largest difference from the first, relative to it. */
typedef struct {
  char values[300];
  double most;
} spread;

static spread spread_of(const ht_compared_case *one, int cases,
                        double (*number)(const ht_compared_case *)) {
  spread found_ = {"", 0};
  size_t length = 0;
  double first = NAN;
  for (int c = 0; c < cases && length + 1 < sizeof found_.values; c++) {
    double value = number(&one[c]);
    if (!isfinite(value)) continue;
    if (!isfinite(first)) first = value;
    found_.most = fmax(found_.most, fabs(value - first) / fmax(fabs(first), 1e-30));
    length += (size_t)snprintf(found_.values + length, sizeof found_.values - length, "%s%.4g (%s)",
                               length ? ", " : "", value, one[c].label);
  }
  return found_;
}

static double spacing_of(const ht_compared_case *one) {
  return ht_value_number(&one->numbers, "flow.spacing_mm");
}

/* Returns the period; 0 where the flow is steady. */
static double period_of(const ht_compared_case *one) {
  double period = ht_value_number(&one->numbers, "flow.period_s");
  return one->is_foreign ? NAN : isfinite(period) ? period : 0;
}

static void warn_of_numbers(const ht_compared_case *one, int cases) {
  const spread flow = spread_of(one, cases, inflow_of), lattice = spread_of(one, cases, spacing_of);
  int pulses = 0, steady = 0;
  for (int c = 0; c < cases; c++) {
    pulses += period_of(&one[c]) > 0;
    steady += period_of(&one[c]) == 0;
  }
  if (pulses && steady)
    ht_console_warn("some cases are steady and some pulsatile: means over a beat are not the "
                    "numbers of a steady flow");
  else if (pulses && spread_of(one, cases, period_of).most > same_flow)
    ht_console_warn("the durations of a beat differ: %s s",
                    spread_of(one, cases, period_of).values);
  if (flow.most > same_flow)
    ht_console_warn("the flows through the inlets differ: %s mL/s; stress and pressure depend on "
                    "the flow more than on anything else",
                    flow.values);
  if (lattice.most > same_spacing)
    ht_console_warn("the lattice spacings differ: %s mm; a part of each difference is the "
                    "lattice's (`hemotile converge` measures it)",
                    lattice.values);
}

static int has_role(const ht_compared_case *one, const char *name) {
  return one->is_foreign || ht_value_text(&one->numbers, name);
}

/* Warns of openings that one case has and another lacks: they have no row in the table. */
static void warn_of_openings(const ht_compared_case *one, int cases) {
  for (int c = 0; c < cases; c++)
    for (int i = 0; i < one[c].numbers.count; i++) {
      const char *name = one[c].numbers.item[i].name;
      if (fnmatch("openings.*.role", name, 0) != 0) continue;
      for (int k = 0; k < cases; k++)
        if (!has_role(&one[k], name)) {
          ht_console_warn("'%.*s' is an opening of %s and none of %s: openings are compared by "
                          "their names; give them the same names in the case files",
                          (int)(strlen(name) - strlen("openings..role")),
                          name + strlen("openings."), one[c].label, one[k].label);
          return;
        }
    }
}

/* Reads the place `NAME.centre_mm` of a case. Returns 0 where it has none. */
static int place_of(const ht_compared_case *one, const char *name, double at[3]) {
  static const char *const axis[] = {"x", "y", "z"};
  for (int r = 0; r < 3; r++) {
    char part[512];
    snprintf(part, sizeof part, "%.400s.centre_mm.%s", name, axis[r]);
    at[r] = ht_value_number(&one->numbers, part);
    if (!isfinite(at[r])) return 0;
  }
  return 1;
}

/* Warns of what lies more than `size_mm` away from that of the reference: it is perhaps another. */
static void warn_if_apart(const ht_compared_case *one, int cases, const char *name,
                          const char *shown, double size_mm) {
  double first[3], at[3];
  if (!place_of(&one[0], name, first) || !(size_mm > 0)) return;
  for (int c = 1; c < cases; c++)
    if (place_of(&one[c], name, at) && ht_distance(first, at) > size_mm) {
      ht_console_warn("%s lies %.1f mm apart in %s and %s: check that it is the same place of the "
                      "vessel; its numbers are compared by the name alone",
                      shown, ht_distance(first, at), one[0].label, one[c].label);
      return;
    }
}

static void warn_of_places(const ht_compared_case *one, int cases) {
  const ht_value_list *numbers = &one[0].numbers;
  for (int i = 0; i < numbers->count; i++) {
    const char *item = numbers->item[i].name;
    char name[400], radius[440], shown[440];
    if (fnmatch("openings.*.role", item, 0) != 0) continue;
    snprintf(name, sizeof name, "%.*s", (int)(strlen(item) - strlen(".role")), item);
    snprintf(radius, sizeof radius, "%s.radius_mm", name);
    snprintf(shown, sizeof shown, "the opening '%s'", name + strlen("openings."));
    warn_if_apart(one, cases, name, shown, 2 * ht_value_number(numbers, radius));
  }
  warn_if_apart(one, cases, "narrowing.throat", "the throat of the narrowing",
                2 * sqrt(ht_value_number(numbers, "narrowing.reference_area_mm2") / HT_PI));
}

static void warn_of_state(const ht_compared_case *one) {
  const char *steady = ht_value_text(&one->numbers, "steady");
  const char *newer = one->is_foreign ? "" : ht_run_newer(one->path);
  if (*newer)
    ht_console_warn("%s: its results are older: %s since; compute its flow again", one->label,
                    newer);
  if (one->is_foreign) {
    ht_console_warn("%s is of another program: its flow, blood, lattice and convergence are not "
                    "known here; check that they are those of the other cases",
                    one->label);
    return;
  }
  if (ht_value_text(&one->numbers, "averages.samples"))
    ht_console_warn("%s: its flow never settles; its numbers are means", one->label);
  else if (!steady || strcmp(steady, "true") != 0)
    ht_console_warn("%s is not %s: do not use its numbers", one->label,
                    period_of(one) > 0 ? "periodic" : "steady");
}

/* Returns 1 where all cases that have the value agree. */
static int agrees(const ht_compared_case *one, int cases, const char *name) {
  const char *first = NULL;
  for (int c = 0; c < cases; c++) {
    const char *value = ht_value_text(&one[c].record, name);
    if (value && !first) first = value;
    if (value && strcmp(value, first) != 0) return 0;
  }
  return 1;
}

void ht_compare_warn(const ht_compared_case *one, int cases, const ht_setting_table *table) {
  for (int c = 0; c < cases; c++) warn_of_state(&one[c]);
  if (!agrees(one, cases, "input.patient_hash"))
    ht_console_warn("the cases are of different patients");
  if (!agrees(one, cases, "input.study.frame_uid"))
    ht_console_warn("the scans have different frames of reference: places agree only where the "
                    "scans were registered to each other before");
  warn_of_numbers(one, cases);
  warn_of_settings(one, cases, table);
  warn_of_openings(one, cases);
  if (one[0].has_wall) warn_of_places(one, cases);
}

#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "app/batch/cohort/methods.h"
#include "run/case/schema.h"
#include "core/disk/folder_names.h"
#include "core/vessel/volume.h"
#include "run/folder/yaml_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reads the settings of a case as they were run: the case file of its folder. NULL: there is
 * none. */
static ht_status read_settings(const ht_cohort_table *table, int number, ht_case *settings) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_cohort_file(table, number, HT_FILE_CASE, path));
  ht_case_defaults(settings);
  return ht_case_read(path, settings);
}

/* Returns 1 for settings to report: not names, paths and places of the single case. */
static int tells(const ht_key *key) {
  static const char *const sections[] = {"segment", "vessel", "lattice", "extensions",
                                         "blood",   "flow",   "outlets", "patient"};
  if (key->type == HT_KEY_TEXT || key->type == HT_KEY_PATH || key->type == HT_KEY_POINTS ||
      key->type == HT_KEY_POINT)
    return 0;
  if (strcmp(key->key, "threads") == 0 || strcmp(key->key, "device") == 0) return 0;
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
    if (strcmp(key->section, sections[i]) == 0) return 1;
  return 0;
}

/* Values of a setting in the cases that have results, each once. */
enum { MOST_VALUES = 8 };
typedef struct {
  int values, more;
  char *text[MOST_VALUES];
  int cases[MOST_VALUES];
} spread;

static char *printed(const ht_key *key, const ht_case *settings) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return NULL;
  if (ht_key_given(key, settings))
    ht_key_print(stream, key, settings);
  else
    fputs("not given", stream);
  fclose(stream);
  return text;
}

static void count_value(spread *of, char *text) {
  for (int v = 0; text && v < of->values; v++)
    if (strcmp(of->text[v], text) == 0) {
      of->cases[v]++;
      free(text);
      return;
    }
  if (!text || of->values == MOST_VALUES) {
    of->more += text != NULL;
    free(text);
    return;
  }
  of->cases[of->values] = 1;
  of->text[of->values++] = text;
}

static void free_spread(spread *of) {
  for (int v = 0; v < of->values; v++) free(of->text[v]);
  *of = (spread){0};
}

typedef struct {
  ht_case *item;
  int count;
} all_settings;

static ht_status read_all(const ht_cohort_table *table, all_settings *to) {
  HT_TRY(ht_alloc((void **)&to->item, (size_t)table->cohort->cases, sizeof *to->item,
                  "the cases' settings"));
  for (int i = 0; i < table->cohort->cases; i++)
    if (table->summary[i].rows > 1 && read_settings(table, i, &to->item[to->count]) == HT_OK)
      to->count++;
  return HT_OK;
}

static void put_settings(FILE *stream, const all_settings *of, int shared) {
  int count = 0;
  for (const ht_key *key = ht_case_keys; key->key; key++) {
    spread values = {0};
    if (!tells(key)) continue;
    for (int i = 0; i < of->count; i++) count_value(&values, printed(key, &of->item[i]));
    if ((values.values <= 1) == shared && values.values > 0) {
      count++;
      fprintf(stream, "  %s.%s:", key->section, key->key);
      for (int v = 0; v < values.values; v++) {
        fprintf(stream, "%s %s", v ? ";" : "", values.text[v]);
        if (!shared)
          fprintf(stream, " (%d case%s)", values.cases[v], values.cases[v] == 1 ? "" : "s");
      }
      fprintf(stream, "%s\n", values.more ? "; and others" : "");
    }
    free_spread(&values);
  }
  if (!count) fputs("  none\n", stream);
}

/* ---- the paragraph ---- */

static int count_state(const ht_cohort_table *table, ht_case_state state) {
  int count = 0;
  for (int i = 0; i < table->cohort->cases; i++) count += table->record[i].state == state;
  return count;
}

static int range_of(const ht_cohort_table *table, const char *column, double range[2]) {
  int count = 0;
  range[0] = INFINITY;
  range[1] = -INFINITY;
  for (int i = 0; i < table->cohort->cases; i++) {
    const char *text = ht_cohort_value(table, i, column);
    char *end;
    const double value = strtod(text, &end);
    if (end == text || !isfinite(value)) continue;
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
    count++;
  }
  return count;
}

static void put_range(FILE *stream, const ht_cohort_table *table, const char *column,
                      const char *before, const char *unit) {
  double range[2];
  if (range_of(table, column, range) == 0) return;
  /* Prints whole numbers of nodes and beats in full, not as 3.4e+03. */
  const char *const format = range[1] >= 1000 ? "%.0f" : "%.3g";
  fputs(before, stream);
  fprintf(stream, format, range[0]);
  if (range[0] < range[1]) {
    fputs(" to ", stream);
    fprintf(stream, format, range[1]);
  }
  fputs(unit, stream);
}

/* Writes "lbgk in 3, mrt in 2"; frees them. */
static void put_spread(FILE *stream, spread *words) {
  for (int v = 0; v < words->values; v++) {
    fprintf(stream, "%s%s", v ? ", " : "", words->text[v]);
    if (words->values > 1) fprintf(stream, " in %d", words->cases[v]);
  }
  if (words->more) fputs(", and others", stream);
  free_spread(words);
}

static void put_words(FILE *stream, const ht_cohort_table *table, const char *column) {
  spread words = {0};
  for (int i = 0; i < table->cohort->cases; i++) {
    const char *text = ht_cohort_value(table, i, column);
    if (*text) count_value(&words, strdup(text));
  }
  put_spread(stream, &words);
}

/* Returns the version, as the program may have been replaced between two cases. */
static char *version_of(const ht_cohort_table *table, int number) {
  char path[HT_PATH_MAX], version[32] = "?", commit[64] = "?";
  char text[128];
  ht_yaml yaml;
  if (ht_cohort_file(table, number, HT_FILE_MANIFEST, path) != HT_OK ||
      ht_yaml_read(path, HT_ERR_FORMAT, &yaml) != HT_OK)
    return strdup("of an unknown version");
  ht_yaml_text(yaml.root, "hemotile", version, sizeof version);
  ht_yaml_text(yaml.root, "commit", commit, sizeof commit);
  ht_yaml_free(&yaml);
  snprintf(text, sizeof text, "%s (commit %s)", version, commit);
  return strdup(text);
}

static void put_versions(FILE *stream, const ht_cohort_table *table, int results) {
  spread versions = {0};
  for (int i = 0; i < table->cohort->cases; i++)
    if (table->summary[i].rows > 1) count_value(&versions, version_of(table, i));
  const int several = versions.values > 1;
  fputs(several ? "Blood flow was computed with several versions of hemotile ("
                : "Blood flow was computed with hemotile ",
        stream);
  put_spread(stream, &versions);
  fprintf(stream, "%s in %d of %d cases", several ? ")" : "", results, table->cohort->cases);
}

/* Writes the number of cases without results; nothing where all have results. */
static void put_without(FILE *stream, const int count[3]) {
  static const char *const what[] = {"failed", "refused", "not computed yet"};
  int told = 0;
  for (int k = 0; k < 3; k++)
    if (count[k] > 0)
      fprintf(stream, "%s%d %s", told++ ? ", " : "Cases without results: ", count[k], what[k]);
  fputs(told ? ".\n" : "\n", stream);
}

/* Returns 1 where no key of these settings gives the flow into an inlet, so that the width of the
 * inlet gave it. */
static int flow_is_assumed(const ht_case *settings) {
  int inlets = 0, without = 0;
  if (ht_case_heart(settings).output_l_min > 0 || settings->inlet_flow_ml_s > 0 ||
      settings->inlet_reynolds > 0 || ht_case_waveform_is_file(settings) || settings->measured[0])
    return 0;
  for (int i = 0; i < settings->openings; i++) {
    if (settings->opening[i].role != HT_ROLE_INLET) continue;
    inlets++;
    without += settings->opening[i].flow_ml_s <= 0;
  }
  return inlets == 0 || without > 0;
}

static void put_inflow(FILE *stream, const ht_cohort_table *table, const all_settings *all) {
  int results = 0, pulses = 0, assumed = 0, measured = 0;
  for (int i = 0; i < table->cohort->cases; i++) {
    results += table->summary[i].rows > 1;
    pulses += atof(ht_cohort_value(table, i, "flow.period_s")) > 0;
    measured += *ht_cohort_value(table, i, "measured_flow.source") != 0;
  }
  for (int i = 0; i < all->count; i++) assumed += flow_is_assumed(&all->item[i]);
  if (pulses > 0) {
    fprintf(stream, "The inflow was pulsatile in %d case%s", pulses, pulses == 1 ? "" : "s");
    put_range(stream, table, "flow.period_s", " (period ", " s)");
    put_range(stream, table, "flow.cycles", "; ", " beats were computed");
    fputs(". ", stream);
  }
  const int steady = results - pulses;
  if (steady > 0)
    fprintf(stream, "The inflow was steady in %d case%s. ", steady, steady == 1 ? "" : "s");
  if (measured > 0) {
    fprintf(stream,
            "In %d case%s the inflow, its course and the beat were measured by phase-contrast MR, "
            "corrected for noise, aliasing and phase offset where needed",
            measured, measured == 1 ? "" : "s");
    put_range(stream, table, "measured_flow.voxels_across", " (", " voxels across the vessel)");
    fputs(". ", stream);
  }
  if (assumed > 0)
    fprintf(stream,
            "In %d case%s the flow into an inlet was not measured: it was derived from the "
            "vessel's area, by the usual flow of internal carotid and vertebral arteries (Cebral "
            "et al., Physiol. Meas. 29 (2008) 585). ",
            assumed, assumed == 1 ? "" : "s");
  put_range(stream, table, "flow.reynolds", "The Reynolds number of the inlet was ", ". ");
}

/* Writes the fluid model that ran: a chosen collision may use another one than the case
 * requests. */
static void put_models(FILE *stream, const ht_cohort_table *table) {
  int cumulants = 0;
  for (int i = 0; i < table->cohort->cases; i++)
    cumulants += strcmp(ht_cohort_value(table, i, "flow.collision"), "cumulant") == 0;
  fputs("The lattice-Boltzmann method on cubic tiles of 4x4x4 nodes solved the Navier-Stokes "
        "equations; collision operator: ",
        stream);
  put_words(stream, table, "flow.collision");
  fputs("; fluid model: ", stream);
  put_words(stream, table, "flow.fluid");
  if (cumulants > 0)
    fputs(" (the cumulant operator is quasi-compressible, whatever `flow.fluid` says)", stream);
  fputs("; number format: ", stream);
  put_words(stream, table, "flow.precision");
  put_range(stream, table, "flow.spacing_mm", ". The lattice spacing was ", " mm");
  put_range(stream, table, "flow.fluid_nodes", " (", " fluid nodes)");
  fputs(". ", stream);
}

/* Writes the paragraph. Cases that did not become steady have numbers, and are counted in it. */
static void put_paragraph(FILE *stream, const ht_cohort_table *table, const all_settings *all) {
  const int cases = table->cohort->cases;
  int results = 0, unsteady = 0;
  for (int i = 0; i < cases; i++) {
    results += table->summary[i].rows > 1;
    unsteady += table->record[i].state == HT_CASE_FAILED && table->summary[i].rows > 1;
  }
  put_versions(stream, table, results);
  if (unsteady > 0)
    fprintf(stream, "; in %d of them it did not become steady or periodic", unsteady);
  fputs(". ", stream);
  put_models(stream, table);
  put_inflow(stream, table, all);
  const int without[] = {count_state(table, HT_CASE_FAILED) - unsteady,
                         count_state(table, HT_CASE_REFUSED),
                         count_state(table, HT_CASE_WAITING) + count_state(table, HT_CASE_RUNNING)};
  put_without(stream, without);
}

ht_status ht_methods_write(const char *path, const ht_cohort_table *table) {
  ht_output output;
  all_settings all = {0};
  ht_status status = read_all(table, &all);
  if (status == HT_OK) status = ht_output_open(path, &output);
  if (status == HT_OK) {
    if (all.count > 0)
      put_paragraph(output.stream, table, &all);
    else
      fputs("No case has results yet.\n", output.stream);
    fputs("\nThe settings are those prescribed (`hemotile help case` explains them). What "
          "`auto` became, and the models that ran, are in cohort.csv.\n"
          "\nSettings that differ between the cases:\n",
          output.stream);
    put_settings(output.stream, &all, 0);
    fputs("\nSettings that all cases share:\n", output.stream);
    put_settings(output.stream, &all, 1);
    status = ht_output_commit(&output);
  }
  free(all.item);
  return status;
}

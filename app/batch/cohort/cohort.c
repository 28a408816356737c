#define _GNU_SOURCE /* realpath, strdup */
#include "app/batch/cohort/cohort.h"
#include "run/process/console.h"
#include "run/folder/folder.h"
#include "core/disk/folder_walk.h"
#include "run/record/identity.h"
#include "run/case/override.h"
#include "core/vessel/volume.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Mistakes of the input, as the lines of one message. */
typedef struct {
  int count, shown;
  ht_status code;
  char text[3500];
} mistakes;

/* Keeps the message of the last failure, so that the reading continues. */
static ht_status keep(mistakes *to, ht_status status) {
  if (status == HT_OK || status == HT_ERR_MEMORY) return status;
  const size_t length = strlen(to->text);
  if (to->count++ == 0) to->code = status;
  if (length + strlen(ht_error_message()) + 8 < sizeof to->text) {
    snprintf(to->text + length, sizeof to->text - length, "%s%s", length ? "\n  " : "",
             ht_error_message());
    to->shown++;
  }
  return HT_OK;
}

static ht_status tell_mistakes(const mistakes *of, const char *input) {
  char more[48] = "";
  if (of->count == 0) return HT_OK;
  if (of->count == 1 && of->shown == 1) return ht_fail(of->code, "%s", of->text);
  if (of->shown < of->count) snprintf(more, sizeof more, "\n  and %d more", of->count - of->shown);
  return ht_fail(of->code, "%s: %d mistakes; no case was run\n  %s%s", input, of->count, of->text,
                 more);
}

/* Returns 1 for a path; one in a cell is relative to the table. */
static int is_path(const char *name) {
  static const char *const names[] = {"scan",          "mask",          "openings",
                                      "vessel.points", "sac.neck_file", "flow.measured"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return 1;
  return 0;
}

/* Returns 1 for a waveform's file, whose key may hold a word instead. */
static int is_waveform(const char *name, const char *folder, const char *text) {
  char path[HT_PATH_MAX];
  if (strcmp(name, "flow.waveform") != 0) return 0;
  if (text[0] == '/' || ht_path_join(path, folder, text) != HT_OK) return 0;
  return ht_file_exists(path);
}

static ht_status absolute(const char *path, char out[HT_PATH_MAX]) {
  char *real = realpath(path, NULL);
  if (!real) return ht_fail(HT_ERR_NOT_FOUND, "%s: there is no such file or folder", path);
  snprintf(out, HT_PATH_MAX, "%s", real);
  free(real);
  return HT_OK;
}

static ht_status add_set(ht_cohort_case *to, const char *name, const char *value) {
  char *text;
  if (to->sets == HT_CASE_SETS_MAX)
    return ht_fail(HT_ERR_CASE,
                   "case '%s': more than %d settings in the table: put those of all "
                   "cases into --base",
                   to->id, HT_CASE_SETS_MAX);
  if (asprintf(&text, "%s=%s", name, value) < 0)
    return ht_fail(HT_ERR_MEMORY, "not enough memory for the cases");
  to->set[to->sets++] = text;
  return HT_OK;
}

static ht_status check_id(const char *id, const char *where) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  size_t length = strlen(id);
  if (length > 0 && length < HT_CASE_ID_MAX && strspn(id, allowed) == length && id[0] != '.' &&
      id[0] != '-')
    return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "%s: '%.80s' cannot name a case's folder: give 1 to %d letters, digits, '.', '_' "
                 "or '-', not beginning with '.' or '-'",
                 where, id, HT_CASE_ID_MAX - 1);
}

/* ---- what a case's settings are, together ---- */

/* Returns the base file; "": none. */
static const char *base_of(const ht_cohort *cohort, const ht_cohort_case *one) {
  return one->base ? one->base : cohort->base;
}

static void name_of(const char *set, char name[128]) {
  snprintf(name, 128, "%.*s", (int)strcspn(set, "="), set);
}

static ht_status refuse_rivals(const ht_cohort_case *one, const char *where) {
  char name[128], other[128];
  for (int i = 0; i < one->sets; i++)
    for (int j = 0; j < i; j++) {
      name_of(one->set[j], name);
      name_of(one->set[i], other);
      HT_TRY(ht_case_refuse_rivals(name, other, where, HT_ERR_CASE));
    }
  return HT_OK;
}

/* Applies the settings. `before`: the mistakes before this row. In a row with a mistake, a check of
 * its values together would mean nothing. */
static ht_status apply(const ht_cohort *cohort, const ht_cohort_case *one, const char *where,
                       ht_case *settings, int before, mistakes *wrong) {
  ht_case_defaults(settings);
  if (*base_of(cohort, one)) HT_TRY(keep(wrong, ht_case_read(base_of(cohort, one), settings)));
  HT_TRY(keep(wrong, refuse_rivals(one, where)));
  for (int i = 0; i < one->sets; i++) {
    char name[128], place[HT_PATH_MAX + 160];
    const char *value = strchr(one->set[i], '=');
    name_of(one->set[i], name);
    snprintf(place, sizeof place, "%s, column %s", where, name);
    HT_TRY(keep(wrong, ht_case_override(settings, name, value + 1, place, HT_ERR_CASE)));
  }
  if (wrong->count > before) return HT_OK;
  ht_status status = ht_case_check(settings);
  if (status == HT_OK) status = ht_case_read_waveform(settings);
  if (status != HT_OK && status != HT_ERR_MEMORY)
    status = ht_fail(HT_ERR_CASE, "%s: case '%s': %s", where, one->id, ht_error_message());
  return keep(wrong, status);
}

static ht_status check_case(const ht_cohort *cohort, ht_cohort_case *one, const char *where,
                            int before, mistakes *wrong) {
  ht_case *settings;
  HT_TRY(ht_alloc((void **)&settings, 1, sizeof *settings, "the settings"));
  ht_status status = apply(cohort, one, where, settings, before, wrong);
  if (status == HT_OK) one->input = strdup(settings->mask[0] ? settings->mask : settings->scan);
  one->colours[HT_COLOURS_SPEED] = settings->speed_high_m_s;
  one->colours[HT_COLOURS_WSS] = settings->wss_high_pa;
  if (status == HT_OK) status = ht_case_hash(settings, HT_HASH_RUN, one->hash);
  free(settings);
  return status;
}

static int compare_ids(const void *a, const void *b) {
  return strcmp((*(const ht_cohort_case *const *)a)->id, (*(const ht_cohort_case *const *)b)->id);
}

static ht_status twins(const ht_cohort_case *one, const ht_cohort_case *other, const char *input) {
  if (one->line == 0)
    return ht_fail(HT_ERR_CASE,
                   "%s: the names of two scans give both the id '%s': rename one, or write a table",
                   input, one->id);
  return ht_fail(HT_ERR_CASE,
                 "%s: two cases are '%s' (lines %d and %d): each needs an id of its own", input,
                 one->id, one->line, other->line);
}

static ht_status check_twins(const ht_cohort *cohort, const char *input, mistakes *wrong) {
  const ht_cohort_case **sorted;
  HT_TRY(ht_alloc((void **)&sorted, (size_t)cohort->cases, sizeof *sorted, "the cases"));
  for (int i = 0; i < cohort->cases; i++) sorted[i] = &cohort->item[i];
  qsort(sorted, (size_t)cohort->cases, sizeof *sorted, compare_ids);
  ht_status status = HT_OK;
  for (int i = 1; i < cohort->cases && status == HT_OK; i++)
    if (sorted[i]->id[0] && strcmp(sorted[i]->id, sorted[i - 1]->id) == 0)
      status = keep(wrong, twins(sorted[i - 1], sorted[i], input));
  free(sorted);
  return status;
}

/* ---- a table ---- */

/* Changes "1,5" to 1.5, in tables that are not separated by commas. */
static void to_point(const ht_csv *table, char *text) {
  char *comma = strchr(text, ',');
  if (table->separator == ',' || !comma || strchr(comma + 1, ',')) return;
  if (strspn(text, "+-0123456789,eE") == strlen(text)) *comma = '.';
}

/* Composes the path of a cell, from the table's folder. */
static ht_status path_of(const char *folder, const char *name, const char *text, const char *where,
                         char value[HT_PATH_MAX]) {
  char path[HT_PATH_MAX];
  if (text[0] == '/')
    snprintf(path, sizeof path, "%s", text);
  else
    HT_TRY(ht_path_join(path, folder, text));
  if (absolute(path, value) == HT_OK) return HT_OK;
  return ht_fail(HT_ERR_CASE, "%s, column %s: there is no '%s'%s", where, name, path,
                 strchr(text, '\\') ? ": write / in place of \\"
                 : text[0] == '['   ? ": a surface of several files goes into a case file, for the "
                                      "column 'case'"
                                    : "");
}

static ht_status take_case(const char *folder, const char *text, const char *where,
                           ht_cohort_case *to) {
  char path[HT_PATH_MAX];
  HT_TRY(path_of(folder, "case", text, where, path));
  to->base = strdup(path);
  return to->base ? HT_OK : ht_fail(HT_ERR_MEMORY, "not enough memory for the cases");
}

static ht_status take_cell(const char *folder, const ht_csv *table, int column, const char *text,
                           const char *where, ht_cohort_case *to) {
  const char *name = ht_csv_cell(table, 0, column);
  char value[HT_PATH_MAX];
  snprintf(value, sizeof value, "%s", text);
  if (is_path(name) || is_waveform(name, folder, text))
    HT_TRY(path_of(folder, name, text, where, value));
  else
    to_point(table, value);
  return add_set(to, name, value);
}

static ht_status take_row(ht_cohort *cohort, const char *input, const char *folder, int id, int row,
                          mistakes *wrong) {
  const ht_csv *table = &cohort->table;
  ht_cohort_case *to = &cohort->item[cohort->cases++];
  char where[HT_PATH_MAX + 32];
  const int before = wrong->count;
  int named = 0;
  to->line = table->line[row];
  snprintf(where, sizeof where, "%s:%d", input, to->line);
  const int own = ht_csv_column(table, "case");
  HT_TRY(keep(wrong, check_id(ht_csv_cell(table, row, id), where)));
  if (own >= 0 && *ht_csv_cell(table, row, own))
    HT_TRY(keep(wrong, take_case(folder, ht_csv_cell(table, row, own), where, to)));
  if (wrong->count == before) snprintf(to->id, sizeof to->id, "%s", ht_csv_cell(table, row, id));
  for (int c = 0; c < table->columns; c++) {
    const char *text = ht_csv_cell(table, row, c), *name = ht_csv_cell(table, 0, c);
    if (c == id || !*text || !ht_case_has_key(name)) continue;
    named |= strcmp(name, "name") == 0;
    HT_TRY(keep(wrong, take_cell(folder, table, c, text, where, to)));
  }
  if (!named && to->id[0]) HT_TRY(keep(wrong, add_set(to, "name", to->id)));
  return check_case(cohort, to, where, before, wrong);
}

/* Changes a capital at the beginning of a spreadsheet's cell: "Scan" is scan. */
static void to_small(char *name) {
  char small[128];
  size_t length = 0;
  for (; name[length] && length + 1 < sizeof small; length++)
    small[length] = (char)tolower((unsigned char)name[length]);
  small[length] = 0;
  if (ht_case_has_key(name) || !ht_case_has_key(small)) return;
  if (is_path(small) || strchr(small, '.')) memcpy(name, small, length);
}

/* Refuses a column that is a setting but for its section: it would be passed on, and the cases
 * computed without it. */
static ht_status check_covariate(const char *name, const char *where) {
  int certain;
  const ht_key *key = ht_case_key_meant(name, &certain);
  if (key && !certain)
    ht_console_warn("%s: the column '%s' is passed on to the results and changes no case; the "
                    "setting is %s.%s",
                    where, name, key->section, key->key);
  if (!key || !certain) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "%s: the column '%s' is no setting; did you mean '%s.%s'? A column that is only "
                 "passed on to the results needs another name",
                 where, name, key->section, key->key);
}

/* Refuses two columns of one name: the later would win silently. */
static ht_status check_column_twice(const ht_csv *table, int column, int id, const char *where) {
  const char *name = ht_csv_cell(table, 0, column);
  for (int c = 0; c < column; c++) {
    const char *other = ht_csv_cell(table, 0, c);
    if (c == id || strcasecmp(name, "case") == 0 ? strcasecmp(other, name) != 0
                                                 : strcmp(other, name) != 0)
      continue;
    return ht_fail(HT_ERR_CASE,
                   "%s: the column '%s' is there twice (columns %d and %d): remove one of them, or "
                   "give it another name",
                   where, name, c + 1, column + 1);
  }
  return HT_OK;
}

/* Sorts the columns. A name with a point that is no key is a mistake, not a covariate. */
static ht_status sort_columns(ht_cohort *cohort, const char *input, int id, mistakes *wrong) {
  const ht_csv *table = &cohort->table;
  HT_TRY(ht_alloc((void **)&cohort->covariate, (size_t)table->columns, sizeof(int), "the columns"));
  for (int c = 0; c < table->columns; c++) {
    const char *name = ht_csv_cell(table, 0, c);
    char where[HT_PATH_MAX + 32];
    snprintf(where, sizeof where, "%s:%d", input, table->line[0]);
    if (c != id) to_small(table->cell[c]);
    if (*name) HT_TRY(keep(wrong, check_column_twice(table, c, id, where)));
    if (c == id || ht_case_has_key(name) || c == ht_csv_column(table, "case")) continue;
    if (!*name)
      HT_TRY(keep(wrong, ht_fail(HT_ERR_CASE, "%s: column %d has no name", where, c + 1)));
    else if (strchr(name, '.'))
      HT_TRY(keep(wrong, ht_case_override(NULL, name, "", where, HT_ERR_CASE)));
    else {
      HT_TRY(keep(wrong, check_covariate(name, where)));
      cohort->covariate[cohort->covariates++] = c;
    }
  }
  return HT_OK;
}

static void folder_of(const char *path, char folder[HT_PATH_MAX]) {
  const char *name = ht_path_name(path);
  snprintf(folder, HT_PATH_MAX, "%.*s", (int)(name - path), path);
  if (name == path) snprintf(folder, HT_PATH_MAX, ".");
}

static ht_status read_table(const char *input, ht_cohort *cohort, mistakes *wrong) {
  char folder[HT_PATH_MAX];
  if (ht_path_ends(input, ".yaml") || ht_path_ends(input, ".yml"))
    return ht_fail(
        HT_ERR_USAGE,
        "%s: a case file is for `hemotile run`; a batch takes a table or a folder, and a "
        "case file for all its cases with --base",
        input);
  HT_TRY(ht_csv_read(input, &cohort->table));
  const int id = ht_csv_column(&cohort->table, "id");
  if (id < 0)
    return ht_fail(HT_ERR_CASE,
                   "%s:%d: there is no column 'id': each case needs a name for its folder", input,
                   cohort->table.line[0]);
  if (cohort->table.rows < 2) return ht_fail(HT_ERR_CASE, "%s: the table has no cases", input);
  HT_TRY(sort_columns(cohort, input, id, wrong));
  folder_of(input, folder);
  HT_TRY(ht_alloc((void **)&cohort->item, (size_t)cohort->table.rows, sizeof *cohort->item,
                  "the cases"));
  for (int row = 1; row < cohort->table.rows; row++)
    HT_TRY(take_row(cohort, input, folder, id, row, wrong));
  return HT_OK;
}

/* ---- a folder ---- */

typedef struct {
  char **name;
  int names;
  const char *folder;
} listing;

static int is_scan(const char *path) {
  static const char *const endings[] = {".nii", ".nii.gz", ".mha", ".mhd", ".nrrd", ".nhdr",
                                        ".stl", ".vtp",    ".zip", ".dcm", ".obj",  ".ply"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (ht_path_ends(path, endings[i])) return 1;
  return ht_folder_exists(path);
}

/* Returns 1 for the results, which may be next to the scans: they are no case. */
static int holds_results(const char *path) {
  char state[HT_PATH_MAX];
  if (!ht_folder_exists(path)) return 0;
  if (ht_folder_is_case(path)) return 1;
  return ht_path_join(state, path, HT_FILE_BATCH) == HT_OK && ht_file_exists(state);
}

static int list_one(void *user, const char *name) {
  listing *to = user;
  char path[HT_PATH_MAX];
  if (name[0] == '.' || ht_path_join(path, to->folder, name) != HT_OK) return 0;
  if (!is_scan(path) || holds_results(path)) return 0;
  char **more = realloc(to->name, (size_t)(to->names + 1) * sizeof *more);
  if (!more) return 1;
  to->name = more;
  to->name[to->names] = strdup(name);
  return to->name[to->names++] ? 0 : 1;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Makes an id: "left_ICA" from "left ICA.nii.gz". */
static void make_id(const char *name, char id[HT_CASE_ID_MAX]) {
  size_t length = 0;
  const char *end = strchr(name + 1, '.');
  for (; *name && name != end && length + 1 < HT_CASE_ID_MAX; name++)
    if (((unsigned char)*name & 0xc0) != 0x80) /* a letter of several bytes is one _ */
      id[length++] = isalnum((unsigned char)*name) || *name == '-' ? *name : '_';
  id[length] = 0;
  if (id[0] == '-') id[0] = '_';
}

/* Makes a neutral id, "folder-0123456789ab" or "file-0123456789ab", because the path may hold a
 * patient's name. */
static ht_status make_neutral_id(const char *path, char id[HT_CASE_ID_MAX]) {
  char label[HT_LABEL_MAX];
  HT_TRY(ht_identity_label(path, label));
  snprintf(id, HT_CASE_ID_MAX, "%.*s", (int)strcspn(label, "."), label);
  return HT_OK;
}

static ht_status take_names(const listing *of, const char *input, ht_cohort *cohort,
                            mistakes *wrong) {
  HT_TRY(ht_alloc((void **)&cohort->item, (size_t)of->names, sizeof *cohort->item, "the cases"));
  for (int i = 0; i < of->names; i++) {
    char path[HT_PATH_MAX], real[HT_PATH_MAX];
    ht_cohort_case *to = &cohort->item[cohort->cases++];
    HT_TRY(ht_path_join(path, input, of->name[i]));
    HT_TRY(absolute(path, real));
    if (cohort->keep_identity)
      make_id(of->name[i], to->id);
    else
      HT_TRY(make_neutral_id(real, to->id));
    HT_TRY(add_set(to, "scan", real));
    HT_TRY(add_set(to, "name", to->id));
    HT_TRY(check_case(cohort, to, input, wrong->count, wrong));
  }
  return HT_OK;
}

static ht_status read_folder(const char *input, ht_cohort *cohort, mistakes *wrong) {
  listing of = {.folder = input};
  ht_status status = HT_OK;
  if (ht_folder_walk(input, list_one, &of) != 0)
    status = ht_fail(HT_ERR_NOT_FOUND, "%s: the folder cannot be read", input);
  else if (of.names == 0)
    status =
        ht_fail(HT_ERR_NOT_FOUND,
                "%s: there are no scans in this folder: each image (.nii, .nii.gz, .mha, .nrrd), "
                "surface (.stl, .vtp, .obj, .ply), .zip, and each folder of DICOM slices is a "
                "case",
                input);
  if (of.names > 0) qsort(of.name, (size_t)of.names, sizeof *of.name, compare_names);
  if (status == HT_OK) status = take_names(&of, input, cohort, wrong);
  for (int i = 0; i < of.names; i++) free(of.name[i]);
  free(of.name);
  return status;
}

/* Checks the base file alone: else its mistake would be that of every row. */
static ht_status check_base(const char *base, ht_cohort *cohort) {
  ht_case *settings;
  HT_TRY(ht_alloc((void **)&settings, 1, sizeof *settings, "the settings"));
  ht_case_defaults(settings);
  const ht_status status = ht_case_read(base, settings);
  cohort->follow_umask = settings->follow_umask;
  cohort->keep_identity = settings->keep_identity;
  free(settings);
  return status;
}

ht_status ht_cohort_read(const char *input, const char *base, ht_cohort *cohort) {
  mistakes wrong = {0};
  ht_status status;
  *cohort = (ht_cohort){0};
  if (base) HT_TRY_DONE(absolute(base, cohort->base));
  if (base) HT_TRY_DONE(check_base(cohort->base, cohort));
  status = ht_folder_exists(input) ? read_folder(input, cohort, &wrong)
                                   : read_table(input, cohort, &wrong);
  if (status == HT_OK && cohort->cases > 0) status = check_twins(cohort, input, &wrong);
  if (status == HT_OK) status = tell_mistakes(&wrong, input);
done:
  if (status != HT_OK) ht_cohort_free(cohort);
  return status;
}

static void cohort_case_free(ht_cohort_case *one) {
  free(one->base);
  free(one->input);
  for (int s = 0; s < one->sets; s++) free(one->set[s]);
}

void ht_cohort_free(ht_cohort *cohort) {
  if (!cohort) return;
  for (int i = 0; i < cohort->cases; i++) cohort_case_free(&cohort->item[i]);
  free(cohort->item);
  free(cohort->covariate);
  ht_csv_free(&cohort->table);
  *cohort = (ht_cohort){0};
}

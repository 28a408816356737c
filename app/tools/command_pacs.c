/* hemotile pacs find|get|send: a hospital's archive (app/pacs/). */
#include "core/machine/clock.h"
#include "app/common/command.h"
#include "run/process/console.h"
#include "run/folder/folder.h"
#include "run/process/interrupt.h"
#include "run/case/override.h"
#include "app/pacs/pacs.h"
#include "core/text/shell_word.h"
#include "core/text/suggest.h"
#include "core/vessel/volume.h"
#include "app/pacs/watch.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Options that a subcommand takes, in addition to those of the connection. */
enum { QUERY = 1 << 0, SERIES = 1 << 1, OUTPUT = 1 << 2, OPERAND = 1 << 3, PEER = 1 << 4 };

typedef struct {
  const char *operand;
  unsigned takes;
  const char *file, *host, *called, *calling, *ca, *certificate, *key;
  int port, help, quiet;
  const char *patient_id, *date, *modality, *description, *study, *series, *output;
} request;

static ht_status take_operand(void *target, const char *typed) {
  request *r = target;
  if (!(r->takes & OPERAND)) return ht_fail(HT_ERR_USAGE, "this command takes no '%s'", typed);
  if (r->operand) return ht_fail(HT_ERR_USAGE, "give one folder, not '%s' too", typed);
  r->operand = typed;
  return HT_OK;
}

#define TEXT(field) .type = HT_OPTION_TEXT, .offset = offsetof(request, field)
#define FLAG(field) .type = HT_OPTION_FLAG, .offset = offsetof(request, field)

static const ht_option options[] = {
    {"--patient-id", .value = "ID", TEXT(patient_id), .group = QUERY,
     .help = "number of the patient (* and ? stand for any characters)"},
    {"--date", .value = "YYYYMMDD[-YYYYMMDD]", TEXT(date), .group = QUERY,
     .help = "day of the study, or first and last day"},
    {"--modality", .value = "NAME", TEXT(modality), .group = QUERY, .help = "CT, MR, XA, ..."},
    {"--description", .value = "TEXT", TEXT(description), .group = QUERY,
     .help = "part of the study's (with --study: series') description"},
    {"--study", .value = "UID", TEXT(study), .group = QUERY | SERIES,
     .help = "the study, by its UID; find: lists its series"},
    {"--series", .value = "UID", TEXT(series), .group = SERIES,
     .help = "only this series of it (default: all)"},
    {"--output", "-o", .value = "DIR", TEXT(output), .group = OUTPUT,
     .help = "new folder for the files"},
    {"--pacs", .value = "FILE", TEXT(file),
     .help = "settings of the archive (YAML, docs/pacs.md); the options below override them"},
    {"--host", .value = "NAME", TEXT(host), .group = PEER, .help = "the archive's name or address"},
    {"--port", .value = "N", .type = HT_OPTION_INTEGER, .offset = offsetof(request, port),
     .range = HT_RANGE(1, 65535), .group = PEER, .help = "its port (default 104)"},
    {"--called-ae", .value = "TITLE", TEXT(called), .group = PEER,
     .help = "its AE title (default ANY-SCP)"},
    {"--calling-ae", .value = "TITLE", TEXT(calling), .group = PEER,
     .help = "ours (default HEMOTILE)"},
    {"--tls-ca", .value = "FILE", TEXT(ca), .group = PEER,
     .help = "use TLS; the archive's certificate or its authority's (PEM)"},
    {"--tls-certificate", .value = "FILE", TEXT(certificate), .group = PEER,
     .help = "our certificate (PEM)"},
    {"--tls-key", .value = "FILE", TEXT(key), .group = PEER, .help = "its key, without a password"},
    {"--quiet", "-q", FLAG(quiet), .help = "only errors and the result"},
    {"--help", "-h", FLAG(help), .help = "this text"},
    {0}};

static const ht_option_table find_table = {
    .command = "pacs find", .options = options, .groups = QUERY | PEER, .operand = take_operand};
static const ht_option_table get_table = {.command = "pacs get",
                                          .options = options,
                                          .groups = SERIES | OUTPUT | PEER,
                                          .operand = take_operand};
static const ht_option_table watch_table = {
    .command = "pacs watch", .options = options, .operand = take_operand};
static const ht_option_table send_table = {
    .command = "pacs send", .options = options, .groups = OPERAND | PEER, .operand = take_operand};

void ht_page_pacs_find(ht_command_page *page) {
  *page = (ht_command_page){
      .name = "pacs find",
      .summary = "find studies in a hospital's archive",
      .text = "Asks the archive (C-FIND) for studies, or with --study for the series of one, and\n"
              "prints them as a table. Patients' names and numbers are shown, and kept nowhere.",
      .example = "  hemotile pacs find --pacs pacs.yaml --patient-id 4711 --modality CT\n"
                 "  hemotile pacs find --host pacs --port 104 --called-ae ARCHIVE --date 20260101-",
      .table = find_table};
}

void ht_page_pacs_get(ht_command_page *page) {
  *page = (ht_command_page){
      .name = "pacs get",
      .summary = "get a study or series from the archive into a folder",
      .text =
          "Fetches the objects (C-GET) into the new folder DIR, as the archive has them: with the\n"
          "patient's name. Only you may read the folder. It gets its name when all objects have\n"
          "come, of that study and of one patient. Then: `hemotile run DIR`, which keeps no\n"
          "patient's name.",
      .example =
          "  hemotile pacs get --pacs pacs.yaml --study 1.2.840.1 --series 1.2.840.1.2 -o scan",
      .table = get_table};
}

void ht_page_pacs_send(ht_command_page *page) {
  *page = (ht_command_page){
      .name = "pacs send",
      .operand = "DIR",
      .summary = "send a case's DICOM files to the archive",
      .text = "Sends (C-STORE) DIR/dicom of a case folder, which `hemotile export DIR --dicom` "
              "writes,\n"
              "or the files of any folder of DICOM files. Each file's answer is checked: the exit\n"
              "code is 23 where the archive did not store one.",
      .example = "  hemotile pacs send result --pacs pacs.yaml",
      .table = send_table};
}

void ht_page_pacs_watch(ht_command_page *page) {
  *page = (ht_command_page){
      .name = "pacs watch",
      .summary = "compute studies that are sent to this machine, by rules",
      .text =
          "Listens for studies (C-STORE; only on this machine unless watch.address says\n"
          "otherwise, and only from the AE titles of watch.calling). A study to which nothing\n"
          "was added for watch.quiet_s seconds, and whose senders have ended as they should, is\n"
          "computed by the first rule that fits it, and the results go to the archive.\n"
          "docs/pacs.md explains FILE. Ends with Ctrl-C; the next watch resumes where this one\n"
          "stopped.",
      .example = "  hemotile pacs watch --pacs pacs.yaml",
      .table = watch_table};
}

/* ---- settings ---- */

static ht_status copy(char *to, size_t size, const char *text, const char *name) {
  if (!text) return HT_OK;
  if (snprintf(to, size, "%s", text) < (int)size) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "%s '%.40s...' is longer than %d characters", name, text,
                 (int)size - 1);
}

static ht_status settings_of(const request *r, ht_pacs_settings *settings) {
  ht_pacs_defaults(settings);
  if (r->file) HT_TRY(ht_pacs_read(r->file, settings));
  if (r->port) settings->port = r->port;
  if (r->ca || r->certificate || r->key) settings->tls = 1;
  HT_TRY(copy(settings->host, sizeof settings->host, r->host, "--host"));
  HT_TRY(copy(settings->called_ae, HT_AE_TEXT, r->called, "--called-ae"));
  HT_TRY(copy(settings->calling_ae, HT_AE_TEXT, r->calling, "--calling-ae"));
  HT_TRY(copy(settings->tls_ca, HT_PATH_MAX, r->ca, "--tls-ca"));
  HT_TRY(copy(settings->tls_certificate, HT_PATH_MAX, r->certificate, "--tls-certificate"));
  return copy(settings->tls_key, HT_PATH_MAX, r->key, "--tls-key");
}

/* ---- find ---- */

static ht_status check_date(const char *date) {
  size_t day = strspn(date, "0123456789"), more = strspn(date + day, "-");
  size_t last = strspn(date + day + more, "0123456789");
  int good = date[day + more + last] == 0 && more <= 1 && (day == 8 || (day == 0 && more)) &&
             (last == 8 || (last == 0 && (day == 8)));
  return good ? HT_OK
              : ht_fail(
                    HT_ERR_USAGE,
                    "--date is '%.40s': give YYYYMMDD, or YYYYMMDD-YYYYMMDD with one end or both",
                    date);
}

static void print_study(const ht_pacs_match *of) {
  printf("%-8s  %-12s  %-24s  %-8s  %6d  %6d  %-32s  %s\n", of->date, of->patient_id,
         of->patient_name, of->modality, of->series, of->images, of->description, of->study_uid);
}

static void print_series(const ht_pacs_match *of) {
  printf("%6d  %-8s  %6d  %-32s  %s\n", of->number, of->modality, of->images, of->description,
         of->series_uid);
}

static void print_matches(const request *r, const ht_pacs_match *matches, int count) {
  if (count == 0) puts("nothing found");
  if (count > 0 && r->study)
    printf("%6s  %-8s  %6s  %-32s  %s\n", "number", "modality", "images", "description",
           "series UID");
  if (count > 0 && !r->study)
    printf("%-8s  %-12s  %-24s  %-8s  %6s  %6s  %-32s  %s\n", "date", "patient ID", "name",
           "modality", "series", "images", "description", "study UID");
  for (int i = 0; i < count; i++)
    if (r->study)
      print_series(&matches[i]);
    else
      print_study(&matches[i]);
}

static ht_status find(const request *r, const ht_pacs_settings *settings) {
  ht_pacs_query query = {.patient_id = ""};
  ht_pacs_match *matches;
  int count, more;
  if (r->date) HT_TRY(check_date(r->date));
  if (r->study) HT_TRY(ht_pacs_check_uid(r->study, "--study"));
  HT_TRY(copy(query.patient_id, sizeof query.patient_id, r->patient_id, "--patient-id"));
  HT_TRY(copy(query.study_date, sizeof query.study_date, r->date, "--date"));
  HT_TRY(copy(query.modality, sizeof query.modality, r->modality, "--modality"));
  HT_TRY(copy(query.description, sizeof query.description, r->description, "--description"));
  HT_TRY(copy(query.study_uid, sizeof query.study_uid, r->study, "--study"));
  HT_TRY(ht_pacs_find(settings, &query, &matches, &count, &more));
  print_matches(r, matches, count);
  if (more)
    printf("these are the first %d answers, and there may be others: ask more narrowly, as with "
           "--date\n",
           count);
  free(matches);
  return HT_OK;
}

/* ---- get and send ---- */

static ht_status get(const request *r, const ht_pacs_settings *settings) {
  char typed[HT_SHELL_WORD_MAX(HT_PATH_MAX)];
  int objects;
  if (!r->study)
    return ht_fail(HT_ERR_USAGE, "which study? Give --study UID; `hemotile pacs find` lists them");
  if (!r->output) return ht_fail(HT_ERR_USAGE, "no folder for the files: give -o DIR");
  HT_TRY(ht_pacs_get(settings, r->study, r->series ? r->series : "", r->output, ht_interrupt_asked,
                     &objects));
  ht_shell_word(r->output, typed, sizeof typed);
  printf("%d objects are in %s, with the patient's name; `hemotile info %s` lists the series\n",
         objects, r->output, typed);
  return HT_OK;
}

static ht_status send(const request *r, const ht_pacs_settings *settings) {
  char path[HT_PATH_MAX], typed[HT_SHELL_WORD_MAX(HT_PATH_MAX)];
  ht_pacs_sent *sent;
  int count, stored = 0;
  if (!r->operand)
    return ht_fail(HT_ERR_USAGE, "`hemotile pacs send` needs a case folder, or a folder of DICOM "
                                 "files: `hemotile pacs send DIR`");
  HT_TRY(ht_path_join(path, r->operand, HT_FOLDER_DICOM));
  int is_case = ht_folder_exists(r->operand) && ht_folder_is_case(r->operand);
  ht_shell_word(r->operand, typed, sizeof typed);
  if (is_case && !ht_folder_exists(path))
    return ht_fail(HT_ERR_NOT_FOUND,
                   "%s: this case has no DICOM files: `hemotile export %s --dicom` writes them",
                   path, typed);
  ht_status status =
      ht_pacs_send(settings, is_case ? path : r->operand, ht_interrupt_asked, &sent, &count);
  for (int i = 0; i < count; i++) {
    stored += sent[i].stored;
    if (!r->quiet || !sent[i].stored) printf("%s: %s\n", sent[i].file, sent[i].what);
  }
  if (count > 0) printf("%d of %d objects are stored\n", stored, count);
  free(sent);
  return status;
}

/* ---- watch ---- */

/* Prints a line for a log: whole, at once. */
static void tell(const char *line) {
  char now[32];
  ht_time_utc(now);
  printf("%s %s\n", now, line);
  fflush(stdout);
}

/* Checks a rule for what each study would be refused for. The case's scan is the folder of all
 * studies. */
static ht_status check_rule(const char *file, const ht_pacs_watch *watch, int number,
                            ht_case *settings) {
  const ht_pacs_rule *rule = &watch->rule[number];
  char where[HT_PATH_MAX + 48];
  ht_case_defaults(settings);
  if (rule->preset[0]) {
    snprintf(where, sizeof where, "%s: rule %d", file, number + 1);
    return ht_case_override(settings, "segment.preset", rule->preset, where, HT_ERR_CASE);
  }
  if (!rule->case_file[0]) return HT_OK;
  (void)setenv("HEMOTILE_STUDY", watch->folder[0] ? watch->folder : ".", 1);
  HT_TRY(ht_case_read(rule->case_file, settings));
  return settings->scan[0] ? ht_case_check(settings) : HT_OK; /* else ht_watch tells what to do */
}

static ht_status check_rules(const char *file, const ht_pacs_watch *watch) {
  ht_case *settings;
  ht_status status = HT_OK;
  HT_TRY(ht_alloc((void **)&settings, 1, sizeof *settings, "the settings"));
  for (int n = 0; n < watch->rules && status == HT_OK; n++)
    status = check_rule(file, watch, n, settings);
  free(settings);
  return status;
}

static ht_status watch(const request *r, const ht_pacs_settings *settings) {
  if (!r->file) return ht_fail(HT_ERR_USAGE, "give --pacs FILE with the settings (docs/pacs.md)");
  HT_TRY(check_rules(r->file, &settings->watch));
  const ht_watcher watcher = {settings, r->file, ht_interrupt_asked, tell};
  return ht_watch(&watcher);
}

/* ---- the command ---- */

typedef struct {
  const char *name;
  const ht_option_table *table;
  void (*page)(ht_command_page *page);
  ht_status (*function)(const request *r, const ht_pacs_settings *settings);
} subcommand;

static const subcommand subcommands[] = {{"find", &find_table, ht_page_pacs_find, find},
                                         {"get", &get_table, ht_page_pacs_get, get},
                                         {"send", &send_table, ht_page_pacs_send, send},
                                         {"watch", &watch_table, ht_page_pacs_watch, watch}};
enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

static void print_help(void) {
  puts("hemotile pacs: find, get and send studies of a hospital's archive\n\nusage:");
  for (int i = 0; i < SUBCOMMANDS; i++) {
    ht_command_page page;
    subcommands[i].page(&page);
    printf("  hemotile pacs %-5s %s\n", subcommands[i].name, page.summary);
  }
  puts("\n  hemotile pacs NAME --help   options and an example");
}

static const subcommand *find_subcommand(const char *typed) {
  const char *best = NULL;
  int distance = 0;
  for (int i = 0; i < SUBCOMMANDS; i++) {
    if (strcmp(subcommands[i].name, typed) == 0) return &subcommands[i];
    ht_suggest(typed, subcommands[i].name, &best, &distance);
  }
  ht_fail(HT_ERR_USAGE, "there is no `hemotile pacs %s`%s%s%s; `hemotile pacs --help` lists all",
          typed, best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
  return NULL;
}

static ht_status run(const subcommand *one, int argc, char **argv) {
  request r = {.takes = one->table->groups};
  ht_pacs_settings *settings;
  HT_TRY(ht_options_parse(one->table, argc, argv, &r));
  if (r.help) {
    ht_command_page page;
    one->page(&page);
    ht_command_page_help(stdout, &page);
    return HT_OK;
  }
  HT_TRY(ht_alloc((void **)&settings, 1, sizeof *settings, "the settings"));
  ht_status status = settings_of(&r, settings);
  if (status == HT_OK) status = one->function(&r, settings);
  free(settings);
  return status;
}

int ht_command_pacs(int argc, char **argv) {
  if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    print_help();
    return argc < 2 ? HT_ERR_USAGE : 0;
  }
  ht_console_begin(1, "hemotile pacs");
  const subcommand *one = find_subcommand(argv[1]);
  ht_status status = one ? run(one, argc - 1, argv + 1) : HT_ERR_USAGE;
  ht_interrupt_done();
  fflush(stdout);
  if (status != HT_OK) ht_console_error();
  ht_console_end();
  return (int)status;
}

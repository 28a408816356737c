#include "app/stages/command_stage.h"
#include "core/machine/clock.h"
#include "run/mask/choose_vessel.h"
#include "run/process/console.h"
#include "import/import.h"
#include "run/process/interrupt.h"
#include "run/studies/first_look.h"
#include "run/studies/run_sensitivity.h"
#include "app/common/start_ranks.h"
#include "run/numbers/summary.h"
#include <stdlib.h>
#include <string.h>

/* Makes the settings of a scan. A surface or a DICOM segmentation needs no segmentation: it is a
 * mask. */
static ht_status settings_of_scan(const char *scan, ht_case *settings) {
  ht_case_defaults(settings);
  char *source = ht_import_is_vessel(scan) ? settings->mask : settings->scan;
  if (snprintf(source, HT_PATH_MAX, "%s", scan) >= HT_PATH_MAX)
    return ht_fail(HT_ERR_USAGE, "the path %.60s... is too long", scan);
  return HT_OK;
}

/* Turns a surface as the `scan:` of a case file into its mask: it can be nothing else. */
static void take_vessel(ht_case *settings) {
  if (!settings->scan[0] || settings->mask[0] || !ht_import_is_surface(settings->scan)) return;
  memcpy(settings->mask, settings->scan, sizeof settings->mask);
  settings->scan[0] = 0;
}

/* Warns of a case file in the folder, as `hemotile phantom` writes one: its user may expect that it
 * is used. */
static void warn_of_case(const char *input) {
  char path[HT_PATH_MAX];
  if (!ht_folder_exists(input) || ht_path_join(path, input, HT_FILE_CASE) != HT_OK ||
      !ht_file_exists(path))
    return;
  ht_console_warn("the folder has a " HT_FILE_CASE ", which is not followed, as a folder is taken "
                  "for a scan: `hemotile run FOLDER/" HT_FILE_CASE " -o DIR` follows it");
}

ht_status ht_command_settings(const char *input, ht_case **settings) {
  *settings = NULL;
  if (ht_folder_exists(input) && ht_folder_is_case(input)) return ht_run_open(input, settings);
  if (!ht_file_exists(input))
    return ht_fail(HT_ERR_NOT_FOUND, "%s: there is no such file or folder", input);
  HT_TRY(ht_input_check(input));
  HT_TRY(ht_alloc((void **)settings, 1, sizeof **settings, "the case"));
  warn_of_case(input);
  int is_case = ht_path_ends(input, ".yaml") || ht_path_ends(input, ".yml");
  ht_status status = is_case ? ht_case_read(input, *settings) : settings_of_scan(input, *settings);
  if (status == HT_OK) take_vessel(*settings);
  if (status == HT_OK) return HT_OK;
  free(*settings);
  *settings = NULL;
  return status;
}

/* Finds the output. Without -o: "NAME-hemotile" in the working folder; a case folder is its own
 * output. */
static ht_status output_of(const ht_arguments *arguments, char folder[HT_PATH_MAX]) {
  const char *input = arguments->operand;
  if (arguments->output || (ht_folder_exists(input) && ht_folder_is_case(input))) {
    const char *given = arguments->output ? arguments->output : input;
    if (snprintf(folder, HT_PATH_MAX, "%s", given) < HT_PATH_MAX) return HT_OK;
    return ht_fail(HT_ERR_USAGE, "the path %.60s... is too long", given);
  }
  size_t end = strlen(input);
  while (end > 1 && input[end - 1] == '/') end--;
  size_t start = end;
  while (start > 0 && input[start - 1] != '/') start--;
  char name[256];
  snprintf(name, sizeof name, "%.*s", (int)(end - start), input + start);
  if (name[0] == 0 || name[0] == '.' || name[0] == '/')
    return ht_fail(HT_ERR_USAGE, "no folder for the results: give -o DIR");
  if (!ht_folder_exists(input)) name[strcspn(name, ".")] = 0;
  snprintf(folder, HT_PATH_MAX, "%s-hemotile", name);
  return HT_OK;
}

static int fail_early(ht_status status) {
  ht_interrupt_done();
  ht_console_error();
  ht_console_end();
  return (int)status;
}

int ht_command_finish(ht_run *run, ht_status status) {
  if (!run) return fail_early(status);
  ht_interrupt_done();
  if (run->given.last == HT_STAGE_EXPORT && (status == HT_OK || status == HT_ERR_NOT_STEADY))
    ht_summary_print(stdout, run);
  else if (status == HT_OK && run->given.dry) {
    ht_plausible_print(stdout, &run->measured.plausible);
    printf("no flow was computed; `hemotile solve %s` and `hemotile export %s` go on\n",
           run->given.typed, run->given.typed);
  } else if (status == HT_OK)
    printf("%s: done; the case is in %s\n", ht_stage_name(run->given.last), run->given.folder);
  fflush(stdout);
  if (status != HT_OK) ht_console_error();
  ht_console_end();
  ht_run_free(run);
  return (int)status;
}

/* --first-look, by its words. */
enum { LOOK_IF_LONG = 1, LOOK_FIRST, LOOK_ONLY };

/* Refuses a run that computes no flow in a folder with one, which would be removed with its vessel.
 */
static ht_status check_dry(const char *folder, const char *option) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, folder, HT_FILE_FLOW));
  if (!ht_file_exists(path)) return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "%s has a flow already, and %s would remove it: give another folder with -o",
                 folder, option);
}

static int run_stages(const ht_arguments *arguments, ht_case *settings, const char *folder,
                      ht_stage first, ht_stage last) {
  ht_run *run;
  const int dry = arguments->dry_run, looks_only = arguments->first_look == LOOK_ONLY;
  if (dry || looks_only) last = HT_STAGE_TILE;
  ht_status status = ht_arguments_apply(arguments, settings);
  if (status == HT_OK && arguments->vessel > 0)
    status = ht_take_candidate(folder, arguments->vessel, settings);
  if (status == HT_OK && (dry || looks_only))
    status = check_dry(folder, dry ? "--dry-run" : "--first-look only");
  if (status != HT_OK) {
    free(settings);
    return fail_early(status);
  }
  status = ht_run_begin(settings, folder, first, last, arguments->force, &run);
  if (run) run->given.begun_s = ht_clock_program_s();
  if (run) run->given.restart = arguments->restart;
  if (run) run->given.no_pictures = arguments->no_pictures;
  if (run) run->given.parts = arguments->parts;
  if (run) run->given.dry = dry;
  if (status == HT_OK)
    status =
        ht_run_stages_with(run, arguments->first_look == LOOK_IF_LONG ? ht_run_first_look_if_long
                                : arguments->first_look == LOOK_FIRST ? ht_run_first_look_before
                                                                      : NULL);
  if (status == HT_OK && looks_only) status = ht_run_first_look(run);
  if (status == HT_OK && last == HT_STAGE_EXPORT) status = ht_run_sensitivity(run);
  return ht_command_finish(run, status);
}

/* Checks several files: they are the wall and the caps of a surface. */
ht_status ht_command_check_parts(const ht_arguments *arguments) {
  const char *first = arguments->operand;
  for (int i = 0; i < arguments->more; i++) {
    const char *more = arguments->more_operand[i];
    if (!ht_import_is_surface(first) || !ht_import_is_surface(more))
      return ht_fail(HT_ERR_USAGE,
                     "`hemotile %s` takes one %s, but '%s' and '%s' were given: several files only "
                     "where all are surfaces (the wall and its caps)",
                     arguments->usage->name, arguments->usage->operand, first, more);
    if (!ht_file_exists(more))
      return ht_fail(HT_ERR_NOT_FOUND, "%s: there is no such file or folder", more);
    HT_TRY(ht_input_check(more));
  }
  return HT_OK;
}

int ht_command_from_input(const ht_usage *usage, int argc, char **argv, ht_stage last) {
  ht_arguments arguments;
  ht_case *settings = NULL;
  char folder[HT_PATH_MAX];
  ht_status status = ht_arguments_parse(usage, argc, argv, &arguments);
  if (status == HT_OK && arguments.help) return 0;
  if (status == HT_OK) status = ht_start_ranks(arguments.ranks, arguments.gpus, argc, argv);
  ht_arguments_console(&arguments, argc, argv);
  if (status == HT_OK) status = ht_command_check_parts(&arguments);
  if (status == HT_OK) status = ht_command_settings(arguments.operand, &settings);
  for (int i = 0; i < arguments.more && status == HT_OK; i++)
    status = ht_case_add_mask(settings, arguments.more_operand[i]);
  if (status == HT_OK) status = output_of(&arguments, folder);
  if (status != HT_OK) {
    free(settings);
    return fail_early(status);
  }
  return run_stages(&arguments, settings, folder, HT_STAGE_IMPORT, last);
}

int ht_command_on_folder(const ht_usage *usage, int argc, char **argv, ht_stage stage) {
  ht_arguments arguments;
  ht_case *settings = NULL;
  ht_status status = ht_arguments_parse(usage, argc, argv, &arguments);
  if (status == HT_OK && arguments.help) return 0;
  if (status == HT_OK) status = ht_start_ranks(arguments.ranks, arguments.gpus, argc, argv);
  ht_arguments_console(&arguments, argc, argv);
  if (status == HT_OK) status = ht_run_open(arguments.operand, &settings);
  if (status != HT_OK) return fail_early(status);
  return run_stages(&arguments, settings, arguments.operand, stage, stage);
}

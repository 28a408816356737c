#include "app/stages/command_stage.h"
#include "core/machine/clock.h"
#include "run/checkpoint/run_repeat.h"
#include "run/studies/run_sensitivity.h"
#include <stdlib.h>
#include <string.h>

static const ht_usage usage = {
    "run",
    "CASE.yaml|SCAN|DIR",
    "from a scan to the flow and the load on the wall",
    "Runs every stage: import, segment, tile, solve, export. Takes a case file, a scan (with\n"
    "default settings), or a case folder (runs again from its own scan). The results are in DIR:\n"
    "pictures/, velocity.nii.gz, pressure.nii.gz, flow.vti, wall.vtp, summary.json. The files of\n"
    "each stage (mask.nii.gz, openings.json, ...) can be corrected, and the later stages run\n"
    "again one by one. Options override the case file. `hemotile help case` explains the case\n"
    "file.\n"
    "\n"
    "With --from-manifest the run that a manifest.json records is repeated, with its settings and\n"
    "on its device: the same version on the same machine gives the same bits, and\n"
    "differences are reported. The scan is given, too, and compared with the record by its "
    "SHA-256.\n"
    "\n"
    "With --dry-run it ends before the flow, and prints the time and memory that this takes:\n"
    "the vessel, its openings and the lattice are in DIR to look at.\n"
    "\n"
    "With --first-look auto a flow that takes more than a minute begins with a first look: the\n"
    "mean flow, steady, on a lattice of some 8 nodes across, within seconds, in DIR/first_look/.\n"
    "No number may be taken from it; the results are the same with and without it. With\n"
    "--first-look only it ends after that.",
    "  hemotile run case.yaml -o result\n"
    "  hemotile run angiography.nii.gz --flow 4 -o result\n"
    "  hemotile run angiography.nii.gz --from-manifest result/manifest.json -o again",
    HT_TAKES_OUTPUT | HT_TAKES_READING | HT_TAKES_VESSEL | HT_TAKES_INFLOW | HT_TAKES_SOLVER |
        HT_TAKES_FORCE | HT_TAKES_SENSITIVITY | HT_TAKES_DICOM | HT_TAKES_BEAT | HT_TAKES_SET |
        HT_TAKES_RESTART | HT_TAKES_UMASK | HT_TAKES_PARTS | HT_TAKES_RECORD | HT_TAKES_RANKS |
        HT_TAKES_DRY | HT_TAKES_LOOK | HT_TAKES_PICTURES,
};

void ht_page_run(ht_command_page *page) {
  *page = ht_arguments_page(&usage);
}

/* Checks the options that a repeated run may have: none that is meant to change the numbers. */
static ht_status check_options(const ht_arguments *arguments) {
  static const char *const allowed[] = {"series", "device", "threads", "follow_umask",
                                        "max_memory_gb"};
  const char *refused = arguments->openings                      ? "--openings"
                        : arguments->points                      ? "--points"
                        : arguments->from || arguments->to_count ? "--from and --to"
                        : arguments->vessel                      ? "--vessel"
                        : arguments->set_count                   ? "--set"
                        : arguments->ranks                       ? "--ranks"
                        : arguments->dry_run                     ? "--dry-run"
                        : arguments->first_look                  ? "--first-look"
                        : arguments->gpus                        ? "--gpus"
                                                                 : NULL;
  for (int g = 0; g < arguments->given && !refused; g++) {
    refused = arguments->given_option[g]->name;
    for (size_t a = 0; a < sizeof allowed / sizeof *allowed && refused; a++)
      if (strcmp(arguments->given_option[g]->key, allowed[a]) == 0) refused = NULL;
  }
  if (refused)
    return ht_fail(HT_ERR_USAGE,
                   "--from-manifest repeats a run as it was: leave %s out, or run `hemotile run "
                   "CASE.yaml` with other settings",
                   refused);
  return arguments->output ? HT_OK
                           : ht_fail(HT_ERR_USAGE, "no folder for the repeated run: give -o DIR");
}

/* Refuses to replace the record by that of its repetition. */
static ht_status check_folder(const ht_arguments *arguments) {
  char own[HT_PATH_MAX];
  ht_folder_of(arguments->record, own);
  if (!ht_same_file(own, arguments->output)) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "%s has the record that is repeated: give another folder with -o",
                 arguments->output);
}

static int repeat(const ht_arguments *arguments) {
  ht_manifest record = {0};
  ht_case *settings = NULL;
  ht_run *run = NULL;
  ht_status status = check_options(arguments);
  if (status == HT_OK) status = check_folder(arguments);
  if (status == HT_OK && arguments->operand) status = ht_command_check_parts(arguments);
  if (status == HT_OK)
    status = ht_repeat_open(arguments->record, arguments->operand, &record, &settings);
  for (int i = 0; i < arguments->more && status == HT_OK; i++)
    status = ht_case_add_mask(settings, arguments->more_operand[i]);
  if (status == HT_OK) status = ht_arguments_apply(arguments, settings);
  if (status != HT_OK) {
    free(settings);
    return ht_command_finish(NULL, status);
  }
  status = ht_run_begin(settings, arguments->output, HT_STAGE_IMPORT, HT_STAGE_EXPORT,
                        arguments->force, &run);
  if (run) run->given.begun_s = ht_clock_program_s();
  if (run) run->given.restart = arguments->restart;
  if (run) run->given.no_pictures = arguments->no_pictures;
  if (status == HT_OK) status = ht_repeat_begin(&run->given, &record);
  if (status == HT_OK) status = ht_run_stages(run);
  int has_flow = status == HT_OK || status == HT_ERR_NOT_STEADY;
  if (has_flow) {
    ht_status compared = ht_repeat_compare(&record, &run->manifest);
    if (compared != HT_OK) status = compared;
  }
  if (status == HT_OK) status = ht_run_sensitivity(run);
  return ht_command_finish(run, status);
}

int ht_command_run(int argc, char **argv) {
  ht_arguments arguments;
  ht_status status = ht_arguments_parse(&usage, argc, argv, &arguments);
  if (status == HT_OK && arguments.help) return 0;
  if (status != HT_OK || !arguments.record)
    return ht_command_from_input(&usage, argc, argv, HT_STAGE_EXPORT);
  ht_arguments_console(&arguments, argc, argv);
  return repeat(&arguments);
}

#include "app/common/arguments.h"
#include "app/batch/batch.h"
#include "app/batch/batch_tell.h"
#include "app/batch/cohort/batch_results.h"
#include "run/process/child.h"
#include "app/common/command.h"
#include "run/process/console.h"
#include "run/folder/folder.h"
#include "run/record/identity.h"
#include "run/process/interrupt.h"
#include <stdio.h>
#include <string.h>

static const ht_usage usage = {
    "batch",
    "COHORT.csv|FOLDER",
    "many cases, unattended, and one table of their results",
    "Runs every case of a table, or every scan of a folder, each in a process of its own and\n"
    "several at a time. A table has one row per case: `id`, `scan` (or `mask`), any setting of a\n"
    "case file as a column (flow.inlet_flow_ml_s), and columns of your own, which go to the "
    "results.\n"
    "Each case ends done, failed or refused with a reason; the same command resumes where it\n"
    "stopped. The results are in DIR: cohort.csv, cohort.html, methods.txt, cases/ID/,\n"
    "logs/ID.txt, and batch.csv, which says where each case stands.",
    "  hemotile batch cohort.csv --base case.yaml -o cohort\n"
    "  hemotile batch scans/ --dry-run -o cohort",
    HT_TAKES_OUTPUT | HT_TAKES_BATCH | HT_TAKES_FORCE | HT_TAKES_DRY | HT_TAKES_RESTART |
        HT_TAKES_UMASK,
};

/* Hides paths in batch.log, which is passed on with the tables. */
static void hide_paths(const ht_arguments *arguments) {
  ht_identity_guard_texts(0);
  ht_identity_hide_output(arguments->output);
  ht_identity_hide_input(arguments->operand);
  if (arguments->base) ht_identity_hide_input(arguments->base);
}

/* Opens the folder, which is new, empty, or holds a batch; its log is locked, so that a second
 * batch in it is refused. */
static ht_status open_folder(const char *folder) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, folder, HT_FILE_BATCH));
  if (ht_folder_exists(folder) && ht_folder_entries(folder) > 0 && !ht_file_exists(path))
    return ht_fail(
        HT_ERR_USAGE,
        "%s: this folder holds other files and no batch: choose an empty or new one with -o",
        folder);
  HT_TRY(ht_folder_make(folder));
  HT_TRY(ht_path_join(path, folder, "batch.log"));
  return ht_console_log(path);
}

static void tell_results(const char *folder) {
  printf("\n  open in a browser: %s/%s\n  numbers: %s/%s\n  Not for clinical decisions.\n", folder,
         HT_FILE_PAGE, folder, HT_FILE_COHORT);
}

/* Returns 1 where the options, or the case file of all cases, say so. */
static int follows_umask(const ht_arguments *arguments, const ht_cohort *cohort) {
  for (int g = 0; g < arguments->given; g++)
    if (strcmp(arguments->given_option[g]->name, "--follow-umask") == 0) return 1;
  return cohort->follow_umask;
}

static ht_status run(const ht_arguments *arguments) {
  char program[HT_PATH_MAX];
  ht_cohort cohort;
  if (!arguments->output)
    return ht_fail(HT_ERR_USAGE, "no folder for the cases' results: give -o DIR");
  if (arguments->sbatch && !arguments->executor)
    return ht_fail(HT_ERR_USAGE, "--sbatch needs --executor slurm");
  const char *const sbatch = arguments->sbatch ? arguments->sbatch : "";
  HT_TRY(ht_program_path(program));
  HT_TRY(ht_cohort_read(arguments->operand, arguments->base, &cohort));
  const ht_batch_options options = {.folder = arguments->output,
                                    .program = program,
                                    .jobs = arguments->jobs,
                                    .slurm = arguments->executor ? sbatch : NULL,
                                    .own_colours = arguments->own_colours,
                                    .force = arguments->force,
                                    .follow_umask = follows_umask(arguments, &cohort),
                                    .restart = arguments->restart,
                                    .retry = (ht_batch_retry)arguments->retry};
  ht_status status;
  ht_folder_privacy(options.follow_umask);
  if (arguments->dry_run) {
    status = ht_batch_tell(&cohort, &options);
  } else {
    hide_paths(arguments);
    status = open_folder(arguments->output);
    if (status == HT_OK) status = ht_batch_run(&cohort, &options);
    if (status == HT_OK || status == HT_ERR_BATCH) tell_results(arguments->output);
  }
  ht_cohort_free(&cohort);
  return status;
}

void ht_page_batch(ht_command_page *page) {
  *page = ht_arguments_page(&usage);
}

int ht_command_batch(int argc, char **argv) {
  ht_arguments arguments;
  ht_status status = ht_arguments_parse(&usage, argc, argv, &arguments);
  if (status == HT_OK && arguments.help) return HT_OK;
  ht_arguments_console(&arguments, argc, argv);
  if (status == HT_OK) status = run(&arguments);
  ht_interrupt_done();
  if (status != HT_OK) ht_console_error();
  fflush(stdout);
  ht_console_end();
  return (int)status;
}

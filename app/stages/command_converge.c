#include "app/stages/command_stage.h"
#include "run/process/console.h"
#include "run/studies/convergence_report.h"
#include "run/record/identity.h"
#include "run/process/interrupt.h"
#include "run/record/journal.h"
#include "run/lattice/run_plan.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double usual_ratio = 1.4;

static const ht_usage usage = {
    "converge",
    "CASE.yaml|SCAN|DIR",
    "measure how the results depend on the lattice",
    "Runs the case on three lattices: its own (middle), one with a spacing larger by the ratio\n"
    "(coarse) and one with a spacing smaller by the ratio (fine; at 1.4 it has 2.7 times the\n"
    "nodes and takes some 4 to 8 times as long). Writes pressure drops, flow split, highest\n"
    "velocity and wall shear stress on each lattice, the value without lattice error (Richardson\n"
    "extrapolation), the observed order and the grid convergence index (Roache 1994; Celik et al.\n"
    "2008) to convergence.csv and convergence.png. The runs are the case folders DIR/coarse,\n"
    "DIR/middle and DIR/fine. Use a ratio of 1.3 or more: the noise of the staircase wall easily\n"
    "hides the effect of a smaller one.",
    "  hemotile converge case.yaml -o convergence\n"
    "  hemotile converge case.yaml --nodes-across 24 --ratio 1.5 -o convergence",
    HT_TAKES_OUTPUT | HT_TAKES_READING | HT_TAKES_VESSEL | HT_TAKES_INFLOW | HT_TAKES_SOLVER |
        HT_TAKES_RATIO | HT_TAKES_UMASK,
};

typedef struct {
  ht_case *settings; /* settings of the middle lattice, owned */
  const char *folder;
  double ratio;
  int unsteady;       /* lattices whose flow may not be used */
  char message[1024]; /* message of the last of these */
  char again[2048];   /* the command as typed, without --within */
  ht_convergence_study study;
} request;

/* ---- the request ---- */

/* Refuses an edited mask: the runs segment the folder's scan again, without its manual edits. */
static ht_status check_not_edited(const char *input) {
  char path[HT_PATH_MAX], sha256[HT_HASH_TEXT];
  ht_manifest manifest;
  if (!ht_folder_exists(input) || !ht_folder_is_case(input)) return HT_OK;
  HT_TRY(ht_path_join(path, input, HT_FILE_MANIFEST));
  if (!ht_file_exists(path)) return HT_OK;
  HT_TRY(ht_manifest_read(path, &manifest));
  HT_TRY(ht_journal_settle(input, &manifest));
  HT_TRY(ht_path_join(path, input, HT_FILE_MASK));
  if (!manifest.has_mask || !ht_file_exists(path)) return HT_OK;
  HT_TRY(ht_hash_file(path, sha256));
  if (strcmp(sha256, manifest.mask_sha256) == 0) return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "%s was edited by hand, and the other lattices would not have the edits: write a "
                 "case file with `mask: %s` and run `hemotile converge` on it",
                 path, path);
}

static ht_status check_folder(const char *folder) {
  char path[HT_PATH_MAX];
  if (!folder) return ht_fail(HT_ERR_USAGE, "no folder for the three runs: give -o DIR");
  HT_TRY(ht_path_join(path, folder, HT_CONVERGE_LATTICES));
  if (ht_file_exists(folder) && !ht_folder_exists(folder))
    return ht_fail(HT_ERR_USAGE, "%s: this is a file: give -o a folder", folder);
  if (ht_file_exists(path) || !ht_folder_exists(folder) || ht_folder_entries(folder) == 0)
    return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "%s: this folder holds other files and no convergence study: choose an empty or "
                 "new one with -o",
                 folder);
}

static ht_status prepare(const ht_arguments *arguments, request *r) {
  r->folder = arguments->output;
  r->ratio = arguments->ratio > 0 ? arguments->ratio : usual_ratio;
  HT_TRY(check_folder(r->folder));
  HT_TRY(check_not_edited(arguments->operand));
  HT_TRY(ht_command_settings(arguments->operand, &r->settings));
  HT_TRY(ht_arguments_apply(arguments, r->settings));
  ht_identity_guard_texts(r->settings->keep_identity);
  if (!r->settings->keep_identity) ht_identity_hide_output(r->folder);
  ht_folder_privacy(r->settings->follow_umask);
  HT_TRY(ht_folder_make(r->folder));
  return ht_convergence_write_lattices(r->folder, &r->study);
}

/* ---- the runs ---- */

/* Returns the share of the time that the middle flow may take: the others take about 1 / ratio^4
 * and ratio^4 times as long. */
static double share_of_middle(const request *r) {
  const double finer = pow(r->ratio, 4);
  return 1 / (1 + finer + 1 / finer);
}

/* Makes the settings of a lattice. The middle one is the case's own, also by lattice.within; the
 * spacings of the others follow from its spacing, and they have its beats. */
static ht_status settings_of(const request *r, int lattice, ht_case **settings) {
  double middle_mm = r->study.lattice[HT_MIDDLE].spacing_mm;
  HT_TRY(ht_alloc((void **)settings, 1, sizeof **settings, "the case"));
  **settings = *r->settings;
  if (lattice == HT_MIDDLE) return HT_OK;
  ht_case_keep_beats(*settings);
  if (lattice == HT_COARSE) (*settings)->segment.spacing_mm = middle_mm * r->ratio;
  if (lattice == HT_FINE) (*settings)->segment.spacing_mm = middle_mm / r->ratio;
  return HT_OK;
}

/* Prints a hint; the run's own would change one lattice only. */
static void hint(const request *r, int lattice, ht_status status) {
  if (status == HT_ERR_TIME) return;
  if (status == HT_ERR_INTERRUPTED || status == HT_ERR_WRITE || status == HT_ERR_DEVICE)
    ht_console_hint(
        "the finished lattices are in %s; the same command starts again from the first one",
        r->folder);
  else if (lattice == HT_COARSE)
    ht_console_hint("the case runs on its own lattice, but not with a spacing %g times larger: use "
                    "a smaller --ratio, or more --nodes-across",
                    r->ratio);
  else if (lattice == HT_FINE)
    ht_console_hint("the case runs on its own lattice, but not with a spacing %g times smaller: "
                    "use a smaller --ratio, or fewer --nodes-across",
                    r->ratio);
}

/* Notes a lattice whose flow is unsteady; the tables still have its numbers. */
static void note_unsteady(request *r, int lattice) {
  char name[64];
  snprintf(name, sizeof name, "the %s lattice", ht_lattice_names[lattice]);
  ht_fail_in(HT_ERR_NOT_STEADY, name);
  snprintf(r->message, sizeof r->message, "%s", ht_error_message());
  r->unsteady++;
}

static void keep_choice(const ht_case *from, ht_case *to) {
  to->has_within_choice = from->has_within_choice;
  memcpy(to->within_choice, from->within_choice, sizeof to->within_choice);
}

static ht_status run_lattice(request *r, int lattice) {
  ht_run *run;
  ht_case *settings;
  char folder[HT_PATH_MAX], name[HT_PATH_MAX];
  HT_TRY(ht_path_join(folder, r->folder, ht_lattice_names[lattice]));
  HT_TRY(settings_of(r, lattice, &settings));
  ht_console_next();
  ht_console_note("---- the %s lattice: %s", ht_lattice_names[lattice], folder);
  ht_status status = ht_run_begin(settings, folder, HT_STAGE_IMPORT, HT_STAGE_EXPORT, 0, &run);
  if (run) run->given.share = share_of_middle(r);
  if (run) run->given.again = r->again;
  if (status == HT_OK) status = ht_run_stages(run);
  if (status == HT_OK || status == HT_ERR_NOT_STEADY) {
    if (status != HT_OK) note_unsteady(r, lattice);
    if (lattice == HT_MIDDLE) keep_choice(run->given.settings, r->settings);
    ht_lattice_result_of(run, &r->study.lattice[lattice]);
    r->settings->collision = ht_run_collision(&run->solved.stats); /* the same on all lattices */
    snprintf(r->study.name, sizeof r->study.name, "%.63s",
             ht_name_in(run->given.settings, r->folder, name)); /* not that of a lattice's folder */
    status = ht_convergence_write_lattices(r->folder, &r->study);
  } else {
    snprintf(name, sizeof name, "the %s lattice", ht_lattice_names[lattice]);
    status = ht_fail_in(status, name);
    hint(r, lattice, status);
  }
  ht_run_free(run);
  return status;
}

static ht_status converge(request *r) {
  HT_TRY(run_lattice(r, HT_MIDDLE));
  HT_TRY(run_lattice(r, HT_COARSE));
  HT_TRY(run_lattice(r, HT_FINE));
  HT_TRY(ht_convergence_compare(&r->study));
  return ht_convergence_write(r->folder, &r->study);
}

/* Checks, once all is written, that the flows are steady. */
static ht_status check_steady(const request *r) {
  if (r->unsteady == 0) return HT_OK;
  const int pulsatile = r->study.lattice[HT_FINE].pulsatile;
  ht_console_hint("the tables in %s are written, but they compare flows that are not %s: %s in a "
                  "case file, and run the same command again",
                  r->folder, pulsatile ? "periodic" : "steady",
                  pulsatile ? "set more flow.cycles"
                            : "give more --max-steps, or set a larger flow.steady_tolerance");
  return ht_fail(HT_ERR_NOT_STEADY, "%d of %d lattices have no result; %s", r->unsteady,
                 HT_LATTICES, r->message);
}

/* Keeps the command for a hint; argv has no name of the program. */
static void keep_command(int argc, char **argv, char *again, size_t size) {
  char word[HT_SHELL_WORD_MAX(HT_PATH_MAX)];
  snprintf(again, size, "hemotile");
  for (int i = 0; i < argc; i++) {
    const size_t length = strlen(again);
    if (strcmp(argv[i], "--within") == 0) {
      i++;
      continue;
    }
    ht_shell_word(argv[i], word, sizeof word);
    snprintf(again + length, size - length, " %s", word);
  }
}

void ht_page_converge(ht_command_page *page) {
  *page = ht_arguments_page(&usage);
}

int ht_command_converge(int argc, char **argv) {
  request r = {0};
  ht_arguments arguments;
  ht_status status = ht_arguments_parse(&usage, argc, argv, &arguments);
  if (status == HT_OK && arguments.help) return 0;
  ht_arguments_console(&arguments, argc, argv);
  keep_command(argc, argv, r.again, sizeof r.again);
  if (status == HT_OK) status = prepare(&arguments, &r);
  if (status == HT_OK) status = converge(&r);
  ht_interrupt_done();
  free(r.settings);
  if (status == HT_OK) {
    ht_convergence_print(stdout, r.folder, &r.study);
    status = check_steady(&r);
  }
  fflush(stdout);
  if (status != HT_OK) ht_console_error();
  ht_console_end();
  return (int)status;
}

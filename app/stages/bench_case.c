#include "app/stages/bench_case.h"
#include "app/stages/command_stage.h"
#include "core/machine/clock.h"
#include "run/process/console.h"
#include "run/process/interrupt.h"
#include "run/lattice/run_lattice.h"
#include "core/version.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = HT_GIVEN_MAX + 1 };

static const char option[] = "--case";

static const ht_usage usage = {
    "bench --case",
    "CASE.yaml|SCAN|DIR",
    "the time of whole cases on this machine, stage by stage",
    "Runs each case as `hemotile run` does, one after the other, and prints a table: seconds of\n"
    "each stage, of the time between them and from the command to the results, and the solver's\n"
    "speed. The case folders stay in DIR/1, DIR/2, ... Give --steps to time the stages around a\n"
    "short solver. docs/performance.md has such tables.",
    "  hemotile bench --case cases/aneurysm/case.yaml --nodes-across 40 -o timing\n"
    "  hemotile bench --case a.yaml b.yaml --device cpu --steps 200 -o timing",
    HT_TAKES_OUTPUT | HT_TAKES_VESSEL | HT_TAKES_SOLVER | HT_TAKES_PARTS,
};

typedef struct {
  char name[64], device[128];
  double across, mflups;
  long long nodes, steps;
  ht_time_summary time;
} row;

int ht_bench_case_asked(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], option) == 0) return 1;
  return 0;
}

/* Keeps the other words, for the table of options. */
static int without_option(int argc, char **argv, char **kept) {
  int count = 0;
  for (int i = 0; i < argc; i++)
    if (i == 0 || strcmp(argv[i], option) != 0) kept[count++] = argv[i];
  kept[count] = NULL;
  return count;
}

static void take_row(const ht_run *run, row *to) {
  char folder[HT_PATH_MAX];
  snprintf(to->name, sizeof to->name, "%.63s", ht_run_name(&run->given, folder));
  snprintf(to->device, sizeof to->device, "%.127s", run->solved.stats.device);
  to->across = ht_run_nodes_across(&run->vessel);
  to->mflups = run->solved.stats.mflups;
  to->nodes = (long long)run->tiling.nodes;
  to->steps = (long long)run->solved.stats.steps;
  to->time = run->time;
}

/* Runs a case. The time of a flow that did not become steady counts, too. */
static ht_status run_case(const ht_arguments *arguments, const char *input, int number, row *to) {
  ht_run *run;
  ht_case *settings;
  char folder[HT_PATH_MAX], name[16];
  snprintf(name, sizeof name, "%d", number);
  HT_TRY(ht_path_join(folder, arguments->output, name));
  HT_TRY(ht_command_settings(input, &settings));
  ht_status status = ht_arguments_apply(arguments, settings);
  if (settings->within_s == HT_WITHIN_AUTO) settings->within_s = HT_WITHIN_NO;
  if (status != HT_OK) {
    free(settings);
    return status;
  }
  ht_console_next();
  status = ht_run_begin(settings, folder, HT_STAGE_IMPORT, HT_STAGE_EXPORT, 0, &run);
  if (run && number == 1) run->given.begun_s = ht_clock_program_s(); /* with its start-up */
  if (status == HT_OK) status = ht_run_stages(run);
  if (status == HT_OK || status == HT_ERR_NOT_STEADY) {
    take_row(run, to);
    status = HT_OK;
  }
  ht_run_free(run);
  return status;
}

static ht_status run_cases(const ht_arguments *arguments, row rows[MOST]) {
  if (!arguments->output)
    return ht_fail(HT_ERR_USAGE, "no folder for the cases' results: give -o DIR");
  HT_TRY(ht_folder_make(arguments->output));
  HT_TRY(run_case(arguments, arguments->operand, 1, &rows[0]));
  for (int i = 0; i < arguments->more; i++)
    HT_TRY(run_case(arguments, arguments->more_operand[i], i + 2, &rows[i + 1]));
  return HT_OK;
}

static void print_row(const row *of) {
  printf("| %s | %.1f | %lld | %lld | %.1f |", of->name, of->across, of->nodes, of->steps,
         of->mflups);
  for (int s = 0; s < HT_STAGES; s++) printf(" %.2f |", of->time.stage[s]);
  printf(" %.2f | %.2f |\n", of->time.other, of->time.seconds);
}

static void print_table(const row *rows, int count) {
  printf("hemotile %s (%s), %s, %d CPU threads; seconds, node updates in millions a second\n\n",
         ht_version(), ht_commit(), rows[0].device, omp_get_max_threads());
  printf("| case | nodes across | fluid nodes | steps | MFLUPS |");
  for (int s = 0; s < HT_STAGES; s++) printf(" %s |", ht_stage_name((ht_stage)s));
  puts(" other | whole |\n|---|---|---|---|---|---|---|---|---|---|---|---|");
  for (int i = 0; i < count; i++) print_row(&rows[i]);
}

int ht_bench_case(int argc, char **argv) {
  row rows[MOST];
  ht_arguments arguments = {.help = 0};
  char **kept;
  ht_status status = ht_alloc((void **)&kept, (size_t)argc + 1, sizeof *kept, "the command line");
  if (status == HT_OK)
    status = ht_arguments_parse(&usage, without_option(argc, argv, kept), kept, &arguments);
  if (status != HT_OK || !arguments.help) {
    ht_arguments_console(&arguments, argc, argv);
    if (status == HT_OK) status = run_cases(&arguments, rows);
    ht_interrupt_done();
    if (status == HT_OK)
      print_table(rows, 1 + arguments.more);
    else
      ht_console_error();
    fflush(stdout);
    ht_console_end();
  }
  free(kept);
  return (int)status;
}

#define _POSIX_C_SOURCE 200809L
/* hemotile validate: runs the flows of validation/ and compares them with reference values. */
#include "core/machine/clock.h"
#include "app/common/command.h"
#include "run/process/console.h"
#include "run/process/interrupt.h"
#include "run/process/options.h"
#include "core/text/suggest.h"
#include "run/process/thread_limit.h"
#include "validation/validate_files.h"
#include "validation/validation.h"
#include "validation/flows/validation_keep.h"
#include "core/version.h"
#ifdef HEMOTILE_HAVE_IMAGING
#include "run/folder/hash.h"
#include "app/stages/validate_coarctation.h"
#endif
#include <stdio.h>
#include <string.h>

typedef struct {
  const ht_validation_flow *one; /* NULL: all of them */
  int named, help, quiet;
  int quick, full, restart;
  const char *folder;
  ht_validation_options run;
} request;

/* ---- the list of flows ---- */

/* Returns the flows of validation/, and with imaging one that starts at a scan. NULL after the
 * last. */
static const ht_validation_flow *flow_number(int number) {
  const ht_validation_flow *flow = ht_validation_number(number);
#ifdef HEMOTILE_HAVE_IMAGING
  if (!flow && (number == 0 || ht_validation_number(number - 1))) return &ht_validate_coarctation;
#endif
  return flow;
}

static const ht_validation_flow *find_flow(const char *name) {
  for (int i = 0; flow_number(i); i++)
    if (strcmp(flow_number(i)->name, name) == 0) return flow_number(i);
  return NULL;
}

static void list_flows(FILE *stream) {
  fputs("flows (approximate time on two CPU cores / at full size on a GPU):\n", stream);
  for (int i = 0; flow_number(i); i++) {
    const ht_validation_flow *flow = flow_number(i);
    char time[32];
    snprintf(time, sizeof time, "%s / %s", flow->quick, flow->full);
    fprintf(stream, "  %-14s %-16s %s\n  %-31s against: %s\n", flow->name, time, flow->summary, "",
            flow->reference);
  }
  fputs("  all                             all of them\n", stream);
}

/* ---- the command line ---- */

static ht_status set_name(void *target, const char *typed) {
  request *r = target;
  const char *best = NULL;
  int distance = 0;
  if (r->named) return ht_fail(HT_ERR_USAGE, "give one name or `all`; '%s' is another name", typed);
  r->named = 1;
  r->one = find_flow(typed);
  if (r->one || strcmp(typed, "all") == 0) return HT_OK;
  for (int i = 0; flow_number(i); i++) ht_suggest(typed, flow_number(i)->name, &best, &distance);
  return ht_fail(HT_ERR_USAGE, "there is no flow '%s'%s%s%s; `hemotile validate` lists them all",
                 typed, best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

#define AT(type_, field)         .type = type_, .offset = offsetof(request, field)
#define INTEGER(field, from, to) AT(HT_OPTION_INTEGER, field), .range = HT_RANGE(from, to)

/* Words: the flow's own, then those of ht_collision. */
static const char *const collision_words[] = {"auto", "lbgk", "mrt", "cumulant", NULL};

static const ht_option options[] = {
    {"--output", "-o", "DIR", AT(HT_OPTION_TEXT, folder),
     .help = "folder for the files (default: validation)"},
    {"--full", AT(HT_OPTION_FLAG, full), .help = "size for a GPU (default with a GPU)"},
    {"--quick", AT(HT_OPTION_FLAG, quick), .help = "small size (default without a GPU)"},
    {"--nodes-across", .value = "N", INTEGER(run.nodes_across, 1, 4096),
     .help = "lattice nodes across, in place of the flow's own"},
    {"--reynolds", .value = "N", AT(HT_OPTION_REAL, run.reynolds), .range = HT_RANGE(100, 20000),
     .help = "fda-turbulent: throat Reynolds number (default 5000; 2000 has measurements, too)"},
    {"--levels", .value = "N", INTEGER(run.levels, 1, 1 + HT_COARSER_MOST),
     .help =
         "fda-turbulent: spacings of the lattice; the finest, that of --nodes-across, where the "
         "jet begins (default 1)"},
    {"--inlet-noise", .value = "X", AT(HT_OPTION_REAL, run.inlet_noise), .range = HT_RANGE(0, 0.3),
     .help = "fda-turbulent: RMS of a noise of the inlet's velocity, of the profile's (default 0)"},
    {"--velocity-lu", .value = "U", AT(HT_OPTION_REAL, run.velocity_lu),
     .range = HT_RANGE(0.001, 0.04),
     .help = "fda-turbulent: velocity of the inlet on the lattice, which sets the step (default "
             "0.02)"},
    {"--collision", .value = "auto|lbgk|mrt|cumulant", AT(HT_OPTION_WORD, run.collision),
     .words = collision_words, .help = "of flows in pipes and nozzles (default auto: their own)"},
    {"--restart", AT(HT_OPTION_FLAG, restart),
     .help = "start again, even where a stopped run could be resumed"},
    {"--device", .value = "auto|cpu|cuda", AT(HT_OPTION_WORD, run.device), .words = ht_device_words,
     .help = "where to run (default auto)"},
    {"--threads", .value = "N", INTEGER(run.threads, 1, HT_THREADS_MAX),
     .help = "CPU threads (default: all)"},
    {"--quiet", "-q", AT(HT_OPTION_FLAG, quiet), .help = "print only the table"},
    {"--help", "-h", AT(HT_OPTION_FLAG, help), .help = "this text"},
    {0}};

static const ht_option_table table = {
    .command = "validate", .options = options, .operand = set_name};

static const char *flow_name(int number) {
  if (flow_number(number)) return flow_number(number)->name;
  return number > 0 && flow_number(number - 1) ? "all" : NULL;
}

void ht_page_validate(ht_command_page *page) {
  *page = (ht_command_page){
      .name = "validate",
      .operand = "[NAME|all]",
      .summary = "compare known flows with theory and published figures",
      .text =
          "Runs a flow, prints a table of computed and reference values, and writes the table and\n"
          "the curves as CSV and PNG. The exit code is 33 if a bar (an error limit) is missed.\n"
          "Without a name it lists the flows. A long flow that is stopped (Ctrl-C, `timeout -s "
          "INT\n"
          "540 hemotile validate ...`) is resumed by the same command.",
      .example = "  hemotile validate plane-cavity --quick -o validation",
      .table = table,
      .word = flow_name,
      .list = list_flows};
}

static void print_help(void) {
  ht_command_page page;
  ht_page_validate(&page);
  ht_command_page_help(stdout, &page);
}

static ht_status parse(int argc, char **argv, request *r) {
  *r = (request){.folder = "validation"};
  HT_TRY(ht_options_parse(&table, argc, argv, r));
  if (r->quick && r->full) return ht_fail(HT_ERR_USAGE, "--quick and --full exclude each other");
  if (r->run.collision > 0 && r->one && !r->one->takes_collision)
    return ht_fail(HT_ERR_USAGE, "the flow '%s' has a collision of its own: leave --collision out",
                   r->one->name);
  return HT_OK;
}

/* ---- running ---- */

static int has_gpu(ht_device device) {
  char name[128], why[256];
  return device != HT_DEVICE_CPU && ht_device_describe(HT_DEVICE_CUDA, name, why) == HT_OK;
}

static void print_heading(const request *r, const ht_validation_flow *flow,
                          const ht_validation_result *result, double seconds) {
  char date[32];
  ht_time_utc(date);
  printf("%s%s: %s\n# against: %s\n# run:     %s\n# device:  %s\n# %.10s, %s, %s size, "
         "%.0f s%s, hemotile %s (%s)\n",
         r->one ? "" : "\n", flow->name, flow->summary, flow->reference, result->notes,
         result->device, date, r->run.nodes_across ? "own resolution" : "standard resolution",
         r->run.full ? "full" : "quick", seconds, r->run.keep->is_loaded ? " since it went on" : "",
         ht_version(), ht_commit());
}

/* ---- what a stopped run has computed ---- */

/* Describes the program and the options that a result depends on. */
static void describe(const ht_validation_options *o, char text[HT_KEPT_WHOSE]) {
  const struct {
    const char *option;
    double value; /* 0: not given */
  } given[] = {{"nodes-across", o->nodes_across},
               {"reynolds", o->reynolds},
               {"levels", o->levels > 1 ? o->levels : 0},
               {"inlet-noise", o->inlet_noise},
               {"velocity-lu", o->velocity_lu}};
  int length = snprintf(text, HT_KEPT_WHOSE, "hemotile %s (%s) --%s", ht_version(), ht_commit(),
                        o->full ? "full" : "quick");
  for (size_t i = 0; i < sizeof given / sizeof *given; i++)
    if (given[i].value != 0)
      length += snprintf(text + length, (size_t)(HT_KEPT_WHOSE - length), " --%s %g",
                         given[i].option, given[i].value);
  if (o->collision)
    snprintf(text + length, (size_t)(HT_KEPT_WHOSE - length), " --collision %s",
             collision_words[o->collision]);
}

#ifdef HEMOTILE_HAVE_IMAGING
static void *begin_sum(void) {
  return ht_hash_begin();
}

static void add_to_sum(void *sum, const void *bytes, size_t size) {
  ht_hash_add(sum, bytes, size);
}

static void end_sum(void *sum, char text[HT_KEPT_SUM]) {
  ht_hash_end(sum, text);
}

_Static_assert((int)HT_HASH_TEXT == (int)HT_KEPT_SUM, "a SHA-256 as text");
static const ht_kept_sum *const kept_sum = &(const ht_kept_sum){begin_sum, add_to_sum, end_sum};
#else
static const ht_kept_sum *const kept_sum = NULL;
#endif

static ht_status begin_keeping(request *r, const ht_validation_flow *flow,
                               ht_validation_result *result, ht_validation_keep *keep) {
  char whose[HT_KEPT_WHOSE];
  describe(&r->run, whose);
  HT_TRY(
      ht_validation_keep_begin(keep, r->folder, flow->name, whose, r->restart, kept_sum, result));
  keep->hold = ht_interrupt_hold;
  keep->at_step = ht_interrupt_step();
  r->run.keep = keep;
  if (keep->is_loaded)
    ht_console_note("%s resumes from %s: %d part%s done%s", flow->name, keep->path, keep->parts,
                    keep->parts == 1 ? " is" : "s are",
                    keep->file ? ", and a part of the next" : "");
  return HT_OK;
}

/* Prints the rows of a run that ended too early, and how to continue it. */
static void tell_unfinished(const ht_validation_flow *flow, const ht_validation_result *result,
                            const ht_validation_keep *keep) {
  ht_console_note("%s is not complete", flow->name);
  if (result->rows > 0) {
    printf("%s so far (not complete): %s\n", flow->name, result->notes);
    ht_validate_print(result, stdout);
  }
  if (keep->trouble[0])
    ht_console_warn("what was computed could not be kept: %s", keep->trouble);
  else if (ht_file_exists(keep->path))
    ht_console_note("what was computed is in %s: the same command resumes from it", keep->path);
}

static ht_status run_flow(request *r, const ht_validation_flow *flow, int *missed) {
  ht_validation_result result = {0};
  ht_validation_keep keep = {0};
  double began = ht_clock_s();
  char why[256];
  HT_TRY(ht_device_describe(r->run.device, result.device, why));
  ht_status status = begin_keeping(r, flow, &result, &keep);
  if (status == HT_OK) {
    ht_console_stage(flow->name, 1, 1);
    status = ht_validation_keep_end(&keep, flow->run(&r->run, &result));
    if (status != HT_OK) tell_unfinished(flow, &result, &keep);
  }
  if (status == HT_OK) {
    ht_console_stage_end();
    print_heading(r, flow, &result, ht_clock_s() - began);
    ht_validate_print(&result, stdout);
    *missed += ht_validation_misses(&result);
    status = ht_validate_write(r->folder, flow->name, flow->summary, &result);
  }
  ht_validation_free(&result);
  return status;
}

/* Runs all flows, even if one fails. */
static ht_status run_all(request *r, int *missed) {
  ht_status first = HT_OK;
  for (int i = 0; flow_number(i); i++) {
    ht_status status = run_flow(r, flow_number(i), missed);
    if (status == HT_OK) continue;
    ht_fail_in(status, flow_number(i)->name);
    if (status == HT_ERR_INTERRUPTED) return status;
    ht_console_error();
    if (first == HT_OK) first = status;
  }
  return first == HT_OK ? HT_OK : ht_fail(first, "not all flows could be run");
}

static ht_status run(request *r, int *missed) {
  if (r->one) return run_flow(r, r->one, missed);
  return run_all(r, missed);
}

static int fail(ht_status status) {
  ht_console_error();
  return (int)status;
}

int ht_command_validate(int argc, char **argv) {
  request r;
  int missed = 0;
  ht_status status = parse(argc, argv, &r);
  ht_console_begin(r.quiet, "hemotile validate");
  if (status != HT_OK) return fail(status);
  if (r.help)
    print_help();
  else if (!r.named)
    list_flows(stdout);
  if (r.help || !r.named) return 0;
  r.run.full = r.full || (!r.quick && has_gpu(r.run.device));
  r.run.progress = ht_console_progress();
  r.run.folder = r.folder;
  if (status == HT_OK) status = ht_thread_limit(r.run.threads, NULL);
  if (status == HT_OK) status = run(&r, &missed);
  if (status != HT_OK) return fail(status);
  if (!r.quiet)
    printf("files in %s/%s\n", r.folder, ht_validate_has_plots() ? "" : " (no PNG in this build)");
  if (missed == 0) return 0;
  return fail(ht_fail(HT_ERR_VALIDATION, "%d bar%s missed", missed, missed == 1 ? " is" : "s are"));
}

#include "app/common/command.h"
#include "app/compare/compare.h"
#include "app/compare/measured/judge.h"
#include "run/process/console.h"
#include "run/folder/folder.h"
#include "run/process/interrupt.h"
#include "run/process/options.h"
#include <string.h>

typedef struct {
  int help, quiet, follow_umask, same_frame;
  double delay_s;
  ht_compare_options with;
} request;

static ht_status take_case(void *target, const char *typed) {
  request *r = target;
  if (r->with.cases == HT_COMPARED_MAX)
    return ht_fail(HT_ERR_USAGE, "at most %d cases can be compared at a time", HT_COMPARED_MAX);
  r->with.path[r->with.cases++] = typed;
  return HT_OK;
}

static ht_status take_array(void *target, const ht_option *option, char *const *values) {
  request *r = target;
  ht_foreign_array array;
  (void)option;
  HT_TRY(ht_foreign_array_parse(values[0], &array));
  for (int i = 0; i < r->with.arrays; i++)
    if (r->with.array[i].number == array.number)
      return ht_fail(HT_ERR_USAGE, "--array %s: this number was given before", values[0]);
  r->with.array[r->with.arrays++] = array;
  return HT_OK;
}

static const char *const unit_words[] = {"auto", "mm", "cm", "m", NULL};

#define AT(type_, field) .type = type_, .offset = offsetof(request, field)

static const ht_option options[] = {
    {"--output", "-o", "DIR", AT(HT_OPTION_TEXT, with.folder),
     .help = "folder for the comparison: a new or empty one, or that of an earlier comparison"},
    {"--distance", .value = "MM", AT(HT_OPTION_REAL, with.distance_mm),
     .range = HT_RANGE(0.001, 50),
     .help = "walls farther apart are not common (default: twice the largest lattice spacing or "
             "voxel of a scan)"},
    {"--numbers", AT(HT_OPTION_FLAG, with.numbers_only),
     .help = "compare the numbers alone: for scans in different coordinates"},
    {"--array", .value = "NUMBER=NAME:UNIT", .type = HT_OPTION_SET, .set = take_array, .several = 1,
     .help = "an array of another program's .vtp: tawss, wss, pressure (Pa, kPa, dyn/cm2, mmHg) or "
             "osi (no unit)"},
    {"--surface-unit", .value = "auto|mm|cm|m", AT(HT_OPTION_WORD, with.unit), .words = unit_words,
     .help = "length unit of another program's .vtp (default auto)"},
    {"--delay", .value = "S", AT(HT_OPTION_REAL, delay_s), .range = HT_RANGE(-10, 10),
     .help = "s, start of the computed beat after the R wave of a measured flow (default 0)"},
    {"--same-frame", AT(HT_OPTION_FLAG, same_frame),
     .help = "take the coordinates of a measured flow for those of the case's scan, where their "
             "frames of reference differ or are not known"},
    {"--follow-umask", AT(HT_OPTION_FLAG, follow_umask),
     .help = "your umask sets who may read the results (default: only you)"},
    {"--quiet", "-q", AT(HT_OPTION_FLAG, quiet), .help = "only warnings, errors and the result"},
    {"--help", "-h", AT(HT_OPTION_FLAG, help), .help = "this text"},
    {0}};

static const ht_option_table table = {
    .command = "compare", .options = options, .operand = take_case};

void ht_page_compare(ht_command_page *page) {
  *page = (ht_command_page){
      .name = "compare",
      .operand = "DIR DIR|FILE.vtp|MEASURED ...",
      .summary = "compare finished cases",
      .text =
          "Compares case folders with the first, the reference: before and after a treatment, two\n"
          "segmentations, two lattices; or a case with the wall of another program (.vtp). Says "
          "in\n"
          "which settings they differ, writes every number with its difference to comparison.csv,\n"
          "the wall's load and its difference at the nearest places to wall_difference_CASE.vtp,\n"
          "and all of it as one page with pictures to comparison.html. The cases are not changed.\n"
          "\n"
          "DIR MEASURED compares a case with a measured flow, phase-contrast MR (a folder or zip\n"
          "archive, or a small YAML file that says what the images mean): the computed velocity "
          "at\n"
          "the scan's voxels and times with the measured one, and the flows along the vessel. It\n"
          "writes comparison.csv, sections.csv, comparison.json and the page.",
      .example = "  hemotile compare before after -o comparison\n"
                 "  hemotile compare case other.vtp --array \"tawss=TAWSS:dyn/cm2\" -o comparison\n"
                 "  hemotile compare result phase_contrast/ -o judged",
      .table = table};
}

static void print_help(void) {
  ht_command_page page;
  ht_page_compare(&page);
  ht_command_page_help(stdout, &page);
}

static int asks_help(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return 1;
  return 0;
}

/* Compares a case with a measured flow where the second of two operands is one. */
static ht_status compare(const request *r) {
  const ht_compare_options *with = &r->with;
  if (with->cases != 2 || !ht_judge_is_measured(with->path[1])) {
    if (r->delay_s != 0 || r->same_frame)
      return ht_fail(HT_ERR_USAGE,
                     "--delay and --same-frame are for one case and a measured flow: DIR MEASURED");
    return ht_compare_run(with, stdout);
  }
  if (with->distance_mm > 0 || with->numbers_only || with->arrays > 0 || with->unit > 0)
    return ht_fail(HT_ERR_USAGE,
                   "%s: --distance, --numbers, --array and --surface-unit are for walls, and this "
                   "is read as a measured flow",
                   with->path[1]);
  return ht_judge_run(
      &(ht_judge_options){with->path[0], with->path[1], with->folder, r->delay_s, r->same_frame},
      stdout);
}

int ht_command_compare(int argc, char **argv) {
  request r = {0};
  if (asks_help(argc, argv)) {
    print_help();
    return 0;
  }
  ht_status status = ht_options_parse(&table, argc, argv, &r);
  ht_console_begin(r.quiet, "hemotile compare");
  ht_folder_privacy(r.follow_umask);
  if (status == HT_OK) status = compare(&r);
  ht_interrupt_done();
  if (status == HT_OK)
    printf("\n  open in a browser: %s/" HT_COMPARE_PAGE "   table: %s/" HT_COMPARE_CSV
           "\n  Not for clinical decisions.\n",
           r.with.folder, r.with.folder);
  fflush(stdout);
  if (status != HT_OK) ht_console_error();
  ht_console_end();
  return (int)status;
}

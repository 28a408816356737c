#include "app/common/command.h"
#include "app/workbench/workbench.h"
#include "run/folder/folder.h"
#include "run/process/console.h"
#include "run/process/interrupt.h"
#include "run/process/options.h"

typedef struct {
  int help, follow_umask;
  const char *input, *folder;
  ht_workbench_options with;
} request;

static ht_status take_input(void *target, const char *typed) {
  request *r = target;
  if (r->input) return ht_fail(HT_ERR_USAGE, "give one scan or one case folder");
  r->input = typed;
  return HT_OK;
}

#define AT(type_, field) .type = type_, .offset = offsetof(request, field)

static const ht_option options[] = {
    {"--output", "-o", "DIR", AT(HT_OPTION_TEXT, folder),
     .help = "folder of the case that is made of a scan"},
    {"--series", .value = "N", AT(HT_OPTION_TEXT, with.series),
     .help = "DICOM series (SEG: segment) by number, UID or part of its description"},
    {"--pacs", .value = "FILE", AT(HT_OPTION_TEXT, with.pacs),
     .help = "settings of an archive (docs/pacs.md), to fetch scans from"},
    {"--port", .value = "N", AT(HT_OPTION_INTEGER, with.port), .range = HT_RANGE(1, 65535),
     .help = "port of this machine (default: one that is free)"},
    {"--no-browser", AT(HT_OPTION_FLAG, with.no_browser), .help = "only print the link"},
    {"--follow-umask", AT(HT_OPTION_FLAG, follow_umask),
     .help = "your umask sets who may read the results (default: only you)"},
    {"--help", "-h", AT(HT_OPTION_FLAG, help), .help = "this text"},
    {0}};

static const ht_option_table table = {"open", options, 0, take_input, NULL, NULL};

void ht_page_open(ht_command_page *page) {
  *page = (ht_command_page){
      .name = "open",
      .operand = "[SCAN -o DIR|CASE|FOLDER]",
      .summary = "the workbench: cases in the browser, with clicks",
      .text =
          "Opens a page in the browser of this machine: the scan in slices and in 3D, the vessel\n"
          "found by two clicks, the flow started, the report. It works on the case folder DIR:\n"
          "made of SCAN, or one that is there (CASE). With a FOLDER of cases, of a batch or of\n"
          "scans (without an operand the present folder) it lists them: choose a series by its\n"
          "picture to import it, compare two cases, let several wait in a queue. Whatever is done\n"
          "in the page can be continued in the terminal, and the other way round; the page shows\n"
          "each command. It listens on this machine alone, and answers only who opens the link\n"
          "that it prints.",
      .example = "  hemotile open angiography.nii.gz -o patient1\n"
                 "  hemotile open patient1\n"
                 "  hemotile open study --pacs pacs.yaml",
      .table = table};
}

/* Decides what is given: a case, a scan with the folder of its case, or a folder of both. */
static ht_status decide(request *r) {
  const int is_case = r->input && ht_folder_is_case(r->input);
  if (r->folder && !r->input)
    return ht_fail(HT_ERR_USAGE, "-o is for the case of a scan: `hemotile open SCAN -o DIR`");
  if (r->folder && is_case)
    return ht_fail(HT_ERR_USAGE, "%s is a case folder: it is opened without -o", r->input);
  if (r->with.pacs && (is_case || r->folder))
    return ht_fail(HT_ERR_USAGE, "--pacs is for a folder of cases, into which scans are fetched");
  if (is_case) {
    r->with.folder = r->input;
    return HT_OK;
  }
  const char *input = r->input ? r->input : ".";
  if (!ht_file_exists(input))
    return ht_fail(HT_ERR_NOT_FOUND, "%s: there is no such file or folder", input);
  HT_TRY(ht_input_check(input));
  if (r->folder) {
    r->with.scan = input;
    r->with.folder = r->folder;
    return ht_folder_check(r->folder, input);
  }
  if (r->with.series || !ht_folder_exists(input))
    return ht_fail(HT_ERR_USAGE,
                   "%s is no case folder. A scan needs a folder for its case: "
                   "`hemotile open %s -o DIR`",
                   input, input);
  r->with.start = input;
  return HT_OK;
}

int ht_command_open(int argc, char **argv) {
  static request r;
  ht_command_page page;
  ht_status status = ht_options_parse(&table, argc, argv, &r);
  if (status == HT_OK && r.help) {
    ht_page_open(&page);
    ht_command_page_help(stdout, &page);
    return 0;
  }
  ht_console_begin(0, "hemotile open");
  ht_folder_privacy(r.follow_umask);
  if (status == HT_OK) status = decide(&r);
  if (status == HT_OK) status = ht_workbench_serve(&r.with);
  ht_interrupt_done();
  if (status != HT_OK) ht_console_error();
  ht_console_end();
  return (int)status;
}

#include "command_stage.h"
#include "console.h"
#include "interrupt.h"
#include "stage_report.h"
#include <stdlib.h>

static const ht_usage usage = {
    "report",
    "DIR",
    "rebuild the page report.html of a finished case",
    "Writes report.html into the case folder DIR anew, from its files: the numbers, warnings,\n"
    "curves and pictures, and the vessel in 3D. It is one file that opens in a browser from the\n"
    "disk, without a network. `hemotile run` and `hemotile export` write it by themselves.",
    "  hemotile report patient1",
    HT_TAKES_UMASK,
};

static int finish(ht_run *run, ht_status status) {
  ht_interrupt_done();
  if (status == HT_OK)
    printf("report: done; open %s/" HT_FILE_REPORT " in a browser\n", run->folder);
  fflush(stdout);
  if (status != HT_OK) ht_console_error();
  ht_console_end();
  ht_run_free(run);
  return (int)status;
}

void ht_page_report(ht_command_page *page) {
  *page = ht_arguments_page(&usage);
}

int ht_command_report(int argc, char **argv) {
  ht_arguments arguments;
  ht_case *settings = NULL;
  ht_run *run = NULL;
  ht_status status = ht_arguments_parse(&usage, argc, argv, &arguments);
  if (status == HT_OK && arguments.help) return 0;
  ht_arguments_console(&arguments, argc, argv);
  if (status == HT_OK) status = ht_run_open(arguments.operand, &settings);
  if (status == HT_OK) status = ht_arguments_apply(&arguments, settings);
  if (status != HT_OK) {
    free(settings);
    return finish(NULL, status);
  }
  status = ht_run_begin(settings, arguments.operand, HT_STAGE_EXPORT, HT_STAGE_EXPORT, 0, &run);
  if (status == HT_OK) status = ht_stage_report(run);
  return finish(run, status);
}

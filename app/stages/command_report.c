#include "app/stages/command_stage.h"
#include "run/process/console.h"
#include "run/process/interrupt.h"
#include "run/folder/picture_colours.h"
#include "run/stages/stage_report.h"
#include <stdlib.h>

static const ht_usage usage = {
    "report",
    "DIR",
    "rebuild the page report.html of a finished case",
    "Rewrites report.html in the case folder DIR from its files: the numbers, warnings,\n"
    "curves and pictures, and the vessel in 3D. It is one file that opens in a browser from the\n"
    "disk, without a network. `hemotile run` and `hemotile export` write it by themselves.\n"
    "With other colours it also redraws the pictures; no number changes. Pictures that\n"
    "`hemotile run --no-pictures` left out are drawn, too.",
    "  hemotile report patient1\n"
    "  hemotile report patient1 --speed-colours 1.2 --wss-colours 10",
    HT_TAKES_UMASK | HT_TAKES_COLOURS,
};

static int finish(ht_run *run, ht_status status) {
  ht_interrupt_done();
  if (status == HT_OK)
    printf("report: done; open %s/" HT_FILE_REPORT " in a browser\n", run->given.folder);
  fflush(stdout);
  if (status != HT_OK) ht_console_error();
  ht_console_end();
  ht_run_free(run);
  return (int)status;
}

/* Returns 1 where a range of colours was typed. */
static int wants_pictures(const ht_arguments *arguments) {
  for (int g = 0; g < arguments->given; g++)
    if (arguments->given_option[g]->group == HT_TAKES_COLOURS) return 1;
  return 0;
}

/* Takes the ends of the colour bars that the pictures have; typed ones follow. Returns 1 where
 * pictures are missing. */
static int take_colours(const char *folder, ht_case *settings) {
  ht_picture_colours colours;
  if (!ht_picture_colours_read(folder, &colours)) return 0;
  settings->speed_high_m_s = colours.speed_m_s;
  settings->wss_high_pa = colours.wss_pa;
  return !colours.complete;
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
  const int missing = status == HT_OK && take_colours(arguments.operand, settings);
  if (status == HT_OK) status = ht_arguments_apply(&arguments, settings);
  if (status != HT_OK) {
    free(settings);
    return finish(NULL, status);
  }
  status = ht_run_begin(settings, arguments.operand, HT_STAGE_EXPORT, HT_STAGE_EXPORT, 0, &run);
  if (run) run->given.only_page = 1;
  if (status == HT_OK) status = ht_stage_report(run, missing || wants_pictures(&arguments));
  return finish(run, status);
}

#include "app/stages/command_stage.h"
#include "run/process/console.h"
#include "run/process/interrupt.h"
#include "bench/papers/tile_study.h"
#include <stdio.h>

static const ht_usage usage = {
    "tile",
    "DIR",
    "cover the vessel with tiles",
    "Builds the flow domain (the mask with straight extensions at its openings), covers it with\n"
    "4x4x4 tiles, tries all 64 origins of the tile grid, and writes tiling.json and\n"
    "pictures/tiles.png into the case folder DIR. `hemotile solve` does this by itself.\n"
    "\n"
    "With --study no case is needed: it tiles channels of 4 to 128 nodes, spheres and vessels at\n"
    "all origins of the tile grid, and writes the results next to the figures of Tomczak &\n"
    "Szafran (2019) into the folder DIR, as CSV and PNG.",
    "  hemotile tile patient1\n  hemotile tile patient1 --parts 8\n  hemotile tile --study study "
    "--mask patient1/mask.nii.gz",
    HT_TAKES_INFLOW | HT_TAKES_STUDY | HT_TAKES_FORCE | HT_TAKES_UMASK | HT_TAKES_SHARES,
};

static ht_status check(const ht_arguments *arguments) {
  if (arguments->study && arguments->given > 0)
    return ht_fail(HT_ERR_USAGE, "%s belongs to a case: leave it out with --study",
                   arguments->given_option[0]->name);
  if (arguments->study && (arguments->parts || arguments->force))
    return ht_fail(HT_ERR_USAGE, "%s belongs to a case: leave it out with --study",
                   arguments->parts ? "--parts" : "--force");
  if (!arguments->study && arguments->mask)
    return ht_fail(HT_ERR_USAGE,
                   "--mask %s goes with --study only; to tile the vessel of a mask: "
                   "`hemotile import` a case file with `mask: %s` first",
                   arguments->mask, arguments->mask);
  return HT_OK;
}

static ht_status study(const ht_arguments *arguments) {
  ht_interrupt_folder(arguments->operand, ht_folder_sweep);
  ht_console_stage("study", 1, 1);
  HT_TRY(ht_tile_study(arguments->operand, arguments->mask, ht_console_progress()));
  ht_console_stage_end();
  printf("tile: done; the study is in %s\n", arguments->operand);
  return HT_OK;
}

void ht_page_tile(ht_command_page *page) {
  *page = ht_arguments_page(&usage);
}

int ht_command_tile(int argc, char **argv) {
  ht_arguments arguments;
  ht_status status = ht_arguments_parse(&usage, argc, argv, &arguments);
  if (status == HT_OK && arguments.help) return 0;
  if (status == HT_OK) status = check(&arguments);
  if (status == HT_OK && !arguments.study)
    return ht_command_on_folder(&usage, argc, argv, HT_STAGE_TILE);
  ht_arguments_console(&arguments, argc, argv);
  if (status == HT_OK) status = study(&arguments);
  ht_interrupt_done();
  if (status != HT_OK) ht_console_error();
  ht_console_end();
  return (int)status;
}

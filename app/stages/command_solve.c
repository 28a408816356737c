#include "app/stages/command_stage.h"

static const ht_usage usage = {
    "solve",
    "DIR",
    "compute the flow",
    "Computes the flow in the vessel of the case folder DIR: in mask.nii.gz, also if it was\n"
    "edited by hand, with the openings and flows of case.yaml. Writes flow.bin for `hemotile "
    "export`.\n"
    "A run that was stopped resumes from its latest checkpoint, with the same result; --restart\n"
    "begins from rest.",
    "  hemotile solve patient1 --flow 4.5 --device cuda",
    HT_TAKES_INFLOW | HT_TAKES_SOLVER | HT_TAKES_BEAT | HT_TAKES_RESTART | HT_TAKES_UMASK |
        HT_TAKES_RANKS,
};

void ht_page_solve(ht_command_page *page) {
  *page = ht_arguments_page(&usage);
}

int ht_command_solve(int argc, char **argv) {
  return ht_command_on_folder(&usage, argc, argv, HT_STAGE_SOLVE);
}

#include "command_stage.h"

static const ht_usage usage = {
    "run",
    "CASE.yaml|SCAN|DIR",
    "from a scan to the flow and the load on the wall",
    "Runs every stage: import, segment, tile, solve, export. Takes a case file, a scan (with\n"
    "default settings), or a case folder (runs again from its own scan). The results are in DIR:\n"
    "pictures/, velocity.nii.gz, pressure.nii.gz, flow.vti, wall.vtp, summary.json. The files of\n"
    "each stage (mask.nii.gz, openings.json, ...) can be corrected, and the later stages run\n"
    "again one by one. Options override the case file. `hemotile help case` explains the case\n"
    "file.",
    "  hemotile run case.yaml -o result\n"
    "  hemotile run angiography.nii.gz --flow 4 -o result",
    HT_TAKES_OUTPUT | HT_TAKES_READING | HT_TAKES_VESSEL | HT_TAKES_INFLOW | HT_TAKES_SOLVER |
        HT_TAKES_FORCE | HT_TAKES_SENSITIVITY | HT_TAKES_DICOM | HT_TAKES_BEAT | HT_TAKES_SET | HT_TAKES_UMASK |
        HT_TAKES_PARTS,
};

void ht_page_run(ht_command_page *page) {
  *page = ht_arguments_page(&usage);
}

int ht_command_run(int argc, char **argv) {
  return ht_command_from_input(&usage, argc, argv, HT_STAGE_EXPORT);
}

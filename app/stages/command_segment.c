#include "app/stages/command_stage.h"

static const ht_usage usage = {
    "segment",
    "DIR",
    "find the vessel and its openings",
    "Makes mask.nii.gz (the vessel on the isotropic lattice) and openings.json in the case folder\n"
    "DIR, and draws them on the scan in pictures/. The mask can be corrected by hand in 3D Slicer\n"
    "or ITK-SNAP and saved under the same name: `hemotile solve DIR` then uses it.",
    "  hemotile segment patient1 --lower 180\n"
    "  hemotile segment patient1 --set segment.seed_mm=[30.5,-12,4]\n"
    "  hemotile segment patient1 --from 27.1,-14.8,-38 --to 35.6,-48.7,-4.3",
    HT_TAKES_VESSEL | HT_TAKES_INFLOW | HT_TAKES_FORCE | HT_TAKES_UMASK | HT_TAKES_SET,
};

void ht_page_segment(ht_command_page *page) {
  *page = ht_arguments_page(&usage);
}

int ht_command_segment(int argc, char **argv) {
  return ht_command_on_folder(&usage, argc, argv, HT_STAGE_SEGMENT);
}

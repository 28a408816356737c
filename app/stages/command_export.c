#include "app/stages/command_stage.h"

static const ht_usage usage = {
    "export",
    "DIR",
    "write velocity images, wall data and pictures",
    "Writes the flow of the case folder DIR, computed by `hemotile solve`, as velocity.nii.gz\n"
    "(m/s, LPS), pressure.nii.gz (Pa), flow.vti, wall.vtp (wall shear stress and pressure, Pa),\n"
    "pictures/ and summary.json.",
    "  hemotile export patient1",
    HT_TAKES_SENSITIVITY | HT_TAKES_DICOM | HT_TAKES_BEAT | HT_TAKES_UMASK | HT_TAKES_SET,
};

void ht_page_export(ht_command_page *page) {
  *page = ht_arguments_page(&usage);
}

int ht_command_export(int argc, char **argv) {
  return ht_command_on_folder(&usage, argc, argv, HT_STAGE_EXPORT);
}

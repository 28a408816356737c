#include "app/stages/command_stage.h"

static const ht_usage usage = {
    "import",
    "SCAN|CASE.yaml",
    "read a scan into a case folder",
    "Reads a scan (DICOM folder, DICOMDIR or zip archive, NIfTI, NRRD, MetaImage) or a vessel\n"
    "that is segmented already (STL, DICOM SEG), and begins the case folder DIR with scan.nii.gz,\n"
    "case.yaml (every setting) and manifest.json. SCAN is never changed.",
    "  hemotile import dicom/ --series 2 -o patient1",
    HT_TAKES_OUTPUT | HT_TAKES_READING | HT_TAKES_FORCE | HT_TAKES_UMASK | HT_TAKES_PARTS,
};

void ht_page_import(ht_command_page *page) {
  *page = ht_arguments_page(&usage);
}

int ht_command_import(int argc, char **argv) {
  return ht_command_from_input(&usage, argc, argv, HT_STAGE_IMPORT);
}

#include "core/formats/dicom_dictionary.h"
#include "core/disk/file.h"
#include <stdlib.h>
#include <string.h>

void ht_dictionary_find(void) {
  char prefix[HT_PATH_MAX], path[HT_PATH_MAX];
  if (ht_program_path(prefix) != HT_OK) return;
  for (int up = 0; up < 2; up++) { /* from PREFIX/bin/hemotile to PREFIX */
    char *slash = strrchr(prefix, '/');
    if (!slash) return;
    *slash = 0;
  }
  if (ht_path_join(path, prefix, "share/hemotile/dicom.dic") == HT_OK && ht_file_exists(path))
    setenv("DCMDICTPATH", path, 0);
}

ht_status ht_no_dictionary(const char *instead) {
  const char *named = getenv("DCMDICTPATH");
  return ht_fail(HT_ERR_DEVICE,
                 "DCMTK's data dictionary, which DICOM files need, was not found%s%.200s: let the "
                 "environment variable DCMDICTPATH name a copy of its file dicom.dic (Debian: "
                 "/usr/share/libdcmtk17/dicom.dic of the package libdcmtk17; from another machine "
                 "it works, too), or %s",
                 named ? " at DCMDICTPATH=" : "", named ? named : "", instead);
}

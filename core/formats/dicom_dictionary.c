#define _GNU_SOURCE
#include "core/formats/dicom_dictionary.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ht_dictionary_find(void) {
  static const char place[] = "/share/hemotile/dicom.dic";
  char path[4096 + sizeof place];
  const ssize_t length = readlink("/proc/self/exe", path, 4096);
  if (length <= 0 || length >= 4096) return;
  path[length] = 0;
  for (int up = 0; up < 2; up++) { /* from PREFIX/bin/hemotile to PREFIX */
    char *slash = strrchr(path, '/');
    if (!slash) return;
    *slash = 0;
  }
  strcat(path, place);
  if (access(path, R_OK) == 0) setenv("DCMDICTPATH", path, 0);
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

#include "core/formats/dicom_dictionary.h"
#include <stdlib.h>

ht_status ht_no_dictionary(const char *instead) {
  const char *named = getenv("DCMDICTPATH");
  return ht_fail(HT_ERR_DEVICE,
                 "DCMTK's data dictionary, which DICOM files need, was not found%s%.200s: let the "
                 "environment variable DCMDICTPATH name a copy of its file dicom.dic (Debian: "
                 "/usr/share/libdcmtk17/dicom.dic of the package libdcmtk17; from another machine "
                 "it works, too), or %s",
                 named ? " at DCMDICTPATH=" : "", named ? named : "", instead);
}

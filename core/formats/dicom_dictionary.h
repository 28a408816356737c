/* DCMTK's data dictionary: the file dicom.dic, which DCMTK looks for where it was built to or where
 * the environment variable DCMDICTPATH says. */
#ifndef HT_DICOM_DICTIONARY_H
#define HT_DICOM_DICTIONARY_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The failure of whatever needs it where it was not found: HT_ERR_DEVICE, always. `instead`: what
 * can be done without it ("read NIfTI files"). */
ht_status ht_no_dictionary(const char *instead);

#ifdef __cplusplus
}
#endif
#endif

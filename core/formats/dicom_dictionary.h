/* DCMTK's data dictionary: the file dicom.dic, which DCMTK looks for where it was built to or where
 * the environment variable DCMDICTPATH says. */
#ifndef HT_DICOM_DICTIONARY_H
#define HT_DICOM_DICTIONARY_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Points DCMDICTPATH to the dictionary that a portable copy of the program brings
 * (share/hemotile/dicom.dic next to its bin/), unless it names another or there is none. Call it
 * before DCMTK is used and before other threads run. */
void ht_dictionary_find(void);

/* Fails with HT_ERR_DEVICE, always: for a caller that needs the dictionary where it was not found.
 * `instead`: what can be done without it ("read NIfTI files"). */
ht_status ht_no_dictionary(const char *instead);

#ifdef __cplusplus
}
#endif
#endif

/* Patient of a DICOM file. Private to import/. */
#ifndef HT_DICOM_IDENTITY_H
#define HT_DICOM_IDENTITY_H

#include "import/dicom/scan_identity.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills the texts that the file gives; "" for the others, or where it cannot be read. */
void ht_dicom_identity(const char *path, ht_identity *identity);
void ht_dicom_study_of(const char *path, ht_study *study);

#ifdef __cplusplus
}
#endif
#endif

/* Who a DICOM file is of. Private to import/. */
#ifndef HT_DICOM_IDENTITY_H
#define HT_DICOM_IDENTITY_H

#include "scan_identity.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills what the file tells; "" where it does not, or cannot be read. */
void ht_dicom_identity(const char *path, ht_identity *identity);

#ifdef __cplusplus
}
#endif
#endif

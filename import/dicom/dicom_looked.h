/* Headers that a first look has read. Private to import/. */
#ifndef HT_DICOM_LOOKED_H
#define HT_DICOM_LOOKED_H

#include "import/dicom/dicom.h"
#include "import/dicom/dicom_look.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the header of a file and keeps it; *identity gets its patient. Call it in the order of the
 * paths. Errors as ht_dicom_header. */
ht_status ht_dicom_look_add(ht_dicom_look *look, const char *path, ht_identity *identity);

/* Hands over the header of this file, once; returns 1 where it was kept. `look` may be NULL. */
int ht_dicom_look_take(ht_dicom_look *look, const char *path, ht_file_kind *kind, ht_slice **slice,
                       int *count);

#ifdef __cplusplus
}
#endif
#endif

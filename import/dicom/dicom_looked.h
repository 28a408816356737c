/* The headers that a first look has read. Private to import/. */
#ifndef HT_DICOM_LOOKED_H
#define HT_DICOM_LOOKED_H

#include "import/dicom/dicom.h"
#include "import/dicom/dicom_look.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the header of a file, and keeps it, with who it is of in *identity. To be called in the
 * order of the paths. As ht_dicom_header. */
ht_status ht_dicom_look_add(ht_dicom_look *look, const char *path, ht_identity *identity);

/* 1: the header of this file was kept, and is handed over, once. `look` may be NULL. */
int ht_dicom_look_take(ht_dicom_look *look, const char *path, ht_file_kind *kind, ht_slice **slice,
                       int *count);

#ifdef __cplusplus
}
#endif
#endif

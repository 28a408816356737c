/* Signs of the kind of scan that a DICOM file belongs to, from its tags. Private to import/. */
#ifndef HT_DICOM_SIGNS_H
#define HT_DICOM_SIGNS_H

#include "core/vessel/scan_signs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the signs in the header of the file at `path`, classic or enhanced; 0 where it cannot be
 * read. */
unsigned ht_dicom_signs(const char *path);

#ifdef __cplusplus
}
#endif
#endif

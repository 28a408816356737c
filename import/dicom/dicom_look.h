/* First look at the files of a folder, before they are read: their names, and the headers of some.
 * They are not listed or read a second time. */
#ifndef HT_DICOM_LOOK_H
#define HT_DICOM_LOOK_H

#include "core/disk/path_list.h"
#include "import/dicom/scan_identity.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ht_dicom_looked ht_dicom_looked; /* the header of a file */

/* Result of the look; {0}: nothing was looked at. */
typedef struct {
  const ht_path_list *files; /* all files of the folder; NULL: they are to be listed. Borrowed */
  ht_dicom_looked *looked;   /* [count] headers, by path. Owned */
  int count, room;
} ht_dicom_look;

void ht_dicom_look_free(ht_dicom_look *look);

#ifdef __cplusplus
}
#endif
#endif

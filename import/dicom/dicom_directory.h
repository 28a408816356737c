/* Files that a DICOMDIR names (PS3.3 F, PS3.10). Private to import/. */
#ifndef HT_DICOM_DIRECTORY_H
#define HT_DICOM_DIRECTORY_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Image of the disc. */
typedef struct {
  char *path;          /* below the DICOMDIR's folder. Owned */
  int is_there;        /* 0: named, but not copied */
  char series_uid[72]; /* as in the DICOMDIR */
} ht_directory_entry;

/* Tells whether the file at `path` is a DICOMDIR. If so, *entry becomes the array of *count images
 * that it names, in any case of their files' names (discs are copied in small and in large
 * letters); else *is_directory is 0. HT_ERR_FORMAT where it is damaged, names no image, or names a
 * file outside of its folder. The caller frees with ht_directory_free. */
ht_status ht_directory_read(const char *path, int *is_directory, ht_directory_entry **entry,
                            int *count);
void ht_directory_free(ht_directory_entry *entry, int count);

#ifdef __cplusplus
}
#endif
#endif

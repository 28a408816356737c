/* A folder for a test, and a small DICOM file with what an object says of itself. */
#ifndef HT_OBJECT_FIXTURE_H
#define HT_OBJECT_FIXTURE_H

#include "app/pacs/pacs_object.h"

#ifdef __cplusplus
extern "C" {
#endif

extern char ht_fixture_folder[64];

/* Makes and removes the folder: the setup and teardown of a test. */
int ht_fixture_begin(void **state);
int ht_fixture_end(void **state);

/* Writes the file; returns 0 where it was written. */
int ht_object_fixture_write(const char *path, const ht_pacs_object *object);

#ifdef __cplusplus
}
#endif
#endif

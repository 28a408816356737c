/* Identity of a DICOM object and of its patient. */
#ifndef HT_PACS_OBJECT_H
#define HT_PACS_OBJECT_H

#include "app/pacs/pacs_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Identity of an object; UTF-8 where possible. */
typedef struct {
  char study_uid[65], series_uid[65], instance_uid[65];
  char modality[17];
  char study_description[200], series_description[200];
  char patient_id[65], patient_name[200], birth_date[9];
  int is_result; /* 1: hemotile made it from another study or this one */
} ht_pacs_object;

/* Reads a file's header. HT_ERR_FORMAT: it is no DICOM object, or its UIDs are not valid. */
ht_status ht_pacs_object_read(const char *path, ht_pacs_object *object);

/* Returns 1 where two objects are of one patient: the number and the name are the same, in upper or
 * lower case, and also the date of birth where both have it. The first script of a name counts. */
int ht_pacs_same_patient(const ht_pacs_object *one, const ht_pacs_object *other);

#ifdef __cplusplus
}
#endif
#endif

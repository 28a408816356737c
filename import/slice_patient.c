#include "slice_patient.h"
#include "volume.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers ---- */

/* The first slice of each patient that tells an ID, and one that tells a name. */
typedef struct {
  const char *id, *name; /* "" where not told. Borrowed */
} patient;

/* Names differ in nothing but case and empty parts at the end ("DOE^JANE", "Doe^Jane^^"). */
static int same_name(const char *one, const char *other) {
  while (*one && tolower((unsigned char)*one) == tolower((unsigned char)*other)) one++, other++;
  return one[strspn(one, "^ ")] == 0 && other[strspn(other, "^ ")] == 0;
}

static int is_same(const patient *known, const ht_slice *slice) {
  if (known->id[0] && slice->patient_id[0]) return strcmp(known->id, slice->patient_id) == 0;
  return !known->name[0] || !slice->patient_name[0] || same_name(known->name, slice->patient_name);
}

/* From 1. Those with an ID are asked first: who has none may be one of them. */
static int number_of(patient *known, int *count, const ht_slice *slice) {
  for (int i = 0; i < *count; i++) {
    if (!is_same(&known[i], slice)) continue;
    if (!known[i].name[0]) known[i].name = slice->patient_name;
    return i + 1;
  }
  known[*count].id = slice->patient_id;
  known[*count].name = slice->patient_name;
  return ++*count;
}

ht_status ht_patients_number(ht_slice *slice, int count, int *patients) {
  patient *known;
  *patients = 0;
  HT_TRY(ht_alloc((void **)&known, (size_t)count, sizeof *known, "the patients of a folder"));
  for (int i = 0; i < count; i++)
    if (slice[i].patient_id[0]) slice[i].patient = number_of(known, patients, &slice[i]);
  for (int i = 0; i < count; i++)
    if (!slice[i].patient_id[0] && slice[i].patient_name[0])
      slice[i].patient = number_of(known, patients, &slice[i]);
  free(known);
  return HT_OK;
}

/* ---- One series ---- */

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static ht_status check_uid(const ht_slice *first, const ht_slice *other, const char *one,
                           const char *uid, const char *what) {
  if (!one[0] || !uid[0] || strcmp(one, uid) == 0) return HT_OK;
  return ht_fail(HT_ERR_SERIES,
                 "its images differ in %s (%s and %s): they are of different examinations under "
                 "one series; put the files of each into a folder of its own, or export them again",
                 what, base_name(first->path), base_name(other->path));
}

/* The first slice that tells a patient; a study; a place. */
typedef struct {
  const ht_slice *patient, *study, *frame;
} teller;

static ht_status check_slice(teller *known, const ht_slice *slice) {
  if (!known->patient && slice->patient) known->patient = slice;
  if (!known->study && slice->study_uid[0]) known->study = slice;
  if (!known->frame && slice->frame_uid[0]) known->frame = slice;
  if (slice->patient && slice->patient != known->patient->patient)
    return ht_fail(HT_ERR_SERIES,
                   "its images are of 2 or more patients (%s and %s) under one Series Instance "
                   "UID; put the files of each patient into a folder of its own",
                   base_name(known->patient->path), base_name(slice->path));
  if (known->study)
    HT_TRY(check_uid(known->study, slice, known->study->study_uid, slice->study_uid,
                     "Study Instance UID"));
  return known->frame ? check_uid(known->frame, slice, known->frame->frame_uid, slice->frame_uid,
                                  "Frame of Reference UID, so that their positions do not go "
                                  "together")
                      : HT_OK;
}

ht_status ht_patients_check_series(const ht_slice *slice, int count) {
  teller known = {NULL, NULL, NULL};
  for (int i = 0; i < count; i++) HT_TRY(check_slice(&known, &slice[i]));
  return HT_OK;
}

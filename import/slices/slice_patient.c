#include "import/slices/slice_patient.h"
#include "core/disk/file.h"
#include "core/vessel/volume.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers ---- */

/* The first slice of each patient with an ID, and the first with a name. */
typedef struct {
  const char *id, *name; /* "" where not given. Borrowed */
} patient;

/* Names differ in nothing but case and empty parts at the end ("DOE^JANE", "Doe^Jane^^"). */
static int same_name(const char *one, const char *other) {
  while (*one && tolower((unsigned char)*one) == tolower((unsigned char)*other)) one++, other++;
  return one[strspn(one, "^ ")] == 0 && other[strspn(other, "^ ")] == 0;
}

static const char *skip_blanks(const char *text) {
  return text + strspn(text, " ");
}

/* IDs differ in nothing but case, blanks and zeros in front, as systems fill them up ("123",
 * "00123"). */
static int alike(const char *one, const char *other) {
  one += strspn(one, " 0");
  other += strspn(other, " 0");
  while (*one && tolower((unsigned char)*one) == tolower((unsigned char)*other))
    one = skip_blanks(one + 1), other = skip_blanks(other + 1);
  return *one == 0 && *other == 0;
}

/* Tells whether a slice is of the known patient. Similar IDs without an equal name may be of two
 * hospitals. */
static int is_same(const patient *known, const ht_slice *slice) {
  if (known->id[0] && slice->patient_id[0])
    return strcmp(known->id, slice->patient_id) == 0 ||
           (known->name[0] && same_name(known->name, slice->patient_name) &&
            alike(known->id, slice->patient_id));
  return !known->name[0] || !slice->patient_name[0] || same_name(known->name, slice->patient_name);
}

/* Number of a slice's patient, from 1. Slices with an ID come first: one without may be of one of
 * these patients. */
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

typedef const char *(*teller)(const ht_slice *slice);

static const char *patient_of(const ht_slice *slice) {
  return slice->patient_id;
}

static const char *study_of(const ht_slice *slice) {
  return slice->study_uid;
}

static const char *frame_of(const ht_slice *slice) {
  return slice->frame_uid;
}

/* No two images share it: a program gave each file its own. */
static int each_its_own(const ht_slice *slice, int count, teller told) {
  if (count < HT_PATIENT_FEW) return 0;
  for (int i = 0; i < count; i++) {
    if (!told(&slice[i])[0]) return 0;
    for (int k = 0; k < i; k++)
      if (strcmp(told(&slice[k]), told(&slice[i])) == 0) return 0;
  }
  return 1;
}

static ht_status made_up(const char *what) {
  return ht_fail(HT_ERR_SERIES,
                 "each of its images has its own %s: it was made anonymous file by file, so that "
                 "nothing shows that they belong together; export the series again with a tool "
                 "that keeps one %s for all of it",
                 what, what);
}

ht_status ht_patients_own_frames(void) {
  return made_up("Frame of Reference UID");
}

/* The first slice with another one than those before it; 0: none. *known: the first slice that has
 * one. */
static int find_other(const ht_slice *slice, int count, teller told, int *known) {
  for (*known = 0; *known < count && !told(&slice[*known])[0];) ++*known;
  for (int i = *known + 1; i < count; i++)
    if (told(&slice[i])[0] && strcmp(told(&slice[*known]), told(&slice[i])) != 0) return i;
  return 0;
}

static ht_status check_patients(const ht_slice *slice, int count) {
  int known = 0, other = 0;
  while (known < count && !slice[known].patient) known++;
  for (int i = known + 1; i < count && !other; i++)
    if (slice[i].patient && slice[i].patient != slice[known].patient) other = i;
  if (!other) return HT_OK;
  if (each_its_own(slice, count, patient_of)) return made_up("Patient ID");
  return ht_fail(
      HT_ERR_SERIES,
      "its images are of 2 or more patients ('%s' and '%s') under one Series Instance UID; "
      "put the files of each patient into a folder of its own",
      ht_path_name(slice[known].path), ht_path_name(slice[other].path));
}

static ht_status mixed(const ht_slice *one, const ht_slice *other, const char *what) {
  return ht_fail(
      HT_ERR_SERIES,
      "its images differ in %s ('%s' and '%s'): they are of different examinations under "
      "one series; put the files of each into a folder of its own, or export them again",
      what, ht_path_name(one->path), ht_path_name(other->path));
}

ht_status ht_patients_check_series(const ht_slice *slice, int count, int *own_frames) {
  int known, other;
  *own_frames = 0;
  HT_TRY(check_patients(slice, count));
  other = find_other(slice, count, study_of, &known);
  if (other && each_its_own(slice, count, study_of)) return made_up("Study Instance UID");
  if (other) return mixed(&slice[known], &slice[other], "Study Instance UID");
  other = find_other(slice, count, frame_of, &known);
  *own_frames = other && each_its_own(slice, count, frame_of);
  if (!other || *own_frames) return HT_OK;
  return mixed(&slice[known], &slice[other],
               "Frame of Reference UID, so that their positions do not go together");
}

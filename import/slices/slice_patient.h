/* Patients of a set of images. They are distinguished and numbered; no name or number goes into a
 * message. Private to import/. */
#ifndef HT_SLICE_PATIENT_H
#define HT_SLICE_PATIENT_H

#include "import/slices/slice.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Least number of images that all differ and are still one series; fewer may be of as many
 * patients. */
enum { HT_PATIENT_FEW = 3 };

/* Fills slice[].patient, from 1 in the order of the slices, and the number of patients. Two Patient
 * IDs are two patients, unless they differ only in case, blanks and zeros in front and the names
 * are the same; so are two Patient's Names where one of them comes without an ID. An image with
 * neither has number 0, and is no further patient. HT_ERR_MEMORY: nothing is filled. */
ht_status ht_patients_number(ht_slice *slice, int count, int *patients);

/* Checks that the images of one series are of one patient, one study and one frame of reference, as
 * far as their headers say. Call it after ht_patients_number. HT_ERR_SERIES where they are not.
 * *own_frames becomes 1 where only the frames of reference differ, and each of HT_PATIENT_FEW and
 * more images has its own. Then only the images' places show whether they belong together;
 * ht_patients_own_frames is the failure (HT_ERR_SERIES, always) where they do not. */
ht_status ht_patients_check_series(const ht_slice *slice, int count, int *own_frames);
ht_status ht_patients_own_frames(void);

#ifdef __cplusplus
}
#endif
#endif

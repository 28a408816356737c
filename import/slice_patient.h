/* Whose images are these? Patients are told apart and numbered; nobody's name or number goes into
 * a message. Private to import/. */
#ifndef HT_SLICE_PATIENT_H
#define HT_SLICE_PATIENT_H

#include "dicom.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fewer images that differ all may be of so many patients. */
enum { HT_PATIENT_FEW = 3 };

/* Fills slice[].patient, from 1 in the order of the slices, and returns how many patients there
 * are. Two Patient IDs are two patients, unless they differ only in case, blanks and zeros in front
 * and the names are the same; so are two Patient's Names where one of them comes without an ID. Who
 * tells neither is 0, and no patient besides the others. HT_ERR_MEMORY: nothing is filled. */
ht_status ht_patients_number(ht_slice *slice, int count, int *patients);

/* Are the images of one series of one patient, one study and one frame of reference, as far as they
 * tell? After ht_patients_number. HT_ERR_SERIES where they are not. *own_frames becomes 1 where all
 * that differs is the frame of reference, of which each of HT_PATIENT_FEW and more images has its
 * own: only their places then tell whether they belong together, and ht_patients_own_frames is the
 * failure (HT_ERR_SERIES, always) where these do not. */
ht_status ht_patients_check_series(const ht_slice *slice, int count, int *own_frames);
ht_status ht_patients_own_frames(void);

#ifdef __cplusplus
}
#endif
#endif

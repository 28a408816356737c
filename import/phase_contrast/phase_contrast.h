/* Measured flow from phase-contrast MR: DICOM of Siemens, GE and Philips, and of any make with the
 * standard's velocity encoding. docs/measured-flow.md. */
#ifndef HT_PHASE_CONTRAST_H
#define HT_PHASE_CONTRAST_H

#include "core/work/progress.h"
#include "import/common/import_note.h"
#include "import/phase_contrast/pc_plan.h"
#include "import/series/dicom_folder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the velocities of the DICOM files below a folder (or in a zip archive, or of the series of
 * a file), m/s, with the magnitudes where they are there. Decides open signs by physics and says so
 * in the notes. Errors of ht_pc_plan_make with the path in front, of ht_zip_unpack,
 * HT_ERR_NOT_FOUND, HT_ERR_INTERRUPTED. `given`, `notes` and `progress` may be NULL. The caller
 * frees the flow. */
ht_status ht_phase_contrast_read(const char *path, const ht_pc_given *given,
                                 const ht_progress *progress, ht_import_notes *notes,
                                 ht_measured_flow *flow);

/* Describes the measured flow among the slices of a folder, without reading pixels: its directions,
 * venc and times, or why it cannot be used (*usable 0); "" where no slice is a velocity. Series
 * have their numbers in the folder's list, as slice->series_number then has. HT_ERR_MEMORY. */
ht_status ht_phase_contrast_describe(ht_dicom_folder *folder, int *usable, char text[HT_PC_TEXT]);

#ifdef __cplusplus
}
#endif
#endif

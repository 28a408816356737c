/* Results as DICOM files, in the folder's dicom/, where the case requests them. */
#ifndef HT_STAGE_DICOM_H
#define HT_STAGE_DICOM_H

#include "run/state/run_state.h"

/* Writes the segmentation and the maps; `surface` has its load. First removes the DICOM files of an
 * earlier export, also where none are requested. Errors as of dicom_out.h. */
ht_status ht_run_dicom_fields(const ht_run *run, const ht_surface *surface);

/* Writes the pictures, and the report as a document, after summary.json is written. Does nothing
 * where none are requested. */
ht_status ht_run_dicom_pages(const ht_run *run);

/* Writes the document alone again: summary.json has further numbers. */
ht_status ht_run_dicom_report(const ht_run *run);

#endif

/* The results as DICOM files, in the folder's dicom/, where the case asks for them. */
#ifndef HT_STAGE_DICOM_H
#define HT_STAGE_DICOM_H

#include "run/state/run_state.h"

/* The segmentation and the maps; `surface` with its load. First removes the DICOM files of an
 * earlier export, also where none are asked for. Errors as of dicom_out.h. */
ht_status ht_run_dicom_fields(const ht_run *run, const ht_surface *surface);

/* The pictures, and the report as a document; after summary.json is written. Nothing where none are
 * asked for. */
ht_status ht_run_dicom_pages(const ht_run *run);

/* The document alone, once more: summary.json has further numbers. */
ht_status ht_run_dicom_report(const ht_run *run);

#endif

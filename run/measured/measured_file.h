/* Measured flow of a path: a folder of DICOM files, or a small YAML or JSON file that says which
 * images hold the velocities and what they mean (docs/measured-flow.md). */
#ifndef HT_MEASURED_FILE_H
#define HT_MEASURED_FILE_H

#include "core/vessel/measured_flow.h"
#include "core/work/progress.h"
#include "import/common/import_note.h"
#include "import/flow_correction/flow_correction.h"

/* Tells whether the file is such a YAML or JSON file: it has the key `velocity`. */
int ht_measured_file_is(const char *path);

/* Reads the measured flow at a path, as it was measured, and the corrections that its file asks for
 * (all automatic without one). `needs_vector`: refuses a single direction. HT_ERR_CASE: a key of
 * the file is unknown or wrong; errors of ht_phase_contrast_read and ht_pc_files_read. The caller
 * frees the flow. */
ht_status ht_measured_file_read(const char *path, int needs_vector, const ht_progress *progress,
                                ht_import_notes *notes, ht_flow_corrections *wanted,
                                ht_measured_flow *flow);

#endif

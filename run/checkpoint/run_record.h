/* The record of a run in its folder: settings, manifest and openings. */
#ifndef HT_RUN_RECORD_H
#define HT_RUN_RECORD_H

#include "run/state/run_state.h"

/* Writes case.yaml and manifest.json. HT_ERR_WRITE. */
ht_status ht_run_record(ht_run *run);

/* Copies the numbers of the waveform's file into the folder, so that the folder alone can repeat
 * the run; comments and other columns of the file, which may name a patient, stay behind. Nothing
 * where there is no file, or the folder has it. Errors of ht_waveform_file_copy. */
ht_status ht_run_keep_waveform(const ht_case *settings, const char *folder);

/* Writes openings.json and openings.mrk.json. HT_ERR_WRITE. */
ht_status ht_run_write_openings(const char *folder, const ht_placed *placed);

#endif

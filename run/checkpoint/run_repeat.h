/* A run that repeats another from its record, manifest.json. */
#ifndef HT_RUN_REPEAT_H
#define HT_RUN_REPEAT_H

#include "run/state/run_state.h"

/* Reads the record at `path` and the settings in it, on the device of the record. The caller frees
 * the settings with free(). `input` is the scan, or NULL: the record's own, where that has a
 * path (keep_identity) or is a phantom. HT_ERR_NOT_FOUND, HT_ERR_FORMAT, HT_ERR_CASE: of the
 * record. HT_ERR_USAGE: the scan is not given, or the mask was edited by hand. */
ht_status ht_repeat_open(const char *path, const char *input, ht_manifest *record,
                         ht_case **settings);

/* Notes how this program and machine differ from those of the record. HT_ERR_DEVICE: there is no
 * such device. HT_ERR_USAGE: the file of a waveform is not that of the record. */
ht_status ht_repeat_begin(ht_run *run, const ht_manifest *record);

/* Checks the input; the import calls it. HT_ERR_USAGE: the files of the input are not those of the
 * record. */
ht_status ht_repeat_check_input(const ht_run *run, const char *input);

/* Notes whether mask and flow have the bits of the record. HT_ERR_VALIDATION: they differ, though
 * program and machine do not. */
ht_status ht_repeat_compare(const ht_run *run);

#endif

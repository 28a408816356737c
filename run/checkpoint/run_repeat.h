/* A run that repeats another from its record, manifest.json. */
#ifndef HT_RUN_REPEAT_H
#define HT_RUN_REPEAT_H

#include "run/state/given.h"

/* Reads the record at `path` and the settings in it, on the device of the record. The caller frees
 * the settings with free(). `input` is the scan, or NULL: the record's own, where that has a
 * path (keep_identity) or is a phantom. HT_ERR_NOT_FOUND, HT_ERR_FORMAT, HT_ERR_CASE: of the
 * record. HT_ERR_USAGE: the scan is not given, or the mask was edited by hand. */
ht_status ht_repeat_open(const char *path, const char *input, ht_manifest *record,
                         ht_case **settings);

/* Sets given->repeats, which borrows the record, and notes how this program and machine differ from
 * those of the record. HT_ERR_DEVICE: there is no
 * such device. HT_ERR_USAGE: the file of a waveform is not that of the record. */
ht_status ht_repeat_begin(ht_given *given, const ht_manifest *record);

/* Checks the input that was read, as `here` records it; `record` NULL: the run repeats none.
 * HT_ERR_USAGE: the files of the input are not those of the record. */
ht_status ht_repeat_check_input(const ht_manifest *record, const ht_manifest *here,
                                const char *input);

/* Notes whether mask and flow of the record `here` have the bits of the one that is repeated.
 * HT_ERR_VALIDATION: they differ, though program and machine do not. */
ht_status ht_repeat_compare(const ht_manifest *there, const ht_manifest *here);

#endif

/* The record of a run in its folder: settings, manifest and openings. */
#ifndef HT_RUN_RECORD_H
#define HT_RUN_RECORD_H

#include "run/state/run_state.h"

/* Writes case.yaml and manifest.json. HT_ERR_WRITE. */
ht_status ht_run_record(ht_run *run);

/* Writes openings.json and openings.mrk.json. HT_ERR_WRITE. */
ht_status ht_run_write_openings(const char *folder, const ht_placed *placed);

#endif

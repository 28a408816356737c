/* The stages of a run, each in a file of its own: stage_import.c to stage_export.c. */
#ifndef HT_STAGES_H
#define HT_STAGES_H

#include "run_state.h"

ht_status ht_stage_import(ht_run *run);
ht_status ht_stage_segment(ht_run *run);
ht_status ht_stage_tile(ht_run *run);
ht_status ht_stage_solve(ht_run *run);
ht_status ht_stage_export(ht_run *run);

#endif

/* The stages of a run, each in a file of its own: stage_import.c to stage_export.c. Each takes its
 * inputs from memory or from the folder (load_inputs.h), leaves its products in `run`, and its
 * files and its part of the record in the folder. The errors are those of the work that it does;
 * after one, no file of the stage is half written. */
#ifndef HT_STAGES_H
#define HT_STAGES_H

#include "run/state/run_state.h"

ht_status ht_stage_import(ht_run *run);
ht_status ht_stage_segment(ht_run *run);
ht_status ht_stage_tile(ht_run *run);
ht_status ht_stage_solve(ht_run *run);
ht_status ht_stage_export(ht_run *run);

#endif

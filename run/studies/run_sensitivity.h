/* Runs of a case with the wall moved by half a voxel of the scan, inwards and outwards. */
#ifndef HT_RUN_SENSITIVITY_H
#define HT_RUN_SENSITIVITY_H

#include "run/state/run_state.h"

/* Runs a case that has `sensitivity` with the wall moved, in case folders of their own
 * (sensitivity/), and writes the summary again, with the spread. Call it after the stages. A vessel
 * that cannot be run is reported there and is no error. HT_ERR_INTERRUPTED, HT_ERR_WRITE,
 * HT_ERR_DEVICE; HT_ERR_NOT_FOUND: the folder has no scan. */
ht_status ht_run_sensitivity(ht_run *run);

#endif

/* The runs of a case with the wall moved by half a voxel of the scan, inwards and outwards. */
#ifndef HT_RUN_SENSITIVITY_H
#define HT_RUN_SENSITIVITY_H

#include "run_state.h"

/* After the stages, where the case asks for it: runs the case with the wall moved, in case folders
 * of their own (sensitivity/), and writes the summary once more, with the spread. A vessel that
 * cannot be run is part of that. Errors of the machine, HT_ERR_INTERRUPTED. */
ht_status ht_run_sensitivity(ht_run *run);

#endif

/* Division of a case's flow among several ranks: parts.json and a picture. */
#ifndef HT_PARTS_REPORT_H
#define HT_PARTS_REPORT_H

#include "run/state/run_state.h"

/* Writes both for run->given.parts ranks, after the tiling, and notes the numbers on the console.
 * Does nothing where run->given.parts is 0. HT_ERR_USAGE: the tiling has fewer tiles; HT_ERR_WRITE,
 * HT_ERR_MEMORY; as ht_run_plan_flow. */
ht_status ht_run_write_parts(const ht_run *run);

#endif

/* The numbers of a finished case: summary.json, and a short text for the person who ran it. */
#ifndef HT_SUMMARY_H
#define HT_SUMMARY_H

#include "run_state.h"

/* Warns of what makes the numbers doubtful: coarse openings, high lattice velocity, mass balance,
 * Reynolds number, no steady state. */
void ht_summary_warn(const ht_run *run);

ht_status ht_summary_write(const char *path, const ht_run *run);
void ht_summary_print(FILE *stream, const ht_run *run);

/* The same text from a summary.json; HT_ERR_NOT_FOUND, HT_ERR_FORMAT. */
ht_status ht_summary_print_file(FILE *stream, const char *folder);

#endif

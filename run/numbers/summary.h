/* Results of a finished case in numbers: summary.json and the printed summary. */
#ifndef HT_SUMMARY_H
#define HT_SUMMARY_H

#include "run/state/run_state.h"

/* Warns if the numbers are doubtful: coarse openings, high lattice velocity, mass balance, Reynolds
 * number, no steady state, an inlet whose flow is not the prescribed one. */
void ht_summary_warn(const ht_run *run);

/* Warns of results that are means of a flow that neither comes to rest nor repeats, with the error
 * of the pressure drop (measured.gradient). */
void ht_summary_warn_averaged(const ht_run *run);

/* Warns of an inlet whose flow at the peak of a pulse is not the prescribed one. */
void ht_summary_warn_pulse(const ht_run *run);

/* Warns of narrow places that the gradient's numbers do not include, and of a doubtful
 * reference. */
void ht_summary_warn_narrowing(const ht_gradient *gradient);

/* Warns where the lattice is coarse for the wall's load. */
void ht_summary_warn_wall(const ht_wall_stats *wall);

/* Writes summary.json, and its numbers as summary.csv of the folder. HT_ERR_WRITE. */
ht_status ht_summary_write(const char *path, const ht_run *run);

/* Prints the summary of a run. */
void ht_summary_print(FILE *stream, const ht_run *run);

/* Prints the same summary from the summary.json of a folder. HT_ERR_NOT_FOUND, HT_ERR_FORMAT. */
ht_status ht_summary_print_file(FILE *stream, const char *folder);

#endif

/* The reason why a case of a batch failed. */
#ifndef HT_BATCH_REASON_H
#define HT_BATCH_REASON_H

#include "app/batch/cohort/cohort.h"

/* Finds why a case failed: the last line with "error: " that it printed. */
void ht_batch_find_reason(const char *log, int exit_code, char reason[512]);

/* Removes from a reason what may hold a patient's name, because the tables are passed on: paths and
 * names of files of the case, and what the message quotes (run/privacy/redact.h). */
void ht_batch_hide_paths(const ht_cohort_case *one, char reason[512]);

/* Returns 1 where a process ended for lack of memory; the system kills one where the machine's is
 * full. */
int ht_batch_wants_memory(int exit_code);

#endif

/* Results of a batch: cohort.csv, cohort.html, methods.txt. */
#ifndef HT_BATCH_RESULTS_H
#define HT_BATCH_RESULTS_H

#include "app/batch/cohort/cohort_table.h"

/* Writes all three into the table's folder. */
ht_status ht_batch_results(const ht_cohort_table *table);

#endif

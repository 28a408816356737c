/* Page of a batch: cohort.html. */
#ifndef HT_COHORT_PAGE_H
#define HT_COHORT_PAGE_H

#include "app/batch/cohort/cohort_table.h"

/* Writes the page: the table, distributions, outliers, pictures. It needs the folder that it is in,
 * and no network. `methods`: the path of that file. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_cohort_page_write(const char *path, const ht_cohort_table *table, const char *methods);

#endif

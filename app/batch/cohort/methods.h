/* Methods and settings of a batch: methods.txt. */
#ifndef HT_METHODS_H
#define HT_METHODS_H

#include "app/batch/cohort/cohort_table.h"

/* Writes a paragraph for a publication, and the settings that all cases share and those that
 * differ, read from their case files. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_methods_write(const char *path, const ht_cohort_table *table);

#endif

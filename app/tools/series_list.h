/* The series of a scan as a file, with small pictures: for a page to choose from. */
#ifndef HT_SERIES_LIST_H
#define HT_SERIES_LIST_H

#include "import/import.h"

/* Writes "series.json", and "N.png" for each series (from 1) whose middle slice is there, into the
 * folder, which is made. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_series_list_write(const char *folder, const ht_series_list *list,
                               const ht_middle_slice *middle);

#endif

/* Folder of a comparison. */
#ifndef HT_COMPARE_FOLDER_H
#define HT_COMPARE_FOLDER_H

#include "core/status.h"

/* The files of a comparison. */
#define HT_COMPARE_CSV  "comparison.csv"
#define HT_COMPARE_PAGE "comparison.html"
#define HT_COMPARE_WALL "wall_difference_" /* then the label of the case, and .vtp */
/* Files of a comparison with a measured flow: */
#define HT_COMPARE_SECTIONS "sections.csv"
#define HT_COMPARE_JSON     "comparison.json"

/* Checks that a comparison may be written into a folder: it is new, empty, or that of an earlier
 * comparison. HT_ERR_USAGE. */
ht_status ht_compare_folder_check(const char *folder);

/* Makes the folder, and removes the files of an earlier comparison. HT_ERR_WRITE. */
ht_status ht_compare_folder_begin(const char *folder);

#endif

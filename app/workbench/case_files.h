/* The files of a case folder that the page shows. A request names one by its number in this table,
 * never by a path. */
#ifndef HT_CASE_FILES_H
#define HT_CASE_FILES_H

#include <stdint.h>

typedef struct {
  const char *name; /* in the case folder: "mask.nii.gz" */
  const char *type; /* of its content: "application/octet-stream" */
} ht_case_file_entry;

extern const ht_case_file_entry ht_case_files[];
extern const int ht_case_files_count;

/* Returns a number that changes with every new content of the file; 0: absent. */
int64_t ht_case_file_stamp(const char *folder, int number);

/* Returns 1 where the file, or its folder in the case, is a link. */
int ht_case_file_is_link(const char *folder, int number);

#endif

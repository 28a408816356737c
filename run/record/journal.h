/* Files of a case folder that belong together get their names one after the other. The journal
 * (".hemotile.next" in the folder) lists them in advance: if hemotile is killed in between, the
 * next run can distinguish a file that hemotile wrote from one that a person edited. */
#ifndef HT_JOURNAL_H
#define HT_JOURNAL_H

#include "run/record/manifest.h"

/* Adds the SHA-256 of a file that is about to get its name in the folder: mask.nii.gz, case.yaml.
 * HT_ERR_WRITE, HT_ERR_NOT_FOUND. */
ht_status ht_journal_add(const char *folder, const char *path);

/* Removes the journal, when the manifest is written and lists all files. */
void ht_journal_end(const char *folder);

/* Adds the files that are in place and listed in the journal to the manifest, as read, for a folder
 * that a killed hemotile left. A mask that the manifest did not list belongs to a segmentation that
 * did not end. */
ht_status ht_journal_settle(const char *folder, ht_manifest *manifest);

#endif

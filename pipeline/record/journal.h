/* Files of a case folder that belong together are put in place one after the other. The journal
 * (".hemotile.next" in the folder) names beforehand what comes, so that after a kill in between
 * what hemotile wrote is told from what a person edited. */
#ifndef HT_JOURNAL_H
#define HT_JOURNAL_H

#include "manifest.h"

/* Adds the SHA-256 of a file that is about to get its name in the folder: mask.nii.gz, case.yaml.
 * HT_ERR_WRITE, HT_ERR_NOT_FOUND. */
ht_status ht_journal_add(const char *folder, const char *path);

/* The manifest is written and knows of all: the journal goes. */
void ht_journal_end(const char *folder);

/* Of a folder that a killed hemotile left: the manifest, as it was read, learns of what the journal
 * named and is in place. A mask that it did not know is one whose segmentation has not ended. */
ht_status ht_journal_settle(const char *folder, ht_manifest *manifest);

#endif

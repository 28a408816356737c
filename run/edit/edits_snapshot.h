/* The corrected mask as it is after some of the steps (edits_mask.bin), so that the steps need
 * not all be repeated when a case is opened. It is only a help: without it, or where it belongs to
 * other steps or is damaged, the steps are repeated from the first mask on. */
#ifndef HT_EDITS_SNAPSHOT_H
#define HT_EDITS_SNAPSHOT_H

#include "run/edit/edit_file.h"
#include "segment/edit/edit.h"

/* Writes the mask after the first `position` steps of the list. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_edits_snapshot_write(const char *folder, const ht_edit_file *file, int position,
                                  const ht_edited *edited);

/* Replaces the first mask of the steps (`edited`, just begun) by that of the snapshot, if this is
 * of at most `position` of the list's first steps. Returns their number; 0: the mask stays. */
int ht_edits_snapshot_read(const char *folder, const ht_edit_file *file, int position,
                           ht_edited *edited);

#endif

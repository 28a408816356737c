/* Protects the case of another scan, a mask edited by hand, and a flow of the same settings that
 * the command does not compute again: only --force replaces them. */
#ifndef HT_RUN_GUARD_H
#define HT_RUN_GUARD_H

#include "run/state/run_state.h"

/* Locks the folder, reads its record into claim.held, and sets claim.keep_case and claim.keep_mask.
 * HT_ERR_USAGE: the input is another scan, as far as is known before it is read; the mask was
 * edited by hand; or import or segmentation alone would remove a flow. */
ht_status ht_run_claim(ht_run *run);

/* Checks that the input is the folder's scan. Call it with the lock held, once the scan is read and
 * in `manifest`, before anything is replaced. HT_ERR_USAGE: the input is another scan. */
ht_status ht_run_guard_scan(const ht_run *run);

/* Returns HT_ERR_USAGE where the folder has a flow, which this command would remove; HT_OK with
 * --force. */
ht_status ht_run_refuse_flow(const ht_run *run);

/* Copies a file that was edited by hand to another name before it is replaced. HT_ERR_WRITE. */
ht_status ht_run_keep_case(ht_run *run);
ht_status ht_run_keep_mask(ht_run *run);

#endif

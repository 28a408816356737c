/* What a run may not replace unless forced: the case of another scan, a mask edited by hand. */
#ifndef HT_RUN_GUARD_H
#define HT_RUN_GUARD_H

#include "run_state.h"

/* Locks the folder, reads its record into claim.held, and refuses (HT_ERR_USAGE) what is known to
 * be wrong by then; sets claim.keep_case and claim.keep_mask. */
ht_status ht_run_claim(ht_run *run);

/* Asked with the lock held, when the scan is read and in `manifest`, before anything is replaced.
 * HT_ERR_USAGE. */
ht_status ht_run_guard_scan(const ht_run *run);

/* Give a file that was edited by hand another name, where it is about to be replaced. */
ht_status ht_run_keep_case(ht_run *run);
ht_status ht_run_keep_mask(ht_run *run);

#endif

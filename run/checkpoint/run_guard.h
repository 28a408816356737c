/* Protects the case of another scan, a mask edited by hand, and a flow of the same settings that
 * the command does not compute again: only --force replaces them. */
#ifndef HT_RUN_GUARD_H
#define HT_RUN_GUARD_H

#include "run/state/claim.h"
#include "run/state/given.h"

/* Locks the folder, reads its record into claim->held, and sets keep_case and keep_mask.
 * `manifest`: the run's own record; its patient_hash is "" before the scan is read. HT_ERR_USAGE:
 * the input is another scan, as far as is known before it is read; the mask was edited by hand; or
 * import or segmentation alone would remove a flow. */
ht_status ht_run_claim(const ht_given *given, const ht_manifest *manifest, ht_claim *claim);

/* Checks that the input is the folder's scan. Call it with the lock held, once the scan is read and
 * in `manifest`, before anything is replaced. HT_ERR_USAGE: the input is another scan. */
ht_status ht_run_guard_scan(const ht_given *given, const ht_claim *claim,
                            const ht_manifest *manifest);

/* Returns HT_ERR_USAGE where the folder has a flow, which this command would remove; HT_OK with
 * --force. */
ht_status ht_run_refuse_flow(const ht_given *given);

/* Copies a file that was edited by hand to another name before it is replaced. HT_ERR_WRITE. */
ht_status ht_run_keep_case(const ht_given *given, ht_claim *claim);
ht_status ht_run_keep_mask(const ht_given *given, ht_claim *claim);

#endif

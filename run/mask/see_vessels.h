/* What the network sees in a run's scan (segment/learned/). */
#ifndef HT_SEE_VESSELS_H
#define HT_SEE_VESSELS_H

#include "run/state/run_state.h"

/* Fills run->imported.seen, unless it is there. Says before it begins how long it takes.
 * HT_ERR_MEMORY, HT_ERR_DEVICE, HT_ERR_INTERRUPTED, and the errors of ht_need_scan. */
ht_status ht_need_seen(ht_run *run);

/* Returns the share of the run's mask that the network sees as bone or metal, or as tissue more
 * than a voxel from a vessel: 0 to 1. Needs run->imported.seen. */
double ht_seen_foreign(const ht_run *run);

/* Largest such share of a vessel that is taken for right. */
extern const double ht_seen_foreign_most;

/* Returns the share of what the network sees as artery in the run's mask that lies in `other`, too:
 * 0 to 1. Needs run->imported.seen. */
double ht_seen_kept(const ht_run *run, const ht_mask *other);

/* Warns where that is more than a tenth, with `segment.learned: auto` or `only`. */
void ht_warn_of_foreign(const ht_run *run);

/* Returns 1 where the network takes a minute at most without a GPU. */
int ht_seen_is_quick(const ht_run *run);

#endif

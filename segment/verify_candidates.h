/* Check of candidates by the search between two points. Private to segment/. */
#ifndef HT_VERIFY_CANDIDATES_H
#define HT_VERIFY_CANDIDATES_H

#include "core/vessel/candidates.h"
#include "core/work/progress.h"
#include "segment/settings/segment_options.h"
#include "core/vessel/volume.h"

/* Searches the vessel between the ends of each candidate, as for one that a person takes, and drops
 * those without a vessel or with another: less than four fifths of the centreline in it. Takes some
 * seconds each. `options`: with a preset's. HT_ERR_MEMORY, HT_ERR_INTERRUPTED: all are freed. */
ht_status ht_candidates_verify(const ht_volume *scan, const ht_segment_options *options,
                               const ht_progress *progress, ht_candidates *candidates);

#endif

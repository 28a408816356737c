/* Quality of the mask: how well it follows the scan; measured, recorded, printed and drawn. */
#ifndef HT_MASK_QUALITY_H
#define HT_MASK_QUALITY_H

#include "run/state/run_state.h"

/* Measures the mask in use on the scan, records and prints its quality, with a warning for each
 * number that is out of its range, and draws the vessel along and across its centreline. Without an
 * inlet and an outlet there is no centreline, and no such picture. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_run_show_quality(ht_run *run);

/* Prints the same warnings again, from the record; none where it has no quality (of a surface, or
 * of an earlier version). `scan`: its values may be absent. */
void ht_run_warn_of_quality(const ht_case *settings, const ht_manifest *manifest,
                            const ht_volume *scan);

#endif

/* Finds where what was left out touches the vessel. Private to segment/. */
#ifndef HT_LEFT_OUT_H
#define HT_LEFT_OUT_H

#include "segment/path/way.h"

/* Sets the report's contacts: voxels of `others` next to one of the vessel, none nearer to another
 * than half a radius of the way; the first HT_SEGMENT_CONTACTS_MAX. Then finds the sections over
 * which voxels of `others` as bright as blood touch the vessel. A section counts where it is at
 * least a fifth as wide as the vessel, with at least two diameters of such blood beyond it.
 * report->left and report->lefts: the widest, widest first. `field`: that of the wall (> 0: blood).
 * `station` [voxels]: the one nearest to each. Borrows all. HT_ERR_MEMORY. */
ht_status ht_left_out_find(const ht_volume *field, const ht_way *way, const int32_t *station,
                           const ht_mask *others, const ht_mask *vessel, ht_segment_report *report);

#endif

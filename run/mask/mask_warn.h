/* Warnings about the mask and its lattice that more than one stage prints. */
#ifndef HT_MASK_WARN_H
#define HT_MASK_WARN_H

#include "run/state/run_state.h"

/* Warns of the mask in use: pieces of a drawn mask, voxels of a surface that are too large. */
void ht_warn_of_mask(const ht_run *run);

/* Warns once of all openings with too few lattice nodes across: an aorta has five. */
void ht_warn_of_coarse_openings(const ht_domain *domain);

/* Repeats the warnings about the scan and mask of an earlier command that still hold, so that
 * summary.json and the report have them, too. */
void ht_warn_again(const ht_run *run);

#endif

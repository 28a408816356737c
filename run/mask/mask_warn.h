/* Warnings about the mask and its lattice, that more than one stage says. */
#ifndef HT_MASK_WARN_H
#define HT_MASK_WARN_H

#include "run/state/run_state.h"

/* Of the mask in use: pieces of a drawn mask, voxels of a surface that are too large. */
void ht_warn_of_mask(const ht_run *run);

/* One warning for all openings with too few lattice nodes across: an aorta has five. */
void ht_warn_of_coarse_openings(const ht_domain *domain);

/* In a folder whose scan and mask are of an earlier command: what was said of them then and still
 * holds, so that summary.json and the report have it, too. */
void ht_warn_again(const ht_run *run);

#endif

/* The mask of a case, in pictures. */
#ifndef HT_DRAW_MASK_H
#define HT_DRAW_MASK_H

#include "run/state/run_state.h"

/* Draws the mask and its openings on the scan, in pictures/. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_run_draw_mask(ht_run *run);

#endif

/* The second round of a batch: pictures with the same colours. */
#ifndef HT_SAME_COLOURS_H
#define HT_SAME_COLOURS_H

#include "app/batch/batch_work.h"
#include "app/batch/cohort/cohort_table.h"

/* Draws the pictures of the cases that have results where there are none, or where their colour
 * bars have other ends: these are at the 98th percentile over the cases of their highest velocity,
 * and of the wall shear stress below which 99 % of their wall lies, rounded up; where a case's own
 * settings give an end, at that; with own_colours at the case's own values. A single case keeps its
 * own ends. `table`: of all cases, which it writes first where there is something to draw.
 * HT_ERR_INTERRUPTED after a signal; HT_ERR_MEMORY. A case whose pictures cannot be drawn gets a
 * warning, and counts in `undrawn`. */
ht_status ht_same_colours(ht_batch_work *of, const ht_cohort_table *table);

/* Counts the cases that ht_same_colours() draws; where some have to run first, at most this many.
 * HT_ERR_MEMORY. */
ht_status ht_count_redraws(const ht_batch_work *of, int *cases);

#endif

/* Inside of phantom/labelled/: the plan of a seed. */
#ifndef HT_LABELLED_DRAW_H
#define HT_LABELLED_DRAW_H

#include "phantom/labelled/labelled_plan.h"

/* Makes the plan of a seed. HT_ERR_MEMORY; free what there is also then. */
ht_status ht_labelled_plan_make(uint64_t seed, int edge, ht_labelled_plan **plan);
void ht_labelled_plan_free(ht_labelled_plan *plan);

#endif

/* The wall of one branch of the vessel. */
#ifndef HT_BRANCH_H
#define HT_BRANCH_H

#include "app/measure/results.h"

/* Marks the points of the wall from an opening to the first junction: where its way to the main
 * inlet meets that to another opening. Of the main inlet: up to where the first of these leaves. A
 * sac or a bulge belongs to the branch that it sits on. The junction is found to two lattice
 * spacings. chosen: [points of the wall]. HT_ERR_NOT_FOUND: no opening has the name; the message
 * lists them. HT_ERR_CASE: the mask was edited since the flow was computed. HT_ERR_MEMORY. */
ht_status ht_branch_points(const ht_results *results, const char *name, uint8_t *chosen);

#endif

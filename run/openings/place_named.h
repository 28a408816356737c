/* Openings of a case that have a name and no place yet: `--set openings.NAME.KEY=VALUE` of an
 * opening that was found and that the case does not list. */
#ifndef HT_PLACE_NAMED_H
#define HT_PLACE_NAMED_H

#include "run/openings/placed.h"
#include "run/case/case.h"

/* Gives each of them the place and the role of the opening with that name in the folder's
 * openings.json, as a line of case.yaml would from which the '#' is removed. HT_ERR_USAGE: there is
 * none; the message lists those that are there. HT_ERR_FORMAT: the file is damaged. */
ht_status ht_place_named(ht_case *settings, const char *folder);

/* Finds where an opening of the case is not: distance of the opening with its name from the place
 * that the case gives, in mm. 0: it lies there (within its radius and HT_NEAR_SLACK_MM), or the
 * case gives no place; -1: no opening has that name. */
double ht_place_strayed_mm(const ht_case_opening *asked, const ht_openings *found);

#endif

/* Openings of a case that have a name and no place yet: `--set openings.NAME.KEY=VALUE` of an
 * opening that was found and that the case does not list. */
#ifndef HT_PLACE_NAMED_H
#define HT_PLACE_NAMED_H

#include "run/openings/placed.h"
#include "run/case/case.h"

/* Gives each of them the place and the role of the opening with that name in the folder's
 * openings.json, as a line of case.yaml would from which the '#' is removed. HT_ERR_USAGE: there is
 * none; the message lists those that are there; or an opening gets the name of another one that
 * keeps it. HT_ERR_FORMAT: the file is damaged. */
ht_status ht_place_named(ht_case *settings, const char *folder);

/* Finds the opening of an entry of the case among those that were found: by its name, else, or
 * where the one of that name lies elsewhere, at its place (the entry got another name since).
 * Returns its number; -1: there is none. *strayed_mm gets its distance from the place that the
 * entry gives, where that is more than its radius and HT_NEAR_SLACK_MM: the name belongs to another
 * place; else 0. */
int ht_place_of_entry(const ht_case_opening *entry, const ht_openings *found, double *strayed_mm);

/* Overrides the name, role and values of an opening that was found by those of the case's entry. */
void ht_place_apply(const ht_case_opening *asked, ht_opening *opening);

#endif

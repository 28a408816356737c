/* Messages about a vessel that is found between points. */
#ifndef HT_PRINT_POINTS_H
#define HT_PRINT_POINTS_H

#include "run/case/case.h"

/* Before the search: the points of a file, and a warning of settings that do not count with them.
 * Nothing without points. */
void ht_tell_points_given(const ht_case *settings);

/* A warning where names that a person gave, in a file of points or openings, cannot be compared
 * with the patient's: after the import nothing in the folder says what that is. */
void ht_tell_names_unchecked(const ht_case *settings);

/* After it: which points were moved to the vessel, what was left out; a warning of an opening that
 * is not where its point is, or far wider or narrower than the vessel there. */
void ht_tell_points_found(const ht_case *settings, const ht_segment_report *report,
                          const ht_openings *openings);

#endif

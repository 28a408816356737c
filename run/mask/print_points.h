/* Messages about a vessel that is found between points. */
#ifndef HT_PRINT_POINTS_H
#define HT_PRINT_POINTS_H

#include "run/case/case.h"
#include "run/openings/placed.h"

/* Prints the points of a file, and a warning of settings that have no effect with points. Call it
 * before the search; does nothing without points. */
void ht_tell_points_given(const ht_case *settings);

/* Warns where names that a person gave, in a file of points or openings, cannot be compared with
 * the patient's: after the import nothing in the folder holds the patient's name. */
void ht_tell_names_unchecked(const ht_case *settings);

/* HT_ERR_OPENINGS, and placed->lost_point, where an opening inside the scan is not where its point
 * is, or far wider or narrower than the vessel there: the cut runs through two vessels that join,
 * or along one. */
ht_status ht_check_point_cuts(const ht_case *settings, const ht_segment_report *report,
                              ht_placed *placed);

/* Prints which points were moved to the vessel and what was left out. Call it after the search.
 * Blood that is left out at an end that is closed for it is told with that end (place_warn.h). */
void ht_tell_points_found(const ht_case *settings, const ht_segment_report *report,
                          const ht_placed *placed);

#endif

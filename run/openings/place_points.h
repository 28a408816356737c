/* Openings at the points between which the vessel was found. */
#ifndef HT_PLACE_POINTS_H
#define HT_PLACE_POINTS_H

#include "run/case/case.h"

/* Gives every point of the case at which the vessel ends an entry in the case's list of openings,
 * as a cut across the vessel at the place given in the report; without a report of points (NULL, or
 * of a ready mask) at the point itself. An entry without a plane of its own that lies near (within
 * the vessel's radius and HT_NEAR_SLACK_MM) becomes that entry and keeps its name, role and flow;
 * one with a plane of its own stays as it is, in place of the point. The first point is the inlet
 * where neither an entry nor its name says otherwise, and no other point is an inlet; the others
 * are outlets. An entry of a point that the vessel leads through is removed, with a note. Call it
 * again for every lattice: planes are then found again. HT_ERR_OPENINGS: more than
 * HT_OPENINGS_MAX. */
ht_status ht_place_points(ht_case *settings, const ht_segment_report *report);

/* Places entries of the list that have no place yet: those added by hand since the segmentation. */
void ht_place_new_points(ht_case *settings, const ht_segment_report *report);

#endif

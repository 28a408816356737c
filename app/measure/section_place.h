/* The plane of a section: as given, or across the vessel at a point. */
#ifndef HT_SECTION_PLACE_H
#define HT_SECTION_PLACE_H

#include "app/measure/place.h"
#include "app/measure/results.h"
#include "export/measure/plane_section.h"

typedef struct {
  ht_plane_cut cut; /* owned */
  ht_plane_section section;
  double axis[3];   /* direction of the vessel there, LPS, unit; its side is not decided */
  char remark[256]; /* what the point snapped to; "" */
} ht_placed_section;

/* Finds the section of a plane or a station. A point outside the vessel takes the nearest section,
 * at most 5 mm away, with a remark.
 *
 * Without a normal the plane lies across the vessel. On the centreline of centreline.csv (the
 * middle between the wall nearest to the point and that opposite is no farther from it than the
 * wall) it is perpendicular to the centreline, over the vessel's width. In other branches it starts
 * across the mean velocity, and turns until it is perpendicular to the direction along which the
 * normals of the wall around it vary least (of a tube or a cone its axis, whatever the plane that
 * cuts it), by 26 degrees at most. So each point of a section gives nearly the same one.
 *
 * HT_ERR_USAGE: the plane cuts no vessel near the point, or leaves the vessel through an opening;
 * HT_ERR_MEMORY. The caller frees. */
ht_status ht_section_place(const ht_results *results, const ht_measure_place *place,
                           ht_placed_section *placed);
void ht_placed_section_free(ht_placed_section *placed);

/* Finds the section of the same vessel `along_mm` further along its axis. Errors as above. */
ht_status ht_section_place_beside(const ht_results *results, const ht_placed_section *placed,
                                  double along_mm, ht_placed_section *beside);

/* Position of a place on the centreline of centreline.csv, mm, and its distance from it; NAN: there
 * is none. `next`: the station behind it. */
double ht_station_position(const ht_results *results, const double place_mm[3], double *away_mm,
                           int *next);

#endif

/* The narrowest place on the main way through a vessel, and the neighbouring vessel that it is
 * compared with.
 *
 * The throat is the station with the least area as a share of the neighbouring vessel, below 3/4:
 * of the smaller of the two medians of the areas within four diameters before and after it. Its
 * area is the least up to where the section has 1.2 times as much, to both sides: a station whose
 * neighbour is narrower still, up to the end of the vessel, is no throat. A side that ends within a
 * diameter has no median.
 *
 * The reference: the narrowing ends at the nearest station with 0.8 of the median of its side, and
 * the median is taken again over four diameters from there on, until it stays. So a long narrowing
 * is not compared with its own slopes. A side with less than a diameter of that has no reference.
 *
 * Stations at a sac or a junction (is_mixed) are left out of all this. */
#ifndef HT_NARROW_STATION_H
#define HT_NARROW_STATION_H

#include "export/beat/beat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The area of a station, as a share of the vessel's, from which the vessel counts as wide. */
#define HT_WIDE_AREA 0.8

typedef struct {
  int station;          /* of the throat; -1: no place is narrow, and all else is 0 */
  double beside_mm2[2]; /* median areas before and after it; NAN: not known */
  double reference_mm2; /* the smaller one */
  double reach_mm2[2];  /* the least and the largest reference of 2, 4 and 8 diameters */
  int is_short[2];      /* 1: the vessel ends on this side before it is as wide as the reference */
  int is_junction;      /* 1: the next section is a sac's or a junction's */
  int second;          /* another narrow station, beyond where the vessel is wide again; -1: none */
  double second_share; /* its area / that of the neighbouring vessel */
  double end_share[2]; /* first and last section / the vessel there, where the vessel narrows up
                          to its end; else 1 */
} ht_narrow_station;

/* Finds the narrowest place of a beat's path. HT_ERR_MEMORY. */
ht_status ht_narrow_station_find(const ht_beat *beat, ht_narrow_station *narrow);

/* The nearest station from `from` on, in steps of +1 or -1, that is the vessel's and has 0.8 of an
 * area. Beyond the last: none. */
int ht_wide_station(const ht_beat *beat, int from, int step, double area_mm2);

#ifdef __cplusplus
}
#endif
#endif

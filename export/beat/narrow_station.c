#include "export/beat/narrow_station.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double narrow = 0.75;        /* of the median area */
static const double second_narrow = 0.64; /* 20 % of the diameter */
static const double rise = 1.2;           /* of the throat's area: not the noise of a lattice */
static const double reach_diameters = 4, least_diameters = 1, slope_diameters = 2;

typedef struct {
  const ht_beat *beat;
  double diameter_mm; /* of the median area of all stations */
  double *room;       /* [beat->stations] */
} course;

/* ---- the vessel next to a station ---- */

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The step of a side: 0 is upstream of a station (-1), 1 downstream (+1). */
static int step_of(int side) {
  return side ? 1 : -1;
}

static int is_there(const ht_beat *beat, int s) {
  return s >= 0 && s < beat->stations;
}

/* The median of the areas from station `from` on within a distance. NAN: less than a diameter. */
static double median_from(const course *of, int from, int step, double reach_mm) {
  const ht_beat *beat = of->beat;
  double span_mm = 0;
  size_t count = 0;
  for (int s = from; is_there(beat, s); s += step) {
    double away_mm = fabs(beat->station[s].along_mm - beat->station[from].along_mm);
    if (away_mm > reach_mm) break;
    span_mm = away_mm;
    if (!beat->station[s].is_mixed) of->room[count++] = beat->station[s].area_mm2;
  }
  if (count == 0 || span_mm < least_diameters * of->diameter_mm) return NAN;
  qsort(of->room, count, sizeof *of->room, by_size);
  return of->room[count / 2];
}

/* The median of the areas on one side of a station, within `reach_diameters`. */
static double median_beside(const course *of, int at, int side) {
  return median_from(of, at + step_of(side), step_of(side), reach_diameters * of->diameter_mm);
}

int ht_wide_station(const ht_beat *beat, int from, int step, double area_mm2) {
  int s = from;
  while (is_there(beat, s) &&
         (beat->station[s].is_mixed || beat->station[s].area_mm2 < HT_WIDE_AREA * area_mm2))
    s += step;
  return s;
}

/* ---- the throat ---- */

/* Returns 1 where, on one side, the area rises before it falls below that of station `at` or the
 * vessel ends. */
static int rises(const ht_beat *beat, int at, int step) {
  const ht_station *station = beat->station;
  for (int s = at + step; is_there(beat, s); s += step) {
    if (station[s].is_mixed) continue;
    if (station[s].area_mm2 < station[at].area_mm2) return 0;
    if (station[s].area_mm2 >= rise * station[at].area_mm2) return 1;
  }
  return 0;
}

static int is_throat(const ht_beat *beat, int s) {
  return !beat->station[s].is_mixed && rises(beat, s, -1) && rises(beat, s, 1);
}

/* The narrowest throat of [low, high), by its share of the vessel next to it, which is below
 * `least`. -1: none. */
static int find_narrowest(const course *of, int low, int high, double *least) {
  int found = -1;
  for (int s = low; s < high; s++) {
    if (!is_throat(of->beat, s)) continue;
    double beside_mm2 = fmin(median_beside(of, s, 0), median_beside(of, s, 1)); /* NAN: the other */
    double share = of->beat->station[s].area_mm2 / beside_mm2;
    if (share < *least) found = s, *least = share;
  }
  return found;
}

/* ---- the reference ---- */

/* The median over `diameters` from where the vessel is wide again: NAN where it is not. */
static double median_beyond(const course *of, int at, int side, double area_mm2, double diameters) {
  if (isnan(area_mm2)) return NAN;
  int from = ht_wide_station(of->beat, at, step_of(side), area_mm2);
  if (!is_there(of->beat, from)) return NAN;
  return median_from(of, from, step_of(side), diameters * of->diameter_mm);
}

static double reference_beside(const course *of, int at, int side) {
  enum { TRIES = 20 };
  const double same = 1e-3;
  double area_mm2 = median_beside(of, at, side);
  for (int i = 0; i < TRIES; i++) {
    double next_mm2 = median_beyond(of, at, side, area_mm2, reach_diameters);
    int stays = fabs(next_mm2 - area_mm2) <= same * area_mm2;
    area_mm2 = next_mm2;
    if (stays || isnan(area_mm2)) break;
  }
  return area_mm2;
}

/* Finds the references of half and twice the reach: they differ where the vessel next to the
 * narrowing is not even. */
static void vary_reach(const course *of, ht_narrow_station *n) {
  n->reach_mm2[0] = n->reach_mm2[1] = n->reference_mm2;
  for (int k = 0; k < 2; k++) {
    double diameters = reach_diameters * (k ? 2 : 0.5), beside[2];
    for (int side = 0; side < 2; side++)
      beside[side] = median_beyond(of, n->station, side, n->beside_mm2[side], diameters);
    double area_mm2 = fmin(beside[0], beside[1]);
    n->reach_mm2[0] = fmin(n->reach_mm2[0], area_mm2);
    n->reach_mm2[1] = fmax(n->reach_mm2[1], area_mm2);
  }
}

/* Finds the reference. Where neither side has one, the narrowing fills the vessel, and only its own
 * slopes are left. */
static void find_reference(const course *of, ht_narrow_station *n) {
  const ht_beat *beat = of->beat;
  for (int side = 0; side < 2; side++) n->beside_mm2[side] = reference_beside(of, n->station, side);
  n->reference_mm2 = fmin(n->beside_mm2[0], n->beside_mm2[1]);
  if (isnan(n->reference_mm2))
    n->reference_mm2 = fmin(median_beside(of, n->station, 0), median_beside(of, n->station, 1));
  for (int side = 0; side < 2; side++)
    n->is_short[side] =
        isnan(n->beside_mm2[side]) &&
        !is_there(beat, ht_wide_station(beat, n->station, step_of(side), n->reference_mm2));
  vary_reach(of, n);
}

static int is_mixed_beside(const ht_beat *beat, int at) {
  return (at > 0 && beat->station[at - 1].is_mixed) ||
         (at + 1 < beat->stations && beat->station[at + 1].is_mixed);
}

/* ---- other narrow places ---- */

static void find_second(const course *of, ht_narrow_station *n) {
  double least = second_narrow;
  int before = ht_wide_station(of->beat, n->station, -1, n->reference_mm2);
  int behind = ht_wide_station(of->beat, n->station, 1, n->reference_mm2);
  n->second = find_narrowest(of, 0, before, &least);
  int later = find_narrowest(of, behind, of->beat->stations, &least);
  if (later >= 0) n->second = later;
  n->second_share = least;
}

/* The share that the vessel's first or last section has of the vessel two diameters inside it; 1
 * where it is not narrow, or not the narrowest there, or the vessel tapers slowly. */
static double end_share(const course *of, int side) {
  const ht_beat *beat = of->beat;
  int inwards = -step_of(side), end = side ? beat->stations - 1 : 0, s = end;
  double near_mm = slope_diameters * of->diameter_mm, least_mm2 = beat->station[end].area_mm2;
  for (; is_there(beat, s); s += inwards) {
    if (fabs(beat->station[s].along_mm - beat->station[end].along_mm) > near_mm) break;
    if (beat->station[s].is_mixed || beat->station[s].area_mm2 * rise < least_mm2) return 1;
  }
  double inside_mm2 =
      is_there(beat, s) ? median_from(of, s, inwards, reach_diameters * of->diameter_mm) : NAN;
  double share = least_mm2 / inside_mm2;
  return share < second_narrow && beat->station[s].area_mm2 >= HT_WIDE_AREA * inside_mm2 ? share
                                                                                         : 1;
}

ht_status ht_narrow_station_find(const ht_beat *beat, ht_narrow_station *n) {
  course of = {.beat = beat};
  double least = narrow;
  *n = (ht_narrow_station){.station = -1, .second = -1, .end_share = {1, 1}};
  HT_TRY(ht_alloc((void **)&of.room, (size_t)beat->stations, sizeof *of.room, "the narrowing"));
  double all_mm2 = median_from(&of, 0, 1, INFINITY);
  of.diameter_mm = 2 * sqrt(all_mm2 / HT_PI);
  n->station = find_narrowest(&of, 0, beat->stations, &least);
  if (n->station >= 0) {
    find_reference(&of, n);
    n->is_junction = is_mixed_beside(beat, n->station);
    find_second(&of, n);
  }
  for (int side = 0; side < 2; side++) n->end_share[side] = end_share(&of, side);
  free(of.room);
  return HT_OK;
}

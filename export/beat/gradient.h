/* The pressure drop over the narrowest place on the main way through a vessel, as catheter and
 * Doppler would measure it.
 *
 * narrow_station.h says which station is the throat, and what its area is compared with.
 *
 * Proximal: the nearest station before it with 0.8 of the median there. Distal: from the nearest
 * station after it with 0.8 of the median there on, the one with the highest mean pressure, where
 * the jet's pressure has recovered. A second narrowing, of 20 % of the diameter or more before the
 * proximal station or beyond where the vessel is wide again, is named. With p1(t), p2(t) the
 * section's mean pressures there:
 *   peak-to-peak   max p1 - max p2, at different times, as from a catheter drawn back
 *   highest        max (p1 - p2), at one time
 *   mean           mean of (p1 - p2) over the beat
 * to the jet: p1 minus the least of the sections' mean pressures between the two, at one time; the
 * highest over the beat. This one, before the pressure recovers, is what Doppler's v means.
 *
 * From the computed speeds, Bernoulli with 4 mmHg for each (m/s)^2 (Hatle, Brubakk, Tromsdal &
 * Angelsen, Br. Heart J. 40 (1978) 131): v2 is the highest speed of the sections between the two,
 * v1 that in the proximal section at the same time.
 *   simplified  4 v2^2
 *   full        4 (v2^2 - v1^2)
 *   mean        4 v2(t)^2 over the beat
 *
 * How narrow: by diameter 1 - sqrt(throat / reference), by area 1 - throat / reference. The median
 * areas before and after it are given as the diameters of circles, too.
 *
 * Recovery: at the time of the highest drop to the jet, that drop less p1 - p2 at this time: the
 * pressure recovered after the jet (Garcia, Dumesnil, Durand, Kadem & Pibarot, J. Am. Coll.
 * Cardiol. 41 (2003) 435). Doppler's number exceeds a catheter's by it.
 *
 * With several beats each of these is that of the mean beat; the standard error is that of the
 * values of the beats, their standard deviation / sqrt(beats). */
#ifndef HT_GRADIENT_H
#define HT_GRADIENT_H

#include "export/beat/beat.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int is_narrow;    /* 0: no place is narrow, and all else but end_diameter_percent is 0 */
  int is_pulsatile; /* 0: a steady flow; ht_gradient_of leaves it to the caller */
  int proximal, throat, distal; /* stations */
  ht_station place[3];          /* these three */
  int has_second;               /* 1: another place is narrow, too, beyond these */
  ht_station second;
  double second_narrow_diameter_percent;
  double reference_mm2; /* the area that the throat is compared with */
  double peak_to_peak_mmhg, highest_mmhg, mean_mmhg;
  double peak_to_peak_error_mmhg, highest_error_mmhg, mean_error_mmhg; /* 0: of one beat */
  double highest_time_s;
  double throat_diameter_mm, before_diameter_mm, behind_diameter_mm; /* the last two: medians, NAN
                                                                        where not known */
  double narrow_diameter_percent, narrow_area_percent;
  double
      reach_diameter_percent[2];  /* least, largest: against the vessel within 2, 4, 8 diameters */
  int is_short[2];                /* 1: the vessel before, after it ends before it is wide */
  int is_junction;                /* 1: the throat is next to a sac or a junction */
  double end_diameter_percent[2]; /* first, last station: where the vessel narrows up to its end,
                                     by how much; else 0 */
  double to_jet_mmhg;             /* the highest over the beat */
  double recovery_mmhg, recovery_percent; /* at the same time; percent of it */
  double jet_angle_deg;                   /* NAN: not known; ht_jet_angle sets it */
  double v1_m_s, v2_m_s;
  double bernoulli_simplified_mmhg, bernoulli_full_mmhg, bernoulli_mean_mmhg;
} ht_gradient;

/* Measures the narrowing of a beat. A beat without samples or with fewer than 3 stations is not
 * narrow. HT_ERR_MEMORY. */
ht_status ht_gradient_of(const ht_beat *beat, ht_gradient *gradient);

/* The largest standard error of the gradient's three numbers; where no place is narrow, that of the
 * mean pressure drop from the first station to the last. mmHg; 0: of one beat, or no station. */
double ht_gradient_error(const ht_beat *beat, const ht_gradient *gradient);

#ifdef __cplusplus
}
#endif
#endif

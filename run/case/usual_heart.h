/* Usual values of a healthy person of an age, for a case that does not give them. */
#ifndef HT_USUAL_HEART_H
#define HT_USUAL_HEART_H

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_USUAL_LEAST_YEARS = 1 }; /* nothing is known below this age */

typedef struct {
  double heart_rate_per_min, cardiac_output_l_min;
  double blood_pressure_mmhg[2]; /* systolic, diastolic */
} ht_usual_heart;

/* Returns means of both sexes, linear between the ages of the tables, at rest; an age below
 * HT_USUAL_LEAST_YEARS counts as that.
 * - Heart rate: Fleming et al., Lancet 377 (2011) 1011 (1 and 2 years); Ostchega et al., Natl.
 *   Health Stat. Rep. 41 (2011) (from 5 years on).
 * - Cardiac output: cardiac index times body surface area. Index: 3.38 L/min/m2 in children (Jegier
 *   et al., Br. Heart J. 25 (1963) 425); adults by decade: Carlsson et al., J. Cardiovasc. Magn.
 *   Reson. 14 (2012) 51. Area: the reference individuals of ICRP Publication 89 (2002).
 * - Blood pressure: the 50th percentile at the median height (Fourth Report, Pediatrics 114 (2004)
 *   555); from 20 years on the mean of normotensive adults, 116 over 69 mmHg (Wright et al., Natl.
 *   Health Stat. Rep. 35 (2011)).
 * Rates and pressures are whole numbers, the output has one decimal: single persons differ by a
 * fifth and more. */
ht_usual_heart ht_usual_heart_at(double age_years);

#ifdef __cplusplus
}
#endif
#endif

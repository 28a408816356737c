/* A periodic flow waveform Q(t): constant, samples joined by cubics, or a Fourier series. Flow is
 * in mL/s, time in s. The struct owns no memory: copy it by assignment, free nothing.
 *
 *   Q(t) of samples: cubics with Q and Q' continuous, also from the last sample to the first of the
 *   next period, that rise or fall between two samples as these do (Fritsch & Carlson, SIAM J.
 * Numer. Anal. 17 (1980) 238; slopes of Fritsch & Butland, SIAM J. Sci. Stat. Comput. 5 (1984)
 * 300). So Q never leaves the range of the samples, however unevenly they lie. Q(t) of a spline:
 * Q'' is continuous, too (de Boor, A Practical Guide to Splines (1978), chapter IV). It is nearer
 * to a smooth flow between dense samples, and overshoots next to wide gaps: for tables that were
 * checked against their source. Q(t) of a series: mean + sum_k cosine[k-1] cos(k w t) + sine[k-1]
 * sin(k w t), w = 2 pi / period. */
#ifndef HT_WAVEFORM_H
#define HT_WAVEFORM_H

#include "solver/inflow/waveform_period.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_WAVEFORM_SAMPLES_MIN = 4, HT_WAVEFORM_SAMPLES_MAX = 4096, HT_HARMONICS_MAX = 64 };

/* A Fourier series; harmonics 0: constant. */
typedef struct {
  double period_s; /* 0 where constant */
  double mean_ml_s;
  int harmonics;
  double cosine_ml_s[HT_HARMONICS_MAX], sine_ml_s[HT_HARMONICS_MAX]; /* of harmonic k at [k-1] */
} ht_harmonics;

typedef struct {
  double period_s; /* 0: constant */
  ht_period_reason period_reason;
  int samples; /* joined by cubics; 0: `series` is the waveform */
  double time_s[HT_WAVEFORM_SAMPLES_MAX];
  double flow_ml_s[HT_WAVEFORM_SAMPLES_MAX];
  double bend_before[HT_WAVEFORM_SAMPLES_MAX]; /* Q'' just before each sample, mL/s^3, */
  double bend_after[HT_WAVEFORM_SAMPLES_MAX];  /* and just after it */
  ht_harmonics series;
} ht_waveform;

void ht_waveform_constant(double flow_ml_s, ht_waveform *waveform);

/* Makes a waveform of `count` samples, times rising, joined monotonely. The beat ends as
 * ht_period_find() says, with `given_s` and `wanted_s` (0: not given). HT_ERR_CASE: too few or too
 * many, a time not above the one before, a value not finite, an end of the period that is not
 * clear; `*row` (may be NULL) is then the number of the sample, from 0, or -1. */
ht_status ht_waveform_samples(int count, const double *time_s, const double *flow_ml_s,
                              double given_s, double wanted_s, int *row, ht_waveform *waveform);

/* Makes the same waveform as a spline. Errors as above, and HT_ERR_MEMORY. */
ht_status ht_waveform_spline(int count, const double *time_s, const double *flow_ml_s, int *row,
                             ht_waveform *waveform);

/* Makes a waveform of a Fourier series, which is copied. HT_ERR_CASE: a period not above 0,
 * harmonics not in 0 to HT_HARMONICS_MAX, a value not finite. */
ht_status ht_waveform_series(const ht_harmonics *series, ht_waveform *waveform);

/* Multiplies the flow so that its mean over a period is `mean_ml_s`. HT_ERR_CASE where the present
 * mean is not above 0. */
ht_status ht_waveform_scale(ht_waveform *waveform, double mean_ml_s);

/* Stretches the waveform to another period; no change where it is constant. HT_ERR_CASE: not > 0.
 */
ht_status ht_waveform_stretch(ht_waveform *waveform, double period_s);

/* Q(t), mL/s, at any time. */
double ht_waveform_value(const ht_waveform *waveform, double time_s);

/* The mean over a period (exact). */
double ht_waveform_mean(const ht_waveform *waveform);

/* The least and the most of Q, and the largest |Q|, of 8192 moments of a period and the samples. */
void ht_waveform_range(const ht_waveform *waveform, double *least, double *most);
double ht_waveform_peak(const ht_waveform *waveform);

/* Returns the number of times that the waveform repeats itself within its period, up to 4: 2 for a
 * table of two beats. Two beats that differ by less than 5 % of the range everywhere are one. */
int ht_waveform_repeats(const ht_waveform *waveform);

/* The Fourier series of the waveform, exact for cubics (their third derivative is constant between
 * samples), with the fewest harmonics, `most` at most, so that the error is below `share`: the root
 * mean square of the rest over that of Q - mean. Returns that error. */
double ht_waveform_harmonics(const ht_waveform *waveform, double share, int most,
                             ht_harmonics *series);

/* Mean flow in mL/s at a Reynolds number (mean velocity * diameter / kinematic viscosity). */
double ht_flow_of_reynolds(double reynolds, double diameter_m, double viscosity_pa_s,
                           double density_kg_m3);

#ifdef __cplusplus
}
#endif
#endif

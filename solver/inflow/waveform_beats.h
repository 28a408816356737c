/* Tells whether the table of a waveform holds several beats. */
#ifndef HT_WAVEFORM_BEATS_H
#define HT_WAVEFORM_BEATS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The length in seconds, to a few per cent, of one beat of a table that holds 1.6 beats or more;
 * 0: as far as the flow tells, it holds one.
 *
 * The flow at t and at t + lag are compared wherever the table has both. Their difference counts
 * against their variance about the common mean: q = <d^2> / 2V, which is 0 of an exact repeat and 1
 * where one says nothing of the other (one less the autocorrelation; the difference function of de
 * Cheveigne & Kawahara, J. Acoust. Soc. Am. 111 (2002) 1917, eq. 6, over the variance). The share
 * of q that is smooth from sample to sample, s, is no noise: two humps of one beat differ so. How
 * small q and s have to be follows from the heart rates that the two readings mean: below 38 beats
 * per minute a table is probably several beats, above 50 it is probably one. Times that are no
 * seconds (above 60) tell nothing. */
double ht_waveform_beat_within(int count, const double *time_s, const double *flow_ml_s);

#ifdef __cplusplus
}
#endif
#endif

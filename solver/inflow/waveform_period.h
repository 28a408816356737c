/* Finds the end of the beat of a sampled waveform. A table does not say so by itself: its last row
 * may be the first of the next beat, or the last before it. */
#ifndef HT_WAVEFORM_PERIOD_H
#define HT_WAVEFORM_PERIOD_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Source of the length of the beat. */
typedef enum {
  HT_PERIOD_BUILT_IN, /* no table: a published waveform, a Fourier series, a constant */
  HT_PERIOD_GIVEN,    /* the caller gave it */
  HT_PERIOD_REPEATS,  /* the last sample has the first one's flow */
  HT_PERIOD_NEARLY,   /* the last sample has it nearly, where no other reading fits */
  HT_PERIOD_SPACING /* the samples are even (to 10 % of a spacing) and the last does not repeat the
                       first: the next beat begins one spacing after it */
} ht_period_reason;

/* Each as the end of a sentence: "its last row repeats the first". */
extern const char *const ht_period_reason_words[];

typedef struct {
  double period_s;
  int kept; /* samples of the beat: a last one that is the first of the next beat does not count */
  ht_period_reason reason;
} ht_period;

/* The beat of `count` samples whose times rise. `given_s` > 0 is its length, `wanted_s` > 0 the
 * length that it will be stretched to (0: not known): one of two possible lengths that equals
 * `wanted_s` is taken. HT_ERR_CASE: there is more than one possible length, none, or `given_s` does
 * not fit the times and flows. The message says what to give. */
ht_status ht_period_find(int count, const double *time_s, const double *flow_ml_s, double given_s,
                         double wanted_s, ht_period *found);

#ifdef __cplusplus
}
#endif
#endif

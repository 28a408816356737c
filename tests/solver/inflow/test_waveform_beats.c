/* Several beats in one table are found, also noisy ones and parts of one; a single beat of any
 * vessel is none of them. */
#include "tests/check.h"
#include "solver/inflow/published_waveforms.h"
#include "core/numbers/units.h"
#include "solver/inflow/waveform_beats.h"

enum { ROWS_MAX = 400 };

static double times[ROWS_MAX], flows[ROWS_MAX];
static ht_waveform published;
static uint32_t seed;

/* Returns noise between -1 and 1, with the mean square 1/3. */
static double noise(void) {
  seed = 1664525u * seed + 1013904223u;
  return seed / 2147483648.0 - 1;
}

static double hump(double phase, double at, double width) {
  const double d = phase - at - floor(phase - at + 0.5);
  return exp(-d * d / (2 * width * width));
}

/* Vessels over one beat, phase 0 to 1. */
enum { CAROTID, AORTA, FEMORAL, CEREBRAL, RENAL, CORONARY, CAVAL, PORTAL, PULMONARY, SINE, SHAPES };

static double shape(int kind, double phase) {
  switch (kind) {
  case CAROTID:
  case AORTA:
    return ht_waveform_value(&published, phase * published.period_s);
  case FEMORAL: /* three phases */
    return 0.3 + 10 * hump(phase, 0.15, 0.05) - 3.5 * hump(phase, 0.35, 0.05) +
           1.2 * hump(phase, 0.55, 0.06);
  case CEREBRAL:
    return 50 + 60 * hump(phase, 0.12, 0.05) + 40 * hump(phase, 0.25, 0.09) +
           15 * hump(phase, 0.5, 0.12);
  case RENAL: /* a dicrotic notch */
    return 3 + 5 * hump(phase, 0.12, 0.04) + 3.5 * hump(phase, 0.22, 0.1) + hump(phase, 0.5, 0.2);
  case CORONARY:
    return 1 + 2 * hump(phase, 0.15, 0.08) + 2.2 * hump(phase, 0.55, 0.12);
  case CAVAL: /* S, D and the atrium's backflow */
    return 5 + 30 * hump(phase, 0.22, 0.08) + 15 * hump(phase, 0.6, 0.08) -
           6 * hump(phase, 0.9, 0.05);
  case PORTAL:
    return 12 + 1.5 * hump(phase, 0.3, 0.2);
  case PULMONARY: /* two humps that are nearly one another's like */
    return 2 + 40 * hump(phase, 0.25, 0.09) + 45 * hump(phase, 0.65, 0.07) -
           15 * hump(phase, 0.92, 0.035);
  default:
    return 2 + sin(2 * HT_PI * phase);
  }
}

/* Rows of `beats` beats of `beat_s` from `phase` on, the noise's deviation in shares of the range.
 */
static double find(int kind, double beats, double beat_s, int rows, double phase, double share) {
  double low = INFINITY, high = -INFINITY;
  if (kind == CAROTID || kind == AORTA)
    assert_int_equal(
        ht_waveform_published(kind == AORTA ? HT_WAVEFORM_AORTA : HT_WAVEFORM_CAROTID, &published),
        HT_OK);
  for (int i = 0; i < rows; i++) {
    times[i] = i * beats * beat_s / (rows - 1);
    flows[i] = shape(kind, times[i] / beat_s + phase);
    low = fmin(low, flows[i]);
    high = fmax(high, flows[i]);
  }
  for (int i = 0; i < rows; i++) flows[i] += sqrt(3) * noise() * share * (high - low);
  return ht_waveform_beat_within(rows, times, flows);
}

static const double shares[] = {0, 0.03, 0.07}, beat_s[] = {0.5, 0.7, 0.9, 1.1};

static void leave_one_beat(void **unused) {
  (void)unused;
  seed = 1;
  for (int kind = 0; kind < SHAPES; kind++)
    for (int b = 0; b < 4; b++)
      for (int n = 0; n < 3; n++)
        for (int try = 0; try < 10; try++) {
          const int rows = 10 + 9 * try;
          const double found = find(kind, 1, beat_s[b], rows, 0.1 * try, shares[n]);
          if (found != 0)
            fail_msg("shape %d, a beat of %g s, %d rows, noise %g: %g s", kind, beat_s[b], rows,
                     shares[n], found);
        }
}

/* Several beats are found from 1.75 beats on, where the whole would be a slow heart's beat. */
static void find_several(void **unused) {
  static const double beats[] = {1.75, 2, 2.5, 3, 4};
  static const int kinds[] = {CAROTID, AORTA, FEMORAL, CEREBRAL, RENAL, CAVAL};
  (void)unused;
  seed = 2;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (int b = 0; b < 5; b++)
      for (int n = 0; n < 3; n++)
        for (int try = 0; try < 4; try++) {
          const int rows = (int)((16 + 9 * try) * beats[b]);
          const double found = find(kinds[k], beats[b], 0.9, rows, 0.03 * try, shares[n]);
          if (fabs(found - 0.9) > 0.05)
            fail_msg("shape %d, %g beats, %d rows, noise %g: %g s", kinds[k], beats[b], rows,
                     shares[n], found);
        }
  assert_near(find(CAROTID, 2, 0.5, 41, 0, 0), 0.5, 1e-9); /* of a child: where exact */
}

/* Times in per cent of the beat or in ms, falling times, a constant flow, few rows. */
static void pass_what_tells_nothing(void **unused) {
  (void)unused;
  find(CAROTID, 2, 0.9, 41, 0, 0);
  for (int i = 0; i < 41; i++) times[i] *= 1000;
  assert_true(ht_waveform_beat_within(41, times, flows) == 0);
  find(CAROTID, 2, 0.9, 41, 0, 0);
  times[7] = 0;
  assert_true(ht_waveform_beat_within(41, times, flows) == 0);
  assert_true(find(CAROTID, 2, 0.9, 7, 0, 0) == 0);
  find(CAROTID, 2, 0.9, 41, 0, 0);
  for (int i = 0; i < 41; i++) flows[i] = 3;
  assert_true(ht_waveform_beat_within(41, times, flows) == 0);
  flows[3] = NAN;
  assert_true(ht_waveform_beat_within(41, times, flows) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(leave_one_beat),
                                     cmocka_unit_test(find_several),
                                     cmocka_unit_test(pass_what_tells_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

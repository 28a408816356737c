/* Choice of the beats that make the results of a pulse: made-up series of beats, each a field of
 * numbers; and the steps of their samples. */
#include "tests/check.h"
#include "solver/run/pulse/beat_count.h"
#include "solver/run/pulse/beat_schedule.h"
#include "core/vessel/flow.h"
#include "solver/samples/flow_average.h"
#include <string.h>

enum { NUMBERS = 3000, BEATS_MOST = 40 };

/* Fills [NUMBERS], the velocity at the peak of beat `beat`, from 1. */
typedef void (*beat_maker)(int beat, float *field);

typedef struct {
  int beats, counted, holds; /* run; of these the results are made; they vary about a mean */
  int again;                 /* how often the count began again */
  double change;
} outcome;

/* Plays the beats as pulse_end.c, from beat number `cycles` on; the observer has enough with
 * `enough` beats. */
static outcome play(beat_maker make, int cycles, int most, int enough) {
  static float first[NUMBERS], before[NUMBERS], now[NUMBERS];
  ht_beat_count count = {0};
  outcome got = {0};
  for (int beat = cycles; beat <= most; beat++) {
    make(beat - 1, before);
    make(beat, now);
    ht_beat_end end = {.change = ht_relative_change(now, before, NUMBERS),
                       .drift = ht_relative_change(now, first, NUMBERS),
                       .divides = 1,
                       .enough = count.counted + 1 >= enough,
                       .left = most - beat};
    assert_int_equal(ht_beats_need_drift(&count), count.counted >= 2);
    ht_beat_verdict verdict = ht_beats_judge(&end, &count);
    got = (outcome){beat, count.counted, verdict.holds, got.again + verdict.again, verdict.change};
    if (verdict.done) break;
    if (count.counted == 1) memcpy(first, now, sizeof now);
    if (verdict.again) count = (ht_beat_count){0};
  }
  return got;
}

/* Returns noise in -1 to 1, the same for the same numbers. */
static double noise(int beat, int i) {
  uint32_t x = (uint32_t)beat * 2654435761u + (uint32_t)i * 40503u + 12345u;
  for (int k = 0; k < 3; k++) x ^= x << 13, x ^= x >> 17, x ^= x << 5, x *= 2246822519u;
  return 2 * (x / 4294967295.0) - 1;
}

/* A mean of 1, and a scatter: neighbours differ by `change` where both have it. */
static void scatter(int beat, double change, float *field) {
  for (int i = 0; i < NUMBERS; i++)
    field[i] = (float)(1 + change / sqrt(2) * sqrt(3) * noise(beat, i));
}

/* ---- flows that settle ---- */

/* Each beat halves what is missing: changes of 14, 6.7, 3.2, 1.6, 0.8, 0.4 % from beat 3 on. */
static void converging(int beat, float *field) {
  for (int i = 0; i < NUMBERS; i++) field[i] = (float)(1 - pow(0.5, beat));
}

static void test_converging(void **unused) {
  (void)unused;
  outcome got = play(converging, 3, 12, 3);
  assert_int_equal(got.beats, 8);
  assert_int_equal(got.counted, 1);
  assert_int_equal(got.holds, 0);
  assert_int_equal(got.again, 2); /* after beat 5, which drifts, and 7, the first that repeats */
  assert_near(got.change, 0.0039, 1e-4);
}

/* A beat that repeats is taken into the mean where few are left. */
static void test_converging_late(void **unused) {
  (void)unused;
  outcome got = play(converging, 6, 8, 3);
  assert_int_equal(got.beats, 8);
  assert_int_equal(got.counted, 3);
  assert_int_equal(got.holds, 0);
  assert_near(got.change, 0.0079, 1e-4);
  got = play(converging, 8, 8, 3);
  assert_int_equal(got.counted, 1);
  assert_near(got.change, 0.0039, 1e-4);
}

/* ---- flows that drift ---- */

static void drifting(int beat, float *field) {
  for (int i = 0; i < NUMBERS; i++) field[i] = (float)(1 + 0.02 * beat);
}

static void test_drifting(void **unused) {
  (void)unused;
  for (int most = 5; most <= 12; most++) {
    outcome got = play(drifting, 3, most, 3);
    assert_int_equal(got.beats, most);
    assert_int_equal(got.holds, 0);
    assert_true(got.change > HT_PERIODIC_CHANGE);
  }
}

/* The mean of beats 3 to 5 is no periodic flow, though the last two are alike. */
static void stepping_up(int beat, float *field) {
  static const float value[] = {0.8f, 1, 1.3f, 1.301f};
  for (int i = 0; i < NUMBERS; i++) field[i] = value[beat - 2];
}

static void test_small_last_change(void **unused) {
  (void)unused;
  outcome got = play(stepping_up, 3, 5, 3);
  assert_int_equal(got.counted, 3);
  assert_int_equal(got.holds, 0);
  assert_near(got.change, 0.3 / 1.3, 1e-6);
}

/* ---- flows that vary ---- */

static void scattering(int beat, float *field) {
  scatter(beat, 0.01 * (1 + 0.1 * (beat % 3)), field);
}

static void test_scattering(void **unused) {
  (void)unused;
  for (int enough = 3; enough <= 7; enough += 2) {
    outcome got = play(scattering, 5, 20, enough);
    assert_int_equal(got.beats, 5 + enough - 1);
    assert_int_equal(got.counted, enough);
    assert_int_equal(got.again, 0);
    assert_int_equal(got.holds, 1);
    assert_true(got.change > 0.0105 && got.change < 0.0125);
  }
}

/* Beat 9 is beat 8 again. */
static void repeating_once(int beat, float *field) {
  scatter(beat == 9 ? 8 : beat, 0.03, field);
}

static void test_chance_repeat(void **unused) {
  (void)unused;
  outcome got = play(repeating_once, 5, 20, 6); /* it is the fifth that counts */
  assert_int_equal(got.again, 0);
  assert_int_equal(got.counted, 6);
  assert_int_equal(got.holds, 1);
  assert_true(got.change > 0.028 && got.change < 0.032); /* the largest */
  got = play(repeating_once, 5, 20, 5);                  /* the last of the means */
  assert_int_equal(got.beats, 9);
  assert_int_equal(got.holds, 1);
  assert_true(got.change > 0.028);
  got = play(repeating_once, 8, 20, 3); /* the second: the flow may have settled */
  assert_int_equal(got.again, 1);
  assert_int_equal(got.beats, 12);
  assert_int_equal(got.counted, 3);
  got = play(repeating_once, 9, 20, 3); /* alone */
  assert_int_equal(got.beats, 9);
  assert_int_equal(got.counted, 1);
}

static void test_too_few(void **unused) {
  (void)unused;
  outcome got = play(scattering, 5, 6, 3);
  assert_int_equal(got.beats, 6);
  assert_int_equal(got.counted, 2);
  assert_int_equal(got.holds, 0);
  assert_true(got.change > HT_PERIODIC_CHANGE);
}

/* All of these repeat: they are a periodic flow, no means of one that varies. */
static void test_all_repeat(void **unused) {
  (void)unused;
  ht_beat_count count = {2, 0.005, 0.005};
  const ht_beat_end end = {.change = 0.004, .drift = 0.005, .divides = 1, .enough = 1, .left = 0};
  ht_beat_verdict verdict = ht_beats_judge(&end, &count);
  assert_true(verdict.done && !verdict.holds && verdict.change == 0.005);
}

/* ---- what is not known, and outlets that are off ---- */

static void test_not_known(void **unused) {
  (void)unused;
  for (int missing = 1; missing <= 4; missing++) { /* in the change of this beat; 4: the drift */
    ht_beat_count count = {0};
    ht_beat_end end = {.divides = 1, .enough = 1};
    ht_beat_verdict verdict = {0};
    for (int k = 1; k <= 3 && !verdict.again; k++) {
      end.change = k == missing ? NAN : 0.02;
      end.drift = missing == 4 ? NAN : 0.02;
      end.left = 10 - k;
      verdict = ht_beats_judge(&end, &count);
      assert_int_equal(verdict.done, k == 3 && missing == 1);
    }
    assert_int_equal(verdict.holds, missing == 1); /* of the first it is no change between these */
    assert_int_equal(verdict.again, missing > 1);
  }
  ht_beat_count count = {.counted = 1};
  ht_beat_end last = {.change = NAN, .divides = 1, .left = 0};
  ht_beat_verdict verdict = ht_beats_judge(&last, &count);
  assert_true(verdict.done && !verdict.holds && isnan(verdict.change));
}

/* Their losses are learnt from the beats so far, and the count begins again. */
static void test_outlets_are_off(void **unused) {
  (void)unused;
  ht_beat_count count = {0};
  ht_beat_end end = {.change = 0.001, .left = 5};
  ht_beat_verdict verdict = ht_beats_judge(&end, &count);
  assert_true(!verdict.done && verdict.again);
  count = (ht_beat_count){2, 0.02, 0.02};
  end = (ht_beat_end){.change = 0.02, .drift = 0.02, .enough = 1, .left = 5};
  verdict = ht_beats_judge(&end, &count);
  assert_true(!verdict.done && verdict.holds && verdict.again);
  end.left = 0;
  count = (ht_beat_count){2, 0.02, 0.02};
  verdict = ht_beats_judge(&end, &count);
  assert_true(verdict.done && verdict.holds && !verdict.again);
}

/* Checks a run from rest: each period begins with sample 0, and the first ends its quarters after
 * every fifth.
 */
static void test_schedule_from_rest(void **unused) {
  (void)unused;
  ht_beat_schedule from = {
      .cycle_steps = 2000, .dt_s = 1e-3, .samples = 20, .cycles = 3, .peak = 4};
  int quarters = 0;
  for (int k = 0; k < from.samples; k++) quarters += ht_beat_ends_quarter(&from, k) * k;
  assert_int_equal(quarters, 5 + 10 + 15);
  assert_int_equal(ht_beat_place_of_peak(&from), 4);
  assert_near(ht_beat_sample_s(&from, 4), 0.4, 1e-12);
  assert_int_equal(ht_beat_samples_done(&from, 20, 399), 4);
  assert_true(!ht_beat_counts(&from) && !ht_beat_is_trial(&from) && !ht_beat_can_add(&from));
  from.period = 2;
  assert_int_equal(ht_beat_step(&from, 20), 6000);
  assert_true(ht_beat_counts(&from) && ht_beat_periods_left(&from) == 0);
  assert_true(!ht_beat_ends_quarter(&from, 5));
}

/* After a coarse start, whose last beat was number 3: six samples of lead, then the first period,
 * from there to the same sample; one more may follow. */
static void test_schedule_with_a_lead(void **unused) {
  (void)unused;
  ht_beat_schedule from = {.first = 3, .period = 3, .cycle_steps = 2000, .samples = 20};
  from.cycles = 4, from.lead = 6, from.in_lead = 1, from.peak = 5;
  assert_true(ht_beat_step(&from, 5) == 500 && ht_beat_sample_at(&from, 5) == 5);
  assert_true(ht_beat_place_of_peak(&from) == 5 && !ht_beat_counts(&from));
  from.in_lead = 0;
  assert_true(ht_beat_step(&from, 0) == 600 && ht_beat_sample_at(&from, 0) == 6);
  assert_int_equal(ht_beat_place_of_peak(&from), 19);
  assert_int_equal(ht_beat_step(&from, 19), 2500);
  assert_true(ht_beat_counts(&from) && ht_beat_is_trial(&from));
  assert_int_equal(ht_beat_periods_left(&from), 1);
  from.most_cycles = 9;
  assert_true(ht_beat_can_add(&from) && ht_beat_periods_left(&from) == 5);
  from.period = 4;
  assert_true(ht_beat_step(&from, 0) == 2600 && !ht_beat_is_trial(&from));
}

/* After a whole beat the first period is a trial only where none can be added. */
static void test_schedule_with_a_whole_lead(void **unused) {
  (void)unused;
  ht_beat_schedule from = {.first = 3, .period = 3, .cycle_steps = 2000, .samples = 20};
  from.cycles = 4, from.lead = 20, from.in_lead = 1;
  assert_true(ht_beat_tunes(&from) && !ht_beat_counts(&from));
  from.lead = 19;
  assert_false(ht_beat_tunes(&from));
  from.lead = 20, from.in_lead = 0;
  for (from.most_cycles = 0; from.most_cycles <= from.cycles; from.most_cycles += from.cycles) {
    assert_true(ht_beat_counts(&from) && ht_beat_is_trial(&from) && !ht_beat_tunes(&from));
    assert_int_equal(ht_beat_periods_left(&from), 1);
  }
  from.most_cycles = 5;
  assert_true(ht_beat_counts(&from) && !ht_beat_is_trial(&from) && !ht_beat_tunes(&from));
  assert_int_equal(ht_beat_periods_left(&from), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_converging),
      cmocka_unit_test(test_converging_late),
      cmocka_unit_test(test_drifting),
      cmocka_unit_test(test_small_last_change),
      cmocka_unit_test(test_scattering),
      cmocka_unit_test(test_chance_repeat),
      cmocka_unit_test(test_too_few),
      cmocka_unit_test(test_all_repeat),
      cmocka_unit_test(test_not_known),
      cmocka_unit_test(test_outlets_are_off),
      cmocka_unit_test(test_schedule_from_rest),
      cmocka_unit_test(test_schedule_with_a_lead),
      cmocka_unit_test(test_schedule_with_a_whole_lead),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "solver/inflow/waveform_period.h"
#include <math.h>

const char *const ht_period_reason_words[] = {
    "it belongs to the waveform",
    "its length was given",
    "the last row repeats the first",
    "the last row repeats the first but for a small difference, which is left out",
    "the last row does not repeat the first, so the next beat begins one spacing after it",
};

/* Spacings that differ by less are one, with rounded times. */
static const double even_spacing = 0.1;

/* Share of the table's time: a shorter spacing is too short for its place to matter. */
static const double short_spacing = 0.01;

/* Shares of the flow's range: an equal flow; a repeat that was digitised; one that may be chance;
 * noise. */
static const double same_flow = 1e-6, nearly_same = 0.02, too_near = 0.005, noise = 0.001;

typedef struct {
  int count;
  const double *time_s, *flow_ml_s;
  double span_s, spacing_s, range_ml_s;
  double gap_ml_s; /* flow of the last sample less that of the first, no sign */
} table;

static table measure(int count, const double *time_s, const double *flow_ml_s) {
  table of = {count, time_s, flow_ml_s, 0, 0, 0, 0};
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < count; i++) {
    low = fmin(low, flow_ml_s[i]);
    high = fmax(high, flow_ml_s[i]);
  }
  if (count < 2) return of;
  of.span_s = time_s[count - 1] - time_s[0];
  of.spacing_s = of.span_s / (count - 1);
  of.range_ml_s = high - low;
  of.gap_ml_s = fabs(flow_ml_s[count - 1] - flow_ml_s[0]);
  return of;
}

static int is_even(const table *of) {
  for (int i = 1; i < of->count; i++) {
    double off = of->time_s[i] - of->time_s[i - 1] - of->spacing_s;
    if (fabs(off) > even_spacing * of->spacing_s) return 0;
  }
  return 1;
}

static int repeats(const table *of) {
  return of->gap_ml_s <= same_flow * of->range_ml_s;
}

/* Tells whether the first flow also stands between the first sample and the last: its repeat may be
 * chance. */
static int stands_between(const table *of) {
  for (int i = 1; i < of->count - 1; i++)
    if (fabs(of->flow_ml_s[i] - of->flow_ml_s[0]) <= same_flow * of->range_ml_s) return 1;
  return 0;
}

/* The flow's steps about the end of the table: into the last sample, out of the first. */
static double step_before(const table *of) {
  return of->flow_ml_s[of->count - 1] - of->flow_ml_s[of->count - 2];
}

static double step_after(const table *of) {
  return of->flow_ml_s[1] - of->flow_ml_s[0];
}

/* Returns how badly the flow fits one spacing between the last sample and the first of the next
 * beat: how far the step from one to the other is from the steps before and after it. 0: it
 * fits. */
static double misfit_of_spacing(const table *of) {
  double before = step_before(of), after = step_after(of);
  double step = of->flow_ml_s[0] - of->flow_ml_s[of->count - 1];
  double slack = fmax(fabs(before), fabs(after)) / 4;
  if (!repeats(of)) slack += noise * of->range_ml_s;
  double below = fmin(before, after) - slack - step, above = step - fmax(before, after) - slack;
  return fmax(0, fmax(below, above));
}

/* Tells whether the last flow is so near to the first one that it may repeat it: nearer than its
 * neighbours. */
static int may_repeat(const table *of) {
  double least = fmin(fabs(step_before(of)), fabs(step_after(of)));
  return of->gap_ml_s <= too_near * of->range_ml_s && (least == 0 || of->gap_ml_s < least / 2);
}

static ht_status take(const table *of, ht_period_reason reason, double given_s, ht_period *found) {
  int is_next = reason == HT_PERIOD_REPEATS || reason == HT_PERIOD_NEARLY ||
                (reason == HT_PERIOD_GIVEN && given_s == of->span_s);
  found->reason = reason;
  found->kept = of->count - is_next;
  found->period_s = reason == HT_PERIOD_GIVEN     ? given_s
                    : reason == HT_PERIOD_SPACING ? of->span_s + of->spacing_s
                                                  : of->span_s;
  return HT_OK;
}

/* A length of few digits, as a message prints it, is the possible length itself. */
static int is_length(const table *of, double asked_s, double possible_s) {
  return fabs(asked_s - possible_s) <= fmin(1e-3 * possible_s, of->spacing_s / 4);
}

static ht_status take_given(const table *of, double given_s, ht_period *found) {
  static const double longest = 2; /* of the rows' time: 60 is a heart rate */
  if (is_length(of, given_s, of->span_s)) {
    if (of->gap_ml_s <= 5 * nearly_same * of->range_ml_s)
      return take(of, HT_PERIOD_GIVEN, of->span_s, found);
    return ht_fail(HT_ERR_CASE,
                   "flow.waveform_period_s is %g s, when the last row of the waveform is to repeat "
                   "the first, but that is %g and the last %g: give the time from the first "
                   "row to the begin of the next beat",
                   given_s, of->flow_ml_s[0], of->flow_ml_s[of->count - 1]);
  }
  if (given_s > of->span_s && given_s <= longest * of->span_s)
    return take(of, HT_PERIOD_GIVEN, given_s, found);
  return ht_fail(HT_ERR_CASE,
                 "flow.waveform_period_s is %g s, and the rows of the waveform take %g s: the beat "
                 "has to be as long or longer, up to twice that (another length, as of another "
                 "heart rate, is flow.period_s)",
                 given_s, of->span_s);
}

static ht_status ask(const table *of, double wanted_s, ht_period *found) {
  double open_s = of->span_s + of->spacing_s;
  if (is_length(of, wanted_s, of->span_s)) return take(of, HT_PERIOD_GIVEN, of->span_s, found);
  if (is_length(of, wanted_s, open_s)) return take(of, HT_PERIOD_GIVEN, open_s, found);
  return ht_fail(HT_ERR_CASE,
                 "it is not clear where the waveform's beat ends: its last row (at %g s: %g) has "
                 "%s value of the first (%g), and may be the first of the next beat or the last of "
                 "this one. Give flow.waveform_period_s: %.6g in the first case, %.6g in "
                 "the second",
                 of->time_s[of->count - 1], of->flow_ml_s[of->count - 1],
                 of->gap_ml_s <= same_flow * of->range_ml_s ? "the" : "about the", of->flow_ml_s[0],
                 of->span_s, open_s);
}

static ht_status find_end(const table *of, double wanted_s, ht_period *found) {
  int even = is_even(of), matters = of->spacing_s > short_spacing * of->span_s;
  double misfit = even ? misfit_of_spacing(of) : INFINITY;
  if (repeats(of)) {
    int by_chance = of->range_ml_s > 0 && misfit == 0 && stands_between(of) && matters;
    return by_chance ? ask(of, wanted_s, found) : take(of, HT_PERIOD_REPEATS, 0, found);
  }
  int nearly = of->gap_ml_s <= nearly_same * of->range_ml_s;
  if (nearly && misfit > 0) return take(of, HT_PERIOD_NEARLY, 0, found);
  if (even && matters && (misfit > of->gap_ml_s || may_repeat(of))) return ask(of, wanted_s, found);
  if (even) return take(of, HT_PERIOD_SPACING, 0, found);
  return ht_fail(HT_ERR_CASE,
                 "the waveform does not say where its period ends: repeat the first flow (%g) in "
                 "a last row, at that time, or give the length of its beat as "
                 "flow.waveform_period_s",
                 of->flow_ml_s[0]);
}

ht_status ht_period_find(int count, const double *time_s, const double *flow_ml_s, double given_s,
                         double wanted_s, ht_period *found) {
  const table of = measure(count, time_s, flow_ml_s);
  *found = (ht_period){0, count, HT_PERIOD_GIVEN};
  if (count < 2) return HT_OK;
  return given_s > 0 ? take_given(&of, given_s, found) : find_end(&of, wanted_s, found);
}

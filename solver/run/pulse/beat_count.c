#include "solver/run/pulse/beat_count.h"
#include "core/vessel/flow.h"
#include "solver/solver.h"
#include <math.h>

/* Threshold between 1, of beats that scatter, and 2, of three beats whose changes add up. */
static const double drifting = 1.5;

int ht_beats_need_drift(const ht_beat_count *count) {
  return count->counted + 1 >= HT_LEAST_BEATS;
}

static void add(double change, ht_beat_count *count) {
  if (count->counted++ == 0) return; /* from a beat that does not count */
  count->varied += change;
  count->most = isnan(count->varied) ? NAN : fmax(count->most, change);
}

/* Tells whether the beats drift; an unknown drift counts as one. */
static int is_drifting(const ht_beat_count *count, double drift) {
  return !(drift <= drifting * count->varied / (count->counted - 1));
}

ht_beat_verdict ht_beats_judge(const ht_beat_end *end, ht_beat_count *count) {
  int repeats = end->change <= HT_PERIODIC_CHANGE;
  add(end->change, count);
  int several = count->counted >= HT_LEAST_BEATS;
  int drifts = several && is_drifting(count, end->drift);
  int holds = several && !drifts && count->most > HT_PERIODIC_CHANGE;
  int settles = repeats && !several && end->left >= HT_LEAST_BEATS;
  int alone = repeats && end->divides && count->counted == 1;
  int done = end->left <= 0 || alone || (holds && end->divides && end->enough);
  int again = !done && (settles || drifts || (holds && !end->divides));
  return (ht_beat_verdict){.done = done,
                           .again = again,
                           .holds = holds,
                           .change = count->counted > 1 ? count->most : end->change};
}

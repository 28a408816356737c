/* Decides which beats of a pulse make its results, and when they are complete. Private to solver/.
 *
 * The first counted beat is the result alone where it repeats the one before (a change of at most
 * HT_PERIODIC_CHANGE) and the outlets have their pressures.
 * Beats that do not repeat are counted, and the results are means over these, from HT_LEAST_BEATS
 * on, once they vary about a mean. They drift instead where the last differs from the first by more
 * than 1.5 times the mean change of the counted beats: of beats that scatter independently about a
 * mean that ratio is 1, of n beats whose changes add up it is n - 1 (docs/notes/solver/
 * pulsatile-beats.md). Beats that drift do not count. Nor do those before a beat that repeats,
 * while fewer than HT_LEAST_BEATS count and as many are left: the flow has needed longer to settle.
 * Among more beats one that happens to repeat is one of them. A change or drift that is not known
 * (NaN) is neither a repeat nor a scatter. */
#ifndef HT_BEAT_COUNT_H
#define HT_BEAT_COUNT_H

#include <stdint.h>

/* The beats that count, so far. Zeroed: none. */
typedef struct {
  int counted;   /* number of these */
  double varied; /* sum of the changes from one of these to the next */
  double most;   /* largest of these changes */
} ht_beat_count;

/* Knowledge at the end of a beat. Changes are relative, of the velocity in the vessel. */
typedef struct {
  double change; /* from the beat before */
  double drift;  /* from the first beat that counts */
  int divides;   /* 1: the outlets have the pressures by which the flow divides */
  int enough;    /* 1: the observer has enough beats */
  int64_t left;  /* beats that may still come */
} ht_beat_end;

typedef struct {
  int done;      /* 1: the results are complete */
  int again;     /* 1: the beats so far do not count, nor does this one */
  int holds;     /* 1: the beats that count vary about a mean */
  double change; /* of the results: from one beat that counts to the next, the largest; of one beat
                    alone from the beat before */
} ht_beat_verdict;

/* Tells whether the next beat that ends is judged by its drift and by whether the observer has
 * enough. */
int ht_beats_need_drift(const ht_beat_count *count);

/* Adds a beat and judges. After `again` the caller clears the count. */
ht_beat_verdict ht_beats_judge(const ht_beat_end *end, ht_beat_count *count);

#endif

/* Chooses the lattice that a given time allows (lattice.within).
 *
 * A run takes the lattice that it would take anyway, automatic or prescribed, if that fits; else
 * the finest whole number of nodes across that does. Where the case leaves the beats of a pulse
 * open, and that lattice is coarse somewhere, fewer beats buy a finer one. Never a finer lattice or
 * more beats than without a limit. The choice is kept in the case, so that a repeated or resumed
 * run makes none. It depends on the case, the machine's total memory and its kept speed
 * (kept_rate.h), not on what else runs. */
#ifndef HT_WITHIN_CHOICE_H
#define HT_WITHIN_CHOICE_H

#include "run/lattice/run_offers.h"

/* Nodes across the narrowest place below which a vessel may be closed: no coarser lattice is chosen
 * by time. */
enum { HT_WITHIN_LEAST_ACROSS = 4 };

/* The longest flow that is begun unasked, s; share of a time that the flow may take; the times that
 * are offered, s; nodes across of a table's first lattice. */
#define HT_WITHIN_UNASKED_S 7200.
#define HT_WITHIN_OF_FLOW   0.9
enum { HT_WITHIN_TIMES = 2, HT_WITHIN_FIRST_ACROSS = 8 };
extern const double ht_within_times_s[HT_WITHIN_TIMES];

/* What lattices take, with the case's beats and, where it leaves them open, with fewer. */
enum { HT_BEATS_USUAL, HT_BEATS_FEWER, HT_BEATS_WAYS };
typedef struct {
  ht_lattice_offers offers[HT_BEATS_WAYS];
  int ways;                                            /* 1: with the case's beats alone */
  int beats[HT_BEATS_WAYS], most_beats[HT_BEATS_WAYS]; /* of a pulse; 0: a steady flow */
  double wanted_across;     /* nodes across the widest opening without a limit */
  double least_mm;          /* the narrowest place: a narrowing, else the widest opening */
  const char *least;        /* its name, a constant */
  const ht_opening *branch; /* the thinnest opening; NULL: none. Of the measured vessel */
} ht_within_table;

/* Makes the table from a measured vessel and the domain of its mask. Errors as
 * ht_run_offer_lattices. */
ht_status ht_within_table_make(const ht_run_measures *of, const ht_domain *domain,
                               double wanted_across, ht_within_table *table);

/* Returns the number of flows of a run: with --sensitivity this one, thinner, thicker. */
int ht_within_flows(const ht_case *settings);

typedef struct {
  double limit_s;
  int fits;                      /* 0: `offer` is the lattice that takes least, which is longer */
  int is_wanted;                 /* 1: nothing is lost */
  int way;                       /* the beats: HT_BEATS_USUAL or HT_BEATS_FEWER */
  const ht_lattice_offer *offer; /* of the table; NULL: no lattice has enough nodes */
} ht_within;

/* Chooses the lattice for a time. */
ht_within ht_within_choose(const ht_run_measures *of, const ht_within_table *table, double limit_s);

/* Adds to the current JSON object "unasked_s", the longest flow that is begun unasked,
 * "chosen_across", the nodes across of the case's kept choice (0: no other lattice), and the array
 * "within": the most nodes across that fit into 15 minutes and an hour, whatever the case wants. */
void ht_within_json(ht_json *json, const ht_run_measures *of, const ht_lattice_offers *offers);

#endif

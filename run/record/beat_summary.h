/* Pressure drop over the narrowest place, and the means of a flow that neither comes to rest nor
 * repeats, in summary.json and in the short text on the terminal. */
#ifndef HT_BEAT_SUMMARY_H
#define HT_BEAT_SUMMARY_H

#include "export/beat/gradient.h"
#include "run/folder/members.h"
#include <stdio.h>

/* Members of the object "narrowing", without the numbers of stations. In a steady flow the drops
 * peak to peak and highest, their errors and the mean of 4 v2^2 are left out: they repeat the mean
 * drop and 4 v2^2. */
extern const ht_member ht_gradient_members[];

/* Prints the lines of the summary; nothing where no place is narrow. */
void ht_gradient_print(FILE *stream, const ht_gradient *gradient);

/* Means over several beats or over time. */
typedef struct {
  int is_pulsatile;
  int beats, samples; /* samples 0: the flow repeats, or comes to rest */
  double duration_s;
  double drift;   /* relative difference between the two halves */
  int tke_phases; /* phases with turbulent kinetic energy; 0: not measured */
  double tke_mean_mj, tke_max_mj, tke_max_time_s; /* of the phases */
  double tke_highest_j_m3;                        /* of the nodes */
} ht_averages;

/* Members of the summary: the objects "averages" and "turbulence". */
extern const ht_member ht_averages_members[];

/* Takes the means from the statistics of a flow. */
ht_averages ht_averages_of(const ht_flow_stats *stats);
void ht_averages_print(FILE *stream, const ht_averages *averages);

#endif

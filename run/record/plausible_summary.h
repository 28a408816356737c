/* Numbers of a flow compared with the usual ones in such a vessel, in summary.json and on the
 * terminal. */
#ifndef HT_PLAUSIBLE_SUMMARY_H
#define HT_PLAUSIBLE_SUMMARY_H

#include "run/folder/members.h"
#include <stdio.h>

enum { HT_PLAUSIBLE_VELOCITY = 0, HT_PLAUSIBLE_WSS, HT_PLAUSIBLE_DROP, HT_PLAUSIBLE_NUMBERS };

/* Means over the beat. Zeroed: not judged. */
typedef struct {
  char such[64];      /* "arteries up to 7 mm wide" */
  int is_beyond;      /* 1: a number is beyond what is usual */
  double diameter_mm; /* diameter of the vessel beyond the main inlet */
  /* Mean velocity there, m/s; mean wall shear stress (TAWSS), Pa; largest pressure drop from the
   * inlet to an outlet, mmHg; NAN: not known. And their usual least and most. */
  double value[HT_PLAUSIBLE_NUMBERS];
  double least[HT_PLAUSIBLE_NUMBERS], most[HT_PLAUSIBLE_NUMBERS];
} ht_plausible;

/* Returns 1 where the number is known and beyond what is usual. */
int ht_plausible_is_beyond(const ht_plausible *of, int number);

/* Writes "mean velocity 0.25 m/s (usual 0.03 to 0.7)". */
void ht_plausible_text(const ht_plausible *of, int number, char *text, size_t size);

/* Members of the object "plausibility"; without `such` there is none. */
extern const ht_member ht_plausible_members[];

/* Prints the line of the summary; nothing where not judged. */
void ht_plausible_print(FILE *stream, const ht_plausible *of);

#endif

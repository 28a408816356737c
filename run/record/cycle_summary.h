/* The numbers of a cycle in summary.json and in the short text on the terminal. */
#ifndef HT_CYCLE_SUMMARY_H
#define HT_CYCLE_SUMMARY_H

#include "export/wall/wall.h"
#include "run/folder/members.h"
#include <stdio.h>

/* Members of the object "cycle". A steady flow (samples 0) has none. */
extern const ht_member ht_cycle_members[];

/* Prints the lines of the summary; nothing for a steady flow. */
void ht_cycle_print(FILE *stream, const ht_cycle_stats *stats);

#endif

/* Duration of a case, in summary.json and in the short text on the terminal. */
#ifndef HT_TIME_SUMMARY_H
#define HT_TIME_SUMMARY_H

#include "run/folder/folder.h"
#include "run/record/manifest.h"
#include "run/folder/members.h"
#include <stdio.h>

typedef struct {
  double seconds;          /* from the command to the results; 0: not known */
  double stage[HT_STAGES]; /* seconds of each stage; 0: there was none */
  double other;            /* seconds between the stages, and before the first */
} ht_time_summary;

/* Returns the time of a run that has taken `seconds` since its command and began with the stage
 * `first`. The stages before it, which commands of their own have run, are added. */
ht_time_summary ht_time_of(const ht_manifest *manifest, ht_stage first, double seconds);

/* Members of the object "time". */
extern const ht_member ht_time_members[];

/* Prints the line of the summary; does nothing where the time is not known. */
void ht_time_print(FILE *stream, const ht_time_summary *time);

#endif

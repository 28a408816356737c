/* Duration of a case, in summary.json and in the short text on the terminal. */
#ifndef HT_TIME_SUMMARY_H
#define HT_TIME_SUMMARY_H

#include "run/folder/folder.h"
#include "core/formats/json.h"
#include "run/record/manifest.h"
#include "run/folder/yaml_file.h"
#include <stdio.h>

typedef struct {
  double seconds;          /* from the command to the results; 0: not known */
  double stage[HT_STAGES]; /* seconds of each stage; 0: there was none */
} ht_time_summary;

/* Returns the time of a run that has taken `seconds` since its command and began with the stage
 * `first`. The stages before it, which commands of their own have run, are added. */
ht_time_summary ht_time_of(const ht_manifest *manifest, ht_stage first, double seconds);

/* Returns the time between the stages, and before the first, s. */
double ht_time_other_s(const ht_time_summary *time);

/* Writes the object "time" into the current JSON object, or reads it (NULL: it is not known). */
void ht_time_json(ht_json *json, const ht_time_summary *time);
void ht_time_read(struct fy_node *node, ht_time_summary *time);

/* Prints the line of the summary; does nothing where the time is not known. */
void ht_time_print(FILE *stream, const ht_time_summary *time);

#endif

/* The numbers of a cycle in summary.json and in the short text on the terminal. */
#ifndef HT_CYCLE_SUMMARY_H
#define HT_CYCLE_SUMMARY_H

#include "export/wall/wall.h"
#include "core/formats/json.h"
#include "run/folder/yaml_file.h"
#include <stdio.h>

/* Writes the object "cycle" into the current JSON object; nothing for a steady flow. */
void ht_cycle_json(ht_json *json, const ht_cycle_stats *stats);

/* Reads that object; NULL: a steady flow. */
void ht_cycle_read(struct fy_node *cycle, ht_cycle_stats *stats);

/* Prints the lines of the summary; nothing for a steady flow. */
void ht_cycle_print(FILE *stream, const ht_cycle_stats *stats);

#endif

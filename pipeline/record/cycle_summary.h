/* The numbers of a cycle in summary.json and in the short text on the terminal. */
#ifndef HT_CYCLE_SUMMARY_H
#define HT_CYCLE_SUMMARY_H

#include "export.h"
#include "json.h"
#include "yaml_file.h"
#include <stdio.h>

/* The object "cycle" into the current one; nothing where the flow was steady. */
void ht_cycle_json(ht_json *json, const ht_cycle_stats *stats);

/* From that object; NULL: a steady flow. */
void ht_cycle_read(struct fy_node *cycle, ht_cycle_stats *stats);

/* Lines of the short text; nothing where the flow was steady. */
void ht_cycle_print(FILE *stream, const ht_cycle_stats *stats);

#endif

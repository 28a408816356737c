/* Pressure drop over the narrowest place, and the means of a flow that neither comes to rest nor
 * repeats, in summary.json and in the short text on the terminal. */
#ifndef HT_BEAT_SUMMARY_H
#define HT_BEAT_SUMMARY_H

#include "export/beat/gradient.h"
#include "core/formats/json.h"
#include "run/folder/yaml_file.h"
#include <stdio.h>

/* Writes the object "narrowing" into the current JSON object; does nothing where no place is
 * narrow. Without a pulse the drops peak to peak and highest, their errors and the mean of 4 v2^2
 * are left out: they repeat the mean drop and 4 v2^2. */
void ht_gradient_json(ht_json *json, const ht_gradient *gradient, int is_pulsatile);

/* Reads that object, without the numbers of stations; NULL: no place is narrow. Absent values
 * become 0. */
void ht_gradient_read(struct fy_node *narrowing, ht_gradient *gradient);

/* Prints the lines of the summary; nothing where no place is narrow. */
void ht_gradient_print(FILE *stream, const ht_gradient *gradient, int is_pulsatile);

/* Writes the objects "averages" and "turbulence" where the results are means over several beats or
 * over time: the members of ht_flow_stats about such means. */
void ht_averages_json(ht_json *json, const ht_flow_stats *stats);

/* Reads them from the root; absent values become 0. */
void ht_averages_read(struct fy_node *root, ht_flow_stats *stats);
void ht_averages_print(FILE *stream, const ht_flow_stats *stats);

#endif

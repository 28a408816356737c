/* The pressure drop over the narrowest place in summary.json and in the short text on the terminal.
 */
#ifndef HT_BEAT_SUMMARY_H
#define HT_BEAT_SUMMARY_H

#include "gradient.h"
#include "json.h"
#include "yaml_file.h"
#include <stdio.h>

/* Writes the object "narrowing" into the current JSON object; nothing where no place is narrow. */
void ht_gradient_json(ht_json *json, const ht_gradient *gradient);

/* Reads that object, the numbers of stations left out; NULL: no place is narrow. */
void ht_gradient_read(struct fy_node *narrowing, ht_gradient *gradient);

/* Prints the lines of the summary; nothing where no place is narrow. */
void ht_gradient_print(FILE *stream, const ht_gradient *gradient, int is_pulsatile);

#endif

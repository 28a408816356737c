/* What a lattice chosen by time loses, as text. */
#ifndef HT_WITHIN_TEXT_H
#define HT_WITHIN_TEXT_H

#include "run/lattice/within_choice.h"

enum { HT_WITHIN_TEXT = 900 };

/* Writes nodes across ("14 nodes across the widest opening instead of 47, 4.4 across the throat
 * instead of 14.7, ...") and beats. */
void ht_within_nodes_text(const ht_run_measures *of, const ht_within_table *table,
                          const ht_within *chosen, char text[HT_WITHIN_TEXT]);

/* Writes the planned dx+ and the expected errors (expected_error.h). */
void ht_within_errors_text(const ht_run_measures *of, const ht_within_table *table,
                           const ht_within *chosen, char text[HT_WITHIN_TEXT]);

#endif

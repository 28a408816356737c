/* What a lattice chosen by time loses, as text. */
#ifndef HT_WITHIN_TEXT_H
#define HT_WITHIN_TEXT_H

#include "run/lattice/within_choice.h"

enum { HT_WITHIN_TEXT = 900 };

/* Returns the spacing in wall units that is planned in the vessel's fastest place, at the beat's
 * peak: dx sqrt(tau / density) / nu, with the wall shear stress of developed flow, laminar (8 mu U
 * / D) or turbulent (Blasius: 0.0396 density U^2 Re^-1/4), the larger. In a short throat it is
 * more. 0: not known. */
double ht_planned_dx_plus(const ht_run_measures *of, double spacing_mm);

/* Writes nodes across ("14 nodes across the widest opening instead of 47, 4.4 across the throat
 * instead of 14.7, ...") and beats. */
void ht_within_nodes_text(const ht_run_measures *of, const ht_within_table *table,
                          const ht_within *chosen, char text[HT_WITHIN_TEXT]);

/* Writes the planned dx+ and the expected errors (expected_error.h). */
void ht_within_errors_text(const ht_run_measures *of, const ht_within_table *table,
                           const ht_within *chosen, char text[HT_WITHIN_TEXT]);

#endif

/* The plots of both cavities: the velocities on the two centre lines, with the published ones.
 * Private to validation/. */
#ifndef HT_VALIDATION_CAVITY_H
#define HT_VALIDATION_CAVITY_H

#include "validation/known/cavity_reference.h"
#include "validation/flows/validation_result.h"

/* Plots the cavity. figure[0]: across the lid; figure[1]: along it. */
void ht_validation_plot_cavity(ht_validation_result *result, const char *name,
                               ht_validation_figure *figure[2]);

ht_status ht_validation_draw_cavity(ht_validation_figure *figure[2], const ht_cavity_plane *plane,
                                    ht_cavity_kind kind, int reynolds);

#endif

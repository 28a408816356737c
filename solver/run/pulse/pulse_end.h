/* The end of a period of a pulse: corrections, and whether the results are complete. Private to
 * solver/. */
#ifndef HT_PULSE_END_H
#define HT_PULSE_END_H

#include "solver/run/pulse/pulse_state.h"

/* Fits the outlets' loss to the moments since the last fit. Jets fluctuate from beat to beat: the
 * mean that their fit leaves is no part of the loss. */
void ht_pulse_fit_loss(ht_pulse *pulse);

/* Tunes the Windkessels to the cuff after a period, or a lead, where that is due. */
void ht_pulse_tune(ht_pulse *pulse);

/* Fits and corrects outlets and inlets after a period; not those of a period that counts.
 * HT_ERR_DEVICE. */
ht_status ht_pulse_correct(ht_pulse *pulse);

/* Judges a period that counts. *done: the results are complete. HT_ERR_DEVICE. */
ht_status ht_pulse_judge(ht_pulse *pulse, int *done);

#endif

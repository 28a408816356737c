/* The samples of a pulse, taken while the lattice steps. Private to solver/. */
#ifndef HT_PULSE_SAMPLES_H
#define HT_PULSE_SAMPLES_H

#include "solver/run/pulse/pulse_state.h"

/* Measures what is needed at a place of the present period, or of the lead: the flow through the
 * ports, the pressures where outlets or Windkessels are fitted to them, the whole flow for a sample
 * that counts and at the peak. HT_ERR_DIVERGED, HT_ERR_DEVICE, HT_ERR_MEMORY; as the observer. */
ht_status ht_pulse_sample(ht_pulse *pulse, int place);

/* Tells whether the samples that count add to the fit of the outlets' loss: where jets fluctuate,
 * only those of the first beat do. */
int ht_pulse_learns_loss(const ht_pulse *pulse);

#endif

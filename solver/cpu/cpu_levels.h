/* The exchange between two levels on the CPU. Private to solver/cpu/. */
#ifndef HT_CPU_LEVELS_H
#define HT_CPU_LEVELS_H

#include "core/formats/state_stream.h"
#include "solver/lattice/interface.h"

/* Functions of ht_backend: couple, decouple, transfer_levels, owed_levels. */
ht_status ht_cpu_couple(void *coarse, void *fine, const ht_interface *lists, void **coupling);
void ht_cpu_decouple(void *coupling);
ht_status ht_cpu_transfer_levels(void *coupling, ht_state *stream);
ht_status ht_cpu_owed_levels(void *coupling, double *mass);

/* Does what a step of the coarse level is beyond its own: two of the fine one, by ht_backend.step,
 * the exchange and the balance. */
ht_status ht_cpu_step_finer(void *coupling, int64_t step);

#endif

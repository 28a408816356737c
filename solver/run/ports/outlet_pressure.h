/* The pressures that a run prescribes at its outlets, which follow the flow. Private to solver/. */
#ifndef HT_OUTLET_PRESSURE_H
#define HT_OUTLET_PRESSURE_H

#include "core/formats/state_stream.h"
#include "solver/plan/solve_setup.h"
#include "solver/run/ports/outlet_state.h"

/* Makes the outlets, at their first pressures. HT_ERR_MEMORY; as ht_windkessel_make. Free them also
 * after a failure. */
ht_status ht_outlets_make(const ht_solve_setup *setup, ht_outlet_states *outlets);
void ht_outlets_free(ht_outlet_states *outlets);

/* Returns the pressure that is 0 on the lattice now: the mean of the outlets' pressures at their
 * ports, or the plan's where no outlet has a state. Only pressure
 * differences drive the flow; a common pressure would compress the fluid of the lattice, so the
 * lattice leaves it out. */
double ht_outlets_reference_pa(const ht_solve_setup *setup, const ht_outlet_states *outlets);

/* Updates the pressures after step `step` by the flow and the head of each port, [ports], from
 * ht_lattice_port_head. */
void ht_outlets_follow(const ht_solve_setup *setup, int64_t step, const double *flow_lu,
                       const double *head_lu, ht_outlet_states *outlets);

/* Moves the outlets, made for the same setup, to a stream or from it; the latest update was at most
 * at `step`. */
ht_status ht_outlets_move(int64_t step, ht_outlet_states *outlets, ht_state *stream);

#endif

/* A run on one lattice, from its making to its end. Private to solver/. */
#ifndef HT_LATTICE_RUN_H
#define HT_LATTICE_RUN_H

#include "solver/run/step/solve_run.h"

/* Makes the lattice, the outlets and the drive of a run whose plan is made, and describes them in
 * its statistics, from their begin. HT_ERR_MEMORY, HT_ERR_DEVICE; as ht_windkessel_make. Free them
 * also after a failure. */
ht_status ht_lattice_run_make(ht_solve_run *run);

/* Steps to the results: the steady state, or the periods of a pulse. Errors as ht_solve. */
ht_status ht_lattice_run_to_end(ht_solve_run *run);

/* Frees the lattice, the outlets and the drive. */
void ht_lattice_run_free(ht_solve_run *run);

#endif

/* The ports of a run and its outlets. Private to solver/. */
#ifndef HT_SOLVE_DRIVE_H
#define HT_SOLVE_DRIVE_H

#include "solve_run.h"

/* Makes the ports, and the lattice with them. */
ht_status ht_solve_make_lattice(ht_solve_run *run);
void ht_solve_free_drive(ht_solve_run *run);

/* After `outlet_steps` steps: measures the flow of the outlets and finds their pressures. */
ht_status ht_solve_follow_outlets(ht_solve_run *run);

/* Pressure of the lattice's zero at the present step. */
double ht_solve_reference_pa(const ht_solve_run *run);

/* What is asked for at a step, voxels a step: [ports]; 0 where pressure is prescribed. */
void ht_solve_asked(const ht_solve_run *run, int64_t step, double *flow_lu);

#endif

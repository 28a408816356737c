/* The ports of a run and its outlets. Private to solver/. */
#ifndef HT_SOLVE_DRIVE_H
#define HT_SOLVE_DRIVE_H

#include "solver/run/solve_run.h"

/* Makes the ports, and the lattice with them. */
ht_status ht_solve_make_lattice(ht_solve_run *run);
void ht_solve_free_drive(ht_solve_run *run);

/* Follows the outlets after `outlet_steps` steps: measures their flow and updates their
 * pressures. */
ht_status ht_solve_follow_outlets(ht_solve_run *run);

/* The mean flow through each port, and the mean of the prescribed one (NULL: not wanted), both
 * [ports], voxels per step, over all steps, summed at these updates: pressure waves between the
 * openings can be faster than the samples of a beat, whose mean is then off by up to a per cent.
 * Both stay as they are where the outlets have neither Windkessels nor sponges. */
void ht_solve_mean_through(const ht_solve_run *run, double *flow_lu, double *asked_lu);
/* Begins the sums again. */
void ht_solve_forget_through(ht_solve_run *run);

/* The pressure that is 0 on the lattice at the present step. */
double ht_solve_reference_pa(const ht_solve_run *run);

/* The prescribed flow at a step, voxels per step: [ports]; 0 where pressure is prescribed. */
void ht_solve_asked(const ht_solve_run *run, int64_t step, double *flow_lu);

#endif

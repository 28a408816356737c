/* The convergence of a steady flow: its change a step, and the steps that it is likely to need.
 * Private to solver/. */
#ifndef HT_CONVERGENCE_H
#define HT_CONVERGENCE_H

#include "solver/lattice/lattice.h"
#include "solver/plan/solve_setup.h"

typedef struct {
  int64_t step;       /* of the last check */
  double change;      /* of the flow a step, there */
  double likely;      /* first estimate of the number of steps */
  int is_restless;    /* 1: does not come to rest, and takes all steps */
  int64_t mark_step;  /* where the change was last looked at for that; 0: not yet */
  double mark_change; /* change there */
} ht_convergence;

/* Begins before the first step; *total: the expected number of steps. */
void ht_convergence_begin(const ht_solve_setup *setup, ht_convergence *convergence, double *total);

/* Adds a check, and estimates the total number of steps, only to report the time left. */
void ht_convergence_add(const ht_solve_setup *setup, const ht_lattice_monitor *seen,
                        ht_convergence *convergence, double *total);

#endif

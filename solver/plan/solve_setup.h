/* What a run of the solver is given, and the plan made for it. Private to solver/. */
#ifndef HT_SOLVE_SETUP_H
#define HT_SOLVE_SETUP_H

#include "solver/plan/plan.h"
#include "tiling/tiling.h"

/* Constant while the lattice steps. */
typedef struct {
  const ht_domain *domain; /* borrowed, as tiling and options */
  const ht_tiling *tiling;
  const ht_solver_options *options;
  ht_plan plan; /* owned */
} ht_solve_setup;

static inline int ht_solve_is_pulse(const ht_solve_setup *setup) {
  return setup->plan.cycle_steps > 0;
}

#endif

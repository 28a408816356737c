#include "solver/run/steady/convergence.h"
#include <math.h>

void ht_convergence_begin(const ht_solve_setup *setup, ht_convergence *convergence, double *total) {
  double most = (double)setup->plan.max_steps;
  const ht_plan_size size = ht_plan_size_of(setup->domain, setup->options);
  double likely = fmin(ht_plan_likely_steps(&size, &setup->plan), most);
  *convergence = (ht_convergence){.change = 1, .likely = likely};
  *total = setup->options->stop_at_max_steps ? most : likely;
}

/* Looks for rest, from half of the likely number of steps on: where the change has not halved over
 * half as many steps more, the flow fluctuates and does not come to rest. Only for what is
 * reported. */
static void look_for_rest(const ht_solve_setup *setup, const ht_lattice_monitor *seen,
                          ht_convergence *c) {
  if (seen->step <= setup->plan.ramp_steps) return;
  if (c->mark_step > 0 && 2 * seen->step < 3 * c->mark_step) return;
  c->is_restless = c->mark_step > 0 && seen->change > c->mark_change / 2;
  c->mark_step = seen->step;
  c->mark_change = seen->change;
}

/* Estimates the total from half of the likely number on, where the decay of the change predicts the
 * end; before, it reflects the start. It decays in waves, so each estimate counts half. */
static void estimate_total(const ht_solve_setup *setup, const ht_lattice_monitor *seen,
                           ht_convergence *c, double *total) {
  double most = (double)setup->plan.max_steps, step = (double)seen->step;
  if (setup->options->stop_at_max_steps || step < c->likely / 2) return;
  look_for_rest(setup, seen, c);
  if (c->is_restless) {
    *total = most;
    return;
  }
  double fall = log(c->change / seen->change) / (double)(seen->step - c->step);
  double left = log(seen->change / setup->options->steady_tolerance) / fall;
  if (!(fall > 0) || !(left > 0)) return;
  double guess = fmin(step + left, most);
  *total = *total > 0 ? (*total + guess) / 2 : guess;
  if (*total < step) *total = guess;
}

void ht_convergence_add(const ht_solve_setup *setup, const ht_lattice_monitor *seen,
                        ht_convergence *convergence, double *total) {
  estimate_total(setup, seen, convergence, total);
  convergence->change = seen->change;
  convergence->step = seen->step;
}

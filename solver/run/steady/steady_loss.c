#include "solver/run/steady/steady_loss.h"
#include "solver/run/ports/outlet_loss.h"
#include "solver/run/step/solve_step.h"
#include <limits.h>

enum { CHECKS_A_FIT = 6, WAITS = 40 };

/* Share of the weight of earlier moments that stays from fit to fit. */
static const double remembered = 0.7;

/* The most that an outlet's pressure may be off, of the drop along the vessel. */
static const double pressure_off = 1e-3;

/* Share of a change of an outlet's loss that is taken over. The vessel's end gets less of the
 * port's change where the extension costs much, so more than all of it settles sooner; twice as
 * much would swing for ever. Where the flow has not come to rest after a quarter of its steps it
 * fluctuates: then the mean over some checks remains. */
static const double settling_share = 1.3, restless_share = 0.1;

/* Fits the loss with sponges, to the flow at several checks, as jets fluctuate: every few checks,
 * and before a flow counts as steady. */
static ht_status fit_loss(ht_solve_run *run, ht_steady_loss *loss, int *done) {
  double flow_lu[HT_OPENINGS_MAX], pressure_pa[HT_OPENINGS_MAX], port_pa[HT_OPENINGS_MAX];
  if ((run->step - loss->step) / HT_CHECK_STEPS < CHECKS_A_FIT) return HT_OK;
  *done = 0;
  HT_TRY(ht_port_drive_measure(&run->drive, flow_lu, NULL));
  HT_TRY(ht_solve_read_pressures(run, pressure_pa, port_pa));
  ht_outlet_loss_add(&run->setup.plan.units, flow_lu, 0, pressure_pa, port_pa, &run->outlets);
  ht_outlet_loss_fit(remembered, INT_MAX, &run->outlets);
  loss->step = run->step;
  return HT_OK;
}

/* Finds the loss without sponges, at each check. A flow counts as steady when its outlets have
 * their pressures. One whose pressures never settle (values in 16 bits) ends anyway. */
static ht_status hold_pressures(ht_solve_run *run, ht_steady_loss *loss, int *done) {
  double pressure_pa[HT_OPENINGS_MAX], port_pa[HT_OPENINGS_MAX];
  int is_restless = !*done && loss->waits == 0 && run->step > run->setup.plan.max_steps / 4;
  HT_TRY(ht_solve_read_pressures(run, pressure_pa, port_pa));
  ht_outlet_loss_hold(pressure_pa, port_pa, is_restless ? restless_share : settling_share,
                      &run->outlets);
  if (!*done || loss->waits >= WAITS) return HT_OK;
  if (ht_outlet_loss_off(&run->outlets, pressure_pa) <= pressure_off) return HT_OK;
  *done = 0;
  loss->waits++;
  return HT_OK;
}

ht_status ht_steady_loss_follow(ht_solve_run *run, ht_steady_loss *loss, int *done) {
  const ht_plan *plan = &run->setup.plan;
  int takes_means = run->setup.options->averages && run->step > plan->max_steps / 2;
  if (run->step <= plan->ramp_steps || (takes_means && !*done)) return HT_OK;
  return run->outlets.has_sponge ? fit_loss(run, loss, done) : hold_pressures(run, loss, done);
}

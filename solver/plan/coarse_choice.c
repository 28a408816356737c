#include "solver/plan/coarse_choice.h"
#include "solver/plan/collision_limits.h"
#include "solver/plan/plan.h"
#include "solver/plan/plan_sound.h"
#include "solver/plan/time_step.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void refuse(ht_coarse_choice *choice, const char *why) {
  choice->applies = 0;
  if (!choice->why[0]) snprintf(choice->why, sizeof choice->why, "%s", why);
}

static void check_kind(const ht_solver_options *options, ht_coarse_choice *choice) {
  int pulses = options->waveform && options->waveform->period_s > 0;
  if (!options->coarse_start) refuse(choice, "coarse_start is off");
  if (options->stop_at_max_steps) refuse(choice, "an exact number of steps is requested");
  if (options->inlet_noise > 0) refuse(choice, "the inlet has noise");
  if (!pulses && ht_collision_is_for_jets(options->collision))
    refuse(choice, "cumulants are for flows that do not come to rest");
  const int is_tuned = options->cuff_pa[0] > 0;
  if (pulses && options->cycles < HT_COARSE_LEAST_BEATS + is_tuned + HT_COARSE_FINE_BEATS)
    refuse(choice, is_tuned ? "outlets that are tuned to a blood pressure need 4 beats for it"
                            : "a pulse needs 3 beats for it, the last on the full lattice");
}

/* The step and numbers of the coarse lattice. */
static void check_numbers(const ht_plan *fine, const ht_solver_options *options,
                          ht_coarse_choice *choice) {
  char why[sizeof choice->why];
  ht_plan plan = *fine;
  ht_solver_options coarse = *options;
  plan.units.dx_m *= 2;
  double cell = plan.units.dx_m * options->density_kg_m3 / plan.least_viscosity_pa_s;
  double cell_reynolds = cell * fmax(plan.peak_speed_m_s, plan.throat_speed_m_s);
  ht_collision needed = ht_collision_for(cell_reynolds);
  coarse.collision = needed > options->collision ? needed : options->collision;
  coarse.collision = ht_plan_collision_for_sound(&plan, &coarse, coarse.collision);
  choice->collision = coarse.collision;
  snprintf(why, sizeof why, "its cell Reynolds number would be %.3g, too much for LBGK and MRT",
           cell_reynolds);
  if (ht_collision_is_for_jets(needed) && !ht_plan_has_jets(fine, options)) refuse(choice, why);
  const double most = ht_collision_limits_of(needed)->cell_reynolds_max;
  snprintf(why, sizeof why, "its cell Reynolds number would be %.4g, at most %g can be run",
           cell_reynolds, most);
  if (cell_reynolds > most) refuse(choice, why);
  double tau_min = ht_collision_limits_of(coarse.collision)->tau_min;
  plan.units.dt_s = ht_plan_step_s(&plan, &coarse);
  double tau = ht_units_tau(&plan.units, plan.least_viscosity_pa_s);
  snprintf(why, sizeof why, "its tau would be %.6f, at least %.4f is needed", tau, tau_min);
  if (tau < tau_min * (1 + 1e-5)) refuse(choice, why);
  if (!ht_plan_keeps_sound(&plan, &coarse))
    refuse(choice, "the lattice's sound would be too slow for the beat");
}

static void check_across(const ht_solver_options *options, double narrowest_m, const ht_plan *plan,
                         ht_coarse_choice *choice) {
  char why[sizeof choice->why];
  int pulses = options->waveform && options->waveform->period_s > 0;
  int least = pulses ? HT_COARSE_ACROSS_PULSE : HT_COARSE_ACROSS_STEADY;
  choice->across = narrowest_m / (2 * plan->units.dx_m);
  snprintf(why, sizeof why, "the narrowest place would have %.1f nodes across, at least %d",
           choice->across, least);
  if (choice->across < least) refuse(choice, why);
}

static int lead_of(const ht_plan *plan, const ht_solver_options *options, double across) {
  const ht_waveform *wave = options->waveform;
  int peak = 0, samples = options->samples, tenth = (samples + 9) / 10;
  double most = -INFINITY;
  if (!wave || !(wave->period_s > 0)) return 0;
  for (int k = 0; k < samples; k++) {
    double inflow = ht_waveform_value(wave, wave->period_s * k / samples);
    if (inflow > most) peak = k;
    most = fmax(most, inflow);
  }
  const int is_tuned = options->cuff_pa[0] > 0;
  if (across < HT_COARSE_ACROSS_FAST || is_tuned || ht_plan_has_jets(plan, options)) return samples;
  return peak + 1 > tenth ? peak + 1 : tenth;
}

void ht_coarse_choose_at(const ht_plan *plan, double narrowest_m, const ht_solver_options *options,
                         ht_coarse_choice *choice) {
  *choice = (ht_coarse_choice){.applies = 1};
  check_kind(options, choice);
  if (!choice->applies) return;
  check_numbers(plan, options, choice);
  check_across(options, narrowest_m, plan, choice);
  choice->lead = lead_of(plan, options, choice->across);
}

ht_status ht_coarse_choose(const ht_domain *domain, const ht_solver_options *with_levels,
                           ht_coarse_choice *choice) {
  const ht_solver_options one = ht_solver_of_one_spacing(with_levels), *options = &one;
  ht_plan plan;
  *choice = (ht_coarse_choice){.applies = 1};
  check_kind(options, choice);
  if (!choice->applies) return HT_OK; /* refused whatever the plan is */
  const double narrowest_m = ht_plan_size_of(domain, options).narrowest_m;
  ht_status status = ht_plan_speeds(domain, options, &plan);
  if (status == HT_OK) ht_coarse_choose_at(&plan, narrowest_m, options, choice);
  ht_plan_free(&plan);
  return status;
}

#include "solver/plan/collision_choice.h"
#include "solver/plan/plan.h"
#include "solver/plan/plan_sound.h"
#include <math.h>
#include <stdio.h>

static void explain_sound(const ht_collision_choice *cheapest, ht_collision_choice *choice) {
  snprintf(choice->why, sizeof choice->why,
           "the lattice's sound has to be so fast for this beat that the steps put tau below the "
           "%g of %s",
           ht_collision_limits_of(cheapest->collision)->tau_pulse,
           ht_collision_words[cheapest->collision]);
}

static void explain(ht_collision_choice *choice) {
  int throat = choice->throat_cell_reynolds > choice->inlet_cell_reynolds;
  double number = fmax(choice->throat_cell_reynolds, choice->inlet_cell_reynolds);
  int first = choice->collision == 0;
  ht_collision before = (ht_collision)(first ? 0 : choice->collision - 1);
  double most = ht_collision_limits_of(choice->collision)->cell_reynolds_max;
  const char *place = throat ? "in the throat" : "at the inlet";
  if (number > most)
    snprintf(choice->why, sizeof choice->why,
             "the cell Reynolds number %s is %.3g, more than any collision is known to bear (%.0f)",
             place, number, most);
  else if (first)
    snprintf(choice->why, sizeof choice->why,
             "the cell Reynolds number %s is %.3g, at most %.0f: the cheapest suffices", place,
             number, most);
  else
    snprintf(choice->why, sizeof choice->why,
             "the cell Reynolds number %s is %.3g: more than the %.0f of %s, at most %.0f", place,
             number, ht_collision_limits_of(before)->cell_reynolds_max, ht_collision_words[before],
             most);
}

void ht_collision_choose_at(const ht_plan *plan, const ht_solver_options *options,
                            ht_collision_choice *choice) {
  double slowness = options->density_kg_m3 / plan->least_viscosity_pa_s;
  choice->inlet_cell_reynolds = plan->peak_cell_m2_s * slowness;
  choice->throat_cell_reynolds = plan->throat_speed_m_s * plan->finest_dx_m * slowness;
  choice->collision =
      ht_collision_for(fmax(choice->inlet_cell_reynolds, choice->throat_cell_reynolds));
  explain(choice);
  ht_collision_choice cheapest = *choice;
  choice->collision = ht_plan_collision_for_sound(plan, options, choice->collision);
  if (choice->collision != cheapest.collision) explain_sound(&cheapest, choice);
}

ht_status ht_collision_choose(const ht_domain *domain, const ht_solver_options *options,
                              ht_collision_choice *choice) {
  ht_plan plan;
  ht_status status = ht_plan_speeds(domain, options, &plan);
  if (status == HT_OK) ht_collision_choose_at(&plan, options, choice);
  ht_plan_free(&plan);
  return status;
}

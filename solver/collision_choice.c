#include "collision_choice.h"
#include "plan.h"
#include <math.h>
#include <stdio.h>

/* LBGK and MRT: measured at the inlet of narrowed bends, and for the throat of a stenosis at twice
 * and three times these numbers. tau_min keeps tau away from 1/2 also at very small velocities. The
 * order is that of ht_collision, the cheapest first. */
static const ht_collision_limits limits[] = {
    [HT_LBGK] = {25, 0.502, 19},
    [HT_MRT] = {50, 0.502, 19},
};

enum { COLLISIONS = sizeof limits / sizeof *limits };

static const double jets = 500; /* no laminar flow at rest is faster */

const ht_collision_limits *ht_collision_limits_of(ht_collision collision) {
  return &limits[collision];
}

ht_collision ht_collision_most_capable(void) {
  int most = 0;
  for (int c = 1; c < COLLISIONS; c++)
    if (limits[c].cell_reynolds_max > limits[most].cell_reynolds_max) most = c;
  return (ht_collision)most;
}

ht_collision ht_collision_for(double cell_reynolds) {
  for (int c = 0; c < COLLISIONS; c++)
    if (cell_reynolds <= limits[c].cell_reynolds_max) return (ht_collision)c;
  return ht_collision_most_capable();
}

int ht_collision_is_for_jets(ht_collision collision) {
  return limits[collision].cell_reynolds_max > jets;
}

static void explain(ht_collision_choice *choice) {
  int throat = choice->throat_cell_reynolds > choice->inlet_cell_reynolds;
  double number = fmax(choice->throat_cell_reynolds, choice->inlet_cell_reynolds);
  int first = choice->collision == 0;
  const char *place = throat ? "in the throat" : "at the inlet";
  if (first)
    snprintf(choice->why, sizeof choice->why,
             "the cell Reynolds number %s is %.3g, at most %.0f: the cheapest suffices", place,
             number, limits[choice->collision].cell_reynolds_max);
  else
    snprintf(choice->why, sizeof choice->why,
             "the cell Reynolds number %s is %.3g: more than the %.0f of %s, at most %.0f", place,
             number, limits[choice->collision - 1].cell_reynolds_max,
             ht_collision_words[choice->collision - 1],
             limits[choice->collision].cell_reynolds_max);
}

ht_status ht_collision_choose(const ht_domain *domain, const ht_solver_options *options,
                              ht_collision_choice *choice) {
  ht_plan plan;
  ht_status status = ht_plan_speeds(domain, options, &plan);
  if (status == HT_OK) {
    double cell = plan.units.dx_m * options->density_kg_m3 / plan.least_viscosity_pa_s;
    choice->inlet_cell_reynolds = plan.peak_speed_m_s * cell;
    choice->throat_cell_reynolds = plan.throat_speed_m_s * cell;
    choice->collision =
        ht_collision_for(fmax(choice->inlet_cell_reynolds, choice->throat_cell_reynolds));
    explain(choice);
  }
  ht_plan_free(&plan);
  return status;
}

/* What a run takes on lattices of other spacings than that of a domain, before their domains are
 * made. The speeds, the shares and the paths of the sound are those of the domain; the collision,
 * the time step and the steps follow from them as in the run itself, and equal the run's own at the
 * domain's spacing. */
#ifndef HT_LATTICE_PLAN_H
#define HT_LATTICE_PLAN_H

#include "solver/plan/coarse_choice.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  ht_collision collision;
  double nodes;                                     /* fluid */
  double inlet_cell_reynolds, throat_cell_reynolds; /* of the peak velocity at inlets and outlets
                                                       of a given flow; of the throat's mean */
  double tau;
  double steps; /* of all beats, to the steady state, or as the options say */
  double most_steps;
  ht_coarse_choice coarse; /* whether a start from a coarse lattice saves some of them */
} ht_lattice_plan;

/* Plans `count` lattices. is_auto: each has its own collision, as `collision: auto` takes it, else
 * all have options->collision. options->throat_speed_m_s and throat_mm as for a run. Nothing is
 * refused for its cell Reynolds number or its tau. Errors as ht_solver_plan. */
ht_status ht_lattice_plans(const ht_domain *domain, const ht_solver_options *options, int is_auto,
                           int count, const double *spacing_mm, ht_lattice_plan *plan);

#ifdef __cplusplus
}
#endif
#endif

/* The choice for `collision: auto`. */
#ifndef HT_COLLISION_CHOICE_H
#define HT_COLLISION_CHOICE_H

#include "solver/plan/collision_limits.h"
#include "solver/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  ht_collision collision;
  double inlet_cell_reynolds;  /* of the peak inlet velocity over the beat */
  double throat_cell_reynolds; /* of the mean over the throat's section, at its peak over the beat;
                                  0: no throat is known */
  char why[160];               /* a sentence for log and record */
} ht_collision_choice;

/* Chooses the collision of `collision: auto` for this domain: by the larger of both cell Reynolds
 * numbers, and by the steps that a beat's sound needs (sound.h), whatever options->collision is.
 * Errors as ht_solver_plan, except that nothing is refused for its cell Reynolds number. */
ht_status ht_collision_choose(const ht_domain *domain, const ht_solver_options *options,
                              ht_collision_choice *choice);

/* Does the same for the speeds of a plan (flow_plan.h), whose spacing may be another than its
 * domain's. Private to solver/. */
struct ht_plan;
void ht_collision_choose_at(const struct ht_plan *plan, const ht_solver_options *options,
                            ht_collision_choice *choice);

#ifdef __cplusplus
}
#endif
#endif

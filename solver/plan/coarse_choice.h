/* Decides whether a run begins from the flow on a lattice of twice the spacing: a sixteenth of the
 * node updates in place of most of them. */
#ifndef HT_COARSE_CHOICE_H
#define HT_COARSE_CHOICE_H

#include "solver/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Nodes that a vessel needs across on the coarse lattice: of a steady flow, which saves little with
 * fewer, of a pulse, and of a pulse that settles fast on its own; the beats of a pulse that are run
 * on the vessel's own, and the least on the coarse lattice, where outlets are tuned to a cuff one
 * more. Measured: docs/notes/solver/coarse-start.md. */
enum {
  HT_COARSE_ACROSS_STEADY = 8,
  HT_COARSE_ACROSS_PULSE = 4,
  HT_COARSE_ACROSS_FAST = 8,
  HT_COARSE_FINE_BEATS = 1,
  HT_COARSE_LEAST_BEATS = 2
};

typedef struct {
  int applies;
  ht_collision collision; /* on the coarse lattice: the run's, or a more capable one */
  double across; /* nodes on the coarse lattice, across the narrowest port, or the throat */
  /* Pulse: number of samples at the beginning of the vessel's own lattice that do not count. They
   * reach the first peak of the inflow, and a tenth of a beat at the least. A whole beat with fewer
   * than HT_COARSE_ACROSS_FAST nodes across, with jets, and where outlets are tuned to a cuff:
   * they are tuned once more after it. */
  int lead;
  char why[160]; /* where it does not apply; else "" */
} ht_coarse_choice;

/* Chooses whether to begin on the coarse lattice, of twice the domain's spacing, with levels the
 * finest. Not without options->coarse_start, nor for an
 * exact number of steps, noise at the inlets, a steady flow with cumulants (it does not come to
 * rest), a pulse of too few beats; nor where the coarse lattice has too few nodes across, or alone
 * needs cumulants for its cell Reynolds number, or has a cell Reynolds number or a tau beyond the
 * collision's limits, or too slow a sound for the beat. Errors as ht_solver_plan. */
ht_status ht_coarse_choose(const ht_domain *domain, const ht_solver_options *options,
                           ht_coarse_choice *choice);

/* Does the same for the speeds of a plan (flow_plan.h), whose spacing may be another than its
 * domain's. `narrowest_m`: diameter of the narrowest port, or of the throat. Private to solver/. */
struct ht_plan;
void ht_coarse_choose_at(const struct ht_plan *plan, double narrowest_m,
                         const ht_solver_options *options, ht_coarse_choice *choice);

#ifdef __cplusplus
}
#endif
#endif

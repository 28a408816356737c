/* Which collision a flow can be run with, and the choice for `collision: auto`. */
#ifndef HT_COLLISION_CHOICE_H
#define HT_COLLISION_CHOICE_H

#include "solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The limits of a collision, measured (docs/notes/stability.md). Cell Reynolds number: velocity *
 * spacing / kinematic viscosity at high shear. */
typedef struct {
  double cell_reynolds_max; /* up to it a flow becomes steady, or stays bounded where it is not */
  double tau_min;           /* smallest relaxation time */
  int directions;           /* of its velocity set: values of a node */
} ht_collision_limits;

const ht_collision_limits *ht_collision_limits_of(ht_collision collision);

/* The first collision in the order of ht_collision, the cheapest first, whose limit is at least
 * `cell_reynolds`; the most capable where none is. */
ht_collision ht_collision_for(double cell_reynolds);

/* The one with the largest limit. */
ht_collision ht_collision_most_capable(void);

/* 1: made for flows that are not laminar, with a limit far above those of LBGK and MRT. */
int ht_collision_is_for_jets(ht_collision collision);

typedef struct {
  ht_collision collision;
  double inlet_cell_reynolds;  /* of the peak inlet velocity over the beat */
  double throat_cell_reynolds; /* of the mean over the throat's section, at its peak over the beat;
                                  0: no throat is known */
  char why[160];               /* a sentence for log and record */
} ht_collision_choice;

/* Chooses the collision of `collision: auto` for this domain: by the larger of both cell Reynolds
 * numbers, whatever options->collision is. Errors as ht_solver_plan, except that nothing is refused
 * for its cell Reynolds number. */
ht_status ht_collision_choose(const ht_domain *domain, const ht_solver_options *options,
                              ht_collision_choice *choice);

#ifdef __cplusplus
}
#endif
#endif

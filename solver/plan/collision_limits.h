/* Limits of the flows that a collision can be run with. */
#ifndef HT_COLLISION_LIMITS_H
#define HT_COLLISION_LIMITS_H

#include "solver/kernels/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The limits of a collision, measured (docs/notes/solver/stability.md). Cell Reynolds number:
 * velocity * spacing / kinematic viscosity at high shear. */
typedef struct {
  double cell_reynolds_max; /* up to it a flow becomes steady, or stays bounded where it is not */
  double tau_min;           /* smallest relaxation time */
  double tau_pulse;         /* the smallest to which the sound of a pulse shortens the step */
} ht_collision_limits;

const ht_collision_limits *ht_collision_limits_of(ht_collision collision);

/* The first collision in the order of ht_collision, the cheapest first, that has this number
 * within its limit; the most capable where none has. */
ht_collision ht_collision_for(double cell_reynolds);

/* The one with the largest limit. */
ht_collision ht_collision_most_capable(void);

/* Tells whether a collision is made for flows that are not laminar, with a limit far above those of
 * LBGK and MRT. */
int ht_collision_is_for_jets(ht_collision collision);

/* Tells whether it is such a collision, at a cell Reynolds number beyond the limits of the
 * others. */
int ht_collision_has_jets(ht_collision collision, double cell_reynolds);

#ifdef __cplusplus
}
#endif
#endif

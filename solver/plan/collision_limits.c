#include "solver/plan/collision_limits.h"

/* LBGK and MRT: measured at the inlet of narrowed bends, and for the throat of a stenosis at twice
 * and three times these numbers. Cumulants: 2500 is the highest that was tried in the jet of a
 * stenosis; at an inlet 660 (docs/notes/solver/cumulants.md). tau_min keeps tau away from 1/2 also
 * at very small velocities. tau_pulse: LBGK ended in NaN at 0.5008 and, with Windkessels, at
 * 0.5036, MRT at 0.5008 (docs/notes/solver/sound.md). The order is that of ht_collision, the
 * cheapest first. */
static const ht_collision_limits limits[] = {
    [HT_LBGK] = {25, 0.502, 0.506},
    [HT_MRT] = {50, 0.502, 0.503},
    [HT_CUMULANT] = {2500, 0.5001, 0.5001},
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

int ht_collision_has_jets(ht_collision collision, double cell_reynolds) {
  return ht_collision_is_for_jets(collision) &&
         ht_collision_is_for_jets(ht_collision_for(cell_reynolds));
}

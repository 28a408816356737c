/* Reads the flow of a lattice of several spacings as one flow on the finest. Private to solver/.
 *
 * Where a coarser level computes the flow, its values are interpolated (coarse_values.h). */
#ifndef HT_LEVEL_FLOW_H
#define HT_LEVEL_FLOW_H

#include "solver/levels/level_domain.h"
#include "solver/levels/levels.h"
#include "solver/samples/coarse_values.h"
#include "solver/solver.h"

typedef struct {
  ht_levels *levels; /* borrowed, as the domain */
  const ht_level_domain *domain;
  ht_flow own[HT_LEVELS_MOST]; /* of each level but the finest, where it is stepped.
                                  Owned, as the rest */
  ht_coarse_values between[HT_LEVELS_MOST];
  uint8_t *level;                     /* [nodes of the flow] the level that computes it */
  int32_t (*cell[HT_LEVELS_MOST])[3]; /* [cells] of each level: the first of eight of its nodes, by
                                         voxel, that have nodes of the flow between them */
  int64_t cells[HT_LEVELS_MOST];
} ht_level_flow;

/* Makes what reads the levels into flows with the nodes of `flow`, whose grid is that of the domain
 * that the levels were made of. HT_ERR_MEMORY. Free it, also after a failure. */
ht_status ht_level_flow_make(const ht_level_domain *domain, ht_levels *levels,
                             const ht_solver_options *options, const ht_flow *flow,
                             ht_level_flow *made);
void ht_level_flow_free(ht_level_flow *made);

/* Keeps the present state of all levels: ht_lattice_keep(). */
ht_status ht_level_flow_keep(const ht_level_flow *of, int stays);

/* Reads the state that was kept, perhaps in another thread. Errors as ht_lattice_visit(). */
ht_status ht_level_flow_take(ht_level_flow *of, const ht_units *units, double reference_pa,
                             ht_flow *flow);

#endif

/* The results of a run as it goes on. Private to solver/. */
#ifndef HT_SOLVE_RESULTS_H
#define HT_SOLVE_RESULTS_H

#include "core/vessel/flow.h"
#include "core/work/side_work.h"
#include "solver/samples/opening_nodes.h"

typedef struct {
  const ht_domain *domain; /* of the flow, as the tiling: those of the finest level. Borrowed */
  const ht_tiling *tiling;
  ht_flow *flow;             /* values read last; borrowed */
  ht_flow_stats *stats;      /* borrowed */
  ht_opening_nodes openings; /* of this flow; owned */
  ht_side_work *side_work;   /* fills the flow while the lattice steps; NULL: nothing does */
  int has_flow;              /* 1: the flow is a good state, after stats->steps steps */
  double kept_at; /* clock when a good state was last kept, s; 0: not since early steps */
} ht_solve_results;

/* Records that the flow is, or soon will be, that of step `step`. */
static inline void ht_solve_results_set_step(int64_t step, ht_solve_results *results) {
  results->has_flow = 1;
  results->stats->steps = step;
}

#endif

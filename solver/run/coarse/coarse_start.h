/* The flow that a run on the coarse lattice leaves, and the start from it on the vessel's own
 * lattice. Private to solver/. */
#ifndef HT_COARSE_START_H
#define HT_COARSE_START_H

#include "solver/run/step/solve_run.h"

typedef struct {
  int is_done;      /* 1: the run on the coarse lattice ended well */
  char note[96];    /* why it did not; "" where it was not tried */
  ht_domain domain; /* of the coarse lattice, as the next two; owned */
  ht_tiling tiling;
  ht_flow flow;                            /* at the end */
  ht_flow_stats stats;                     /* of the coarse run */
  int64_t beats;                           /* done; 0: a steady flow */
  int has_outlet[HT_OPENINGS_MAX];         /* 1: outlet[] has a state */
  ht_outlet_state outlet[HT_OPENINGS_MAX]; /* at the end */
  ht_cuff cuff;                            /* to which these were tuned */
  double inflow_factor[HT_OPENINGS_MAX];   /* by which the inlets' velocity was corrected */
  double through_m3_s[HT_OPENINGS_MAX];    /* into the vessel at the end */
  double off;                              /* of the start, see coarse_off of ht_flow_stats */
} ht_coarse_flow;

/* Keeps what is not in the flow: the ports' flow, the outlets, the inlets' correction. Errors as
 * ht_lattice_port_flow. */
ht_status ht_coarse_flow_keep(const ht_solve_run *run, ht_coarse_flow *coarse);

/* Gives a run whose lattice has just been made, without a ramp, the coarse flow and outlets. The
 * values (coarse_values.h) become an equilibrium and its second-order deviation (ht_lattice_set),
 * so the stress is that of dx, dt and tau of this lattice. The inlets' correction and the outlets'
 * loss go with the spacing at each port. Sets coarse->off. HT_ERR_MEMORY, HT_ERR_DEVICE. */
ht_status ht_coarse_flow_give(ht_coarse_flow *coarse, ht_solve_run *run);

/* Notes that the coarse run, or the start from it, failed. */
void ht_coarse_flow_failed(ht_status status, ht_coarse_flow *coarse);

void ht_coarse_flow_free(ht_coarse_flow *coarse);

#endif

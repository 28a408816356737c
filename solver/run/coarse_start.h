/* The state that a run on the coarse lattice leaves, and a start from it on the vessel's own.
 * Private to solver/. */
#ifndef HT_COARSE_START_H
#define HT_COARSE_START_H

#include "solver/run/solve_run.h"

typedef struct {
  int is_done;
  char note[96];    /* why not; "" where it was not tried */
  ht_domain domain; /* these three: of the coarse lattice; owned */
  ht_tiling tiling;
  ht_flow flow; /* at the end */
  ht_flow_stats stats;
  int64_t beats; /* done; 0: a steady flow */
  int has_outlet[HT_OPENINGS_MAX];
  ht_outlet_state outlet[HT_OPENINGS_MAX]; /* where there is one */
  double inflow_factor[HT_OPENINGS_MAX];
  double through_m3_s[HT_OPENINGS_MAX]; /* into the vessel at the end */
  double off;                           /* of the start, see coarse_off of ht_flow_stats */
} ht_coarse_run;

/* Keeps what is not in the flow: the ports' flow, the outlets, the inlets' correction. Errors as
 * ht_lattice_port_flow. */
ht_status ht_coarse_keep(const ht_solve_run *run, ht_coarse_run *coarse);

/* Gives a lattice that has just been made, without a ramp, the coarse run's flow and outlets.
 * Velocity, pressure and viscous stress are interpolated between coarse nodes by a cubic, by a
 * parabola or a line where fewer are fluid, and become an equilibrium and its second-order
 * deviation (ht_lattice_write), so the stress is that of dx, dt and tau of this lattice. Nodes in
 * the wall continue the velocity of the fluid next to them, so that it is 0 at the wall. The
 * inlets' correction is that of half the spacing. Sets coarse->off. HT_ERR_MEMORY,
 * HT_ERR_DEVICE. */
ht_status ht_coarse_begin(ht_coarse_run *coarse, ht_solve_run *run);

void ht_coarse_free(ht_coarse_run *coarse);

#endif

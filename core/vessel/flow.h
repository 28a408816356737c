/* The result of the solver: velocity, pressure and stress at every fluid node, in SI units, LPS
 * axes. */
#ifndef HT_FLOW_H
#define HT_FLOW_H

#include "core/vessel/domain.h"
#include "core/vessel/node_map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  ht_grid grid;        /* of the domain's mask */
  int64_t nodes;       /* fluid nodes, vessel and extensions */
  ht_node_map node_of; /* number of the node at a voxel: ht_flow_node. Owned */
  int shares_nodes;    /* 1: node_of is another flow's (ht_flow_share_nodes), and not owned */
  float *velocity_m_s; /* [nodes][3] LPS. Momentum over density_kg_m3: see flow_read.h. Owned */
  float *pressure_pa;  /* [nodes] gauge: 0 at an outlet with pressure_pa 0. Owned */
  float *stress_pa;    /* [nodes][6] viscous stress xx yy zz xy xz yz, LPS. Owned */
  /* Turbulent kinetic energy of an averaged flow, J/m3: mean over the beat, and at the phase with
   * the most energy in the vessel. [nodes]; NULL: not averaged. Owned */
  float *tke_j_m3, *tke_peak_j_m3;
  double viscosity_pa_s, density_kg_m3; /* blood that thins: its viscosity at high shear */
  int shear_thinning; /* 1: the viscosity depends on the shear rate, and the stress alone has it */
} ht_flow;

/* The flow at one moment of a beat. */
typedef struct {
  double time_s; /* from the start of the beat */
  int beat;      /* number among the beats that count, from 0 */
  int index;     /* of the moment in its beat, from 0 */
  int is_peak;   /* 1: the moment with the largest inflow */
  int begins;    /* 1: the first of beat 0; what came before it does not count */
  const ht_flow *flow;
  int ports;
  const double *flow_ml_s;   /* [ports] > 0 into the vessel of inlets, > 0 out of it of outlets */
  const double *pressure_pa; /* [ports] mean over the vessel's section at the opening */
} ht_flow_sample;

/* Limits of cycle_change and of the size of mass_imbalance, below which a pulsatile flow counts as
 * periodic and as conserving mass over a beat: */
#define HT_PERIODIC_CHANGE    0.01
#define HT_PERIODIC_IMBALANCE 0.005

/* Maximum number of phases of a beat at which turbulence is measured. */
enum { HT_TKE_PHASES = 10 };

/* Returns the stride of phases: of a beat's samples (> 0) every stride-th is a phase, from the peak
 * on. The second function returns the number of phases. */
static inline int ht_tke_stride(int samples) {
  return (samples + HT_TKE_PHASES - 1) / HT_TKE_PHASES;
}
static inline int ht_tke_phases(int samples) {
  return (samples - 1) / ht_tke_stride(samples) + 1;
}

/* Maximum number of spacings of a lattice. */
enum { HT_LEVELS_MOST = 4 };

/* Maximum number of entries in the record of a run's convergence. */
enum { HT_CHANGES_MOST = 64 };

/* Results of the run, for summary.json. */
typedef struct {
  char name[HT_NAME_MAX];
  ht_role role;
  double flow_ml_s;   /* measured; > 0 into the vessel for inlets, > 0 out of it for outlets */
  double pressure_pa; /* gauge, mean over the vessel's section at the opening */
  double highest_pressure_pa, lowest_pressure_pa; /* of the beat's samples; steady: pressure_pa */
  double port_pressure_pa; /* mean over the port, at the far end of the extension */
  double area_mm2;         /* lattice area of the port, across the vessel */
  double mean_velocity_m_s;
} ht_port_result;

typedef struct {
  int ports;
  ht_port_result port[HT_OPENINGS_MAX];
  int64_t steps;         /* steps done */
  int64_t coarse_steps;  /* before them on a lattice of twice the spacing; 0: begun from rest */
  double coarse_seconds; /* wall time of these */
  double coarse_off; /* part (of 1) of their flow that the ports lacked at the start (< 0: had too
                        much), where it was too much to correct; else 0 */
  char coarse_note[96]; /* why a start from the coarse lattice failed; else "" */
  /* Record of the run's convergence: steady_change, or cycle_change of a pulse, each time it was
   * measured (ht_flow_note_change), and the step of each. */
  int changes, change_every, changes_seen;
  double change[HT_CHANGES_MOST], change_step[HT_CHANGES_MOST];
  double steady_change; /* last relative change of the velocity per step */
  double slow_left; /* estimated relative change of the velocity still to come in the slowest parts
                       of the vessel; 0: not known */
  int steady; /* 1: stopped at the steady state; 0: at the prescribed number of steps; pulsatile:
                 whether cycle_change and mass_imbalance are below their limits */
  double mass_imbalance; /* (in - out) / in; no dimension */
  /* Pulsatile: the sample at which inflow minus outflow (sums over all inlets and outlets) is
   * largest: that difference over the peak inflow (no dimension), both flows, and the time. */
  double moment_imbalance, moment_in_ml_s, moment_out_ml_s, moment_time_s;
  double period_s; /* 0: a steady flow; else all numbers are of the last period. Those that vary in
                      time are means, except max_velocity_*, the largest of its samples */
  int cycles, samples; /* periods done; samples of the last one */
  double cycle_change; /* relative change of the vessel's velocity at peak inflow, extensions left
                          out, from the period before; 1: there was none; of means over beats the
                          largest between neighbours */
  int beats;           /* pulsatile: beats that the results are the means of; samples of each */
  double peak_time_s;  /* of the largest inflow, from the start of the period */
  double phase_time_s; /* time of the moment whose fields are kept next to the means, from there */
  /* Windkessels tuned to a cuff's pressures: how often, the sum of all at the end (Pa s/m3, m3/Pa,
   * Pa s/m3), and its systolic and diastolic pressure without the vessel. */
  int cuff_tuned;
  int cuff_refused; /* how often no Windkessel could give the pressures: they were left unchanged */
  double windkessel[3], lumped_pa[2];
  /* A steady inflow whose flow does not come to rest: the results are means over the last part of
   * the run. Number of samples (0: no means), its duration, and the relative difference of the mean
   * velocity between its two halves. */
  int averaged;
  double averaged_s, averaged_drift;
  /* Turbulent kinetic energy in the vessel, mJ, and its time from the start of the beat, at each
   * phase at which it was measured; phases 0: the flow repeats. */
  int tke_phases;
  double tke_mj[HT_TKE_PHASES], tke_time_s[HT_TKE_PHASES];
  double tke_highest_j_m3; /* of the vessel's nodes, at the phase with the most energy */
  double max_velocity_m_s; /* in the vessel, its extensions left out */
  double max_velocity_lu;
  double reynolds;   /* largest of the inlets: mean velocity * diameter / kinematic viscosity */
  double tau;        /* relaxation time, lattice units */
  double dx_m, dt_s; /* lattice spacing and time step */
  int diagonals_corrected; /* 1: the flow along diagonals of the lattice */
  int64_t fluid_nodes, tiles;
  int levels; /* spacings of the lattice, each half of the one before; dx_m is the finest, dt_s, tau
                 and the steps are the coarsest's */
  int64_t level_nodes[HT_LEVELS_MOST]; /* from the coarsest: nodes whose flow it computes */
  double seconds, mflups; /* wall time of the time loop; million fluid node updates a second */
  char device[128];       /* "CPU, 2 threads (AVX-512)", "NVIDIA H200" */
  char by_host[96];   /* of a run: why its GPUs exchange by the host, which is slower; else "" */
  char precision[8];  /* these three as in a case file: "fp32", */
  char collision[16]; /* "lbgk", */
  char fluid[24];     /* "incompressible" */
} ht_flow_stats;

void ht_flow_free(ht_flow *flow);

/* Returns the main inlet (ht_openings_main_inlet) in `port`, by the computed mean flow; NULL: there
 * is no inlet. */
const ht_port_result *ht_port_main_inlet(const ht_port_result *port, int ports);

/* Returns the number of the node at a voxel, x + nx * (y + ny * z); -1: solid. */
static inline int64_t ht_flow_node(const ht_flow *flow, int64_t voxel) {
  return ht_node_map_at(&flow->node_of, voxel);
}

/* Returns the number of the node at a place of the grid; -1: solid or outside. */
static inline int64_t ht_flow_node_at(const ht_flow *flow, const int at[3]) {
  if (!ht_voxel_in_grid(flow->grid.dim, at)) return -1;
  return ht_flow_node(flow, ht_voxel_index(flow->grid.dim, at));
}

/* Returns the viscous dissipation at a node, W/m3: 2 mu e:e = stress:stress / (2 mu), e the rate of
 * strain. Blood is incompressible: the trace of the stress comes from sound and from the collision
 * (with cumulants a third of the sum), and is left out. NAN where the blood is shear-thinning: its
 * stress does not give its viscosity. The stress is accurate up to the wall, where most of the
 * dissipation is; differences of the velocity over nodes lose a part of it there
 * (docs/indices.md). */
double ht_flow_dissipation_w_m3(const ht_flow *flow, int64_t node);

/* Frees `flow`'s node_of and uses that of `owner`, which has to live longer, where both flows have
 * the same nodes at the same voxels. */
void ht_flow_share_nodes(ht_flow *flow, const ht_flow *owner);

/* Adds an entry to the record of the run's convergence. A full record loses every second entry and
 * takes every second (fourth, ...) one from then on: they stay evenly spaced. */
void ht_flow_note_change(ht_flow_stats *stats, int64_t step, double change);

#ifdef __cplusplus
}
#endif
#endif

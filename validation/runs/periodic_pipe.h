/* Laminar or turbulent flow in a round pipe that closes on itself, driven by a body force.
 *
 * The force is updated 20 times in a D/U, so that the mean velocity stays what it has to be: the
 * Reynolds number is then exact, and the wall's drag follows from the balance of momentum. (A
 * constant force instead leaves the mean velocity to settle over 2 / (1.75 friction) = 31 D/U at Re
 * 5300, and to wander that slowly after that.) */
#ifndef HT_PERIODIC_PIPE_H
#define HT_PERIODIC_PIPE_H

#include "validation/known/batch_means.h"
#include "solver/lattice/lattice_setup.h"
#include "core/work/progress.h"
#include "solver/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int across, diagonal;   /* see round_pipe.h */
  double lengths;         /* diameters */
  int half_way;           /* walls; 0: interpolated */
  double reynolds;        /* D U / viscosity, U the mean velocity */
  double speed_lu;        /* U */
  double disturbance;     /* 0: begins as Poiseuille flow. Else as a power-law profile with waves of
                             this RMS over U: of random direction, phase and length (0.3 to 1.2 D)
                             from a fixed seed, each the curl of a vector that is 0 at the wall */
  double settle, average; /* times, D/U: thrown away, then averaged over */
  int samples;            /* of the velocity, in the time averaged over */
  ht_collision collision;
  int corrects_diagonals; /* see lattice_setup.h */
  ht_precision precision;
  ht_device device;
  int threads;
  const ht_progress *progress;
  const ht_solve_keeping *keeping; /* borrowed; NULL: no state is kept. Without an observer */
} ht_periodic_pipe;

enum { HT_PIPE_RINGS = 256 };

typedef struct {
  ht_batch_mean friction; /* Darcy: 8 (wall shear stress) / (rho U^2) */
  double reynolds;        /* of the mean velocity as it was */
  double across_rms;      /* of one component of the velocity across the pipe over volume and time,
                             in u_tau = U sqrt(friction / 8): 0 in laminar flow */
  double density;         /* mean deviation from 1, which it is at the start: lost or gained mass */
  double most_lu;         /* largest velocity of the samples */
  double tau;
  int64_t nodes, steps;
  /* Means over time and rings one spacing wide, from the wall to the axis: distance from the wall
   * in nu / u_tau, the velocity along the pipe and its RMS fluctuation in u_tau. */
  int rings;
  double wall_units[HT_PIPE_RINGS], axial[HT_PIPE_RINGS], axial_rms[HT_PIPE_RINGS];
  double centre; /* velocity along the pipe over U, in the last of them */
  char device[128];
} ht_periodic_pipe_flow;

/* Runs the pipe. HT_ERR_DIVERGED, HT_ERR_INTERRUPTED and ht_lattice_create's; with keeping->resume
 * its stream's. */
ht_status ht_periodic_pipe_run(const ht_periodic_pipe *wanted, ht_periodic_pipe_flow *flow);

#ifdef __cplusplus
}
#endif
#endif

/* The drive of a run's ports: what is prescribed at them at every step. Private to solver/. */
#ifndef HT_PORT_DRIVE_H
#define HT_PORT_DRIVE_H

#include "core/formats/state_stream.h"
#include "solver/lattice/lattice.h"
#include "solver/plan/solve_setup.h"
#include "solver/run/ports/outlet_state.h"

typedef struct ht_port_drive ht_port_drive;

/* The drive of the ports that are on one level. */
typedef struct {
  ht_port_drive *drive;
  int level;
} ht_level_drive;

struct ht_port_drive {
  const ht_solve_setup *setup; /* borrowed, as the next two */
  const ht_outlet_states *outlets;
  ht_lattice
      *lattice[HT_LEVELS_MOST]; /* of each level, once it is there; without levels the first */
  ht_level_drive of_level[HT_LEVELS_MOST]; /* for ht_port_drive_at() */
  double *coefficient;                     /* values of one inlet's modes at a step; owned */
  double inflow_factor[HT_OPENINGS_MAX];   /* by which each inlet's velocity has been corrected */
  double swing_off[HT_OPENINGS_MAX];       /* its harmonics are also multiplied by 1 + this */
};

/* Makes the drive, without a correction and without lattices. HT_ERR_MEMORY. Free it also after a
 * failure; it stays where it is. */
ht_status ht_port_drive_make(const ht_solve_setup *setup, const ht_outlet_states *outlets,
                             ht_port_drive *drive);
void ht_port_drive_free(ht_port_drive *drive);

/* Tells whether the velocity of this inlet changes with time, apart from the ramp. */
int ht_port_is_driven(const ht_solve_setup *setup, const ht_inlet_modes *inlet);

/* Returns the mean prescribed flow into a port, voxels per step of the coarsest level, as all flows
 * of ports are. */
double ht_port_mean_flow_lu(const ht_solve_setup *setup, int port);

/* Finds the prescribed flow of each port at a step, [ports] voxels per step; 0 where pressure is
 * prescribed. */
void ht_prescribed_flow(const ht_solve_setup *setup, int64_t step, double *flow_lu);

/* Finds the coefficients of the driven ports of a level at a step of it, as ht_drive;
 * `level_drive` is an ht_level_drive. */
void ht_port_drive_at(void *level_drive, int64_t step, double *coefficient);

/* Measures the flow through each port into the domain, [ports] voxels per step; and the heads of
 * the blood that comes in (NULL: not wanted): ht_lattice_port_head(). HT_ERR_DEVICE,
 * HT_ERR_MEMORY. */
ht_status ht_port_drive_measure(const ht_port_drive *drive, double *flow_lu, double *head_lu);

/* Multiplies the velocity of port `port` by `factor`. HT_ERR_DEVICE. */
ht_status ht_port_drive_scale(int port, double factor, ht_port_drive *drive);

/* Scales the velocity of every velocity port towards the prescribed flow, by 0.9 to 1.1, as sound
 * may be in `flow_lu`; not where the flow is at most half of `prescribed_lu`. Both [ports].
 * HT_ERR_DEVICE. */
ht_status ht_port_drive_correct(const double *flow_lu, const double *prescribed_lu,
                                ht_port_drive *drive);

/* Saves or restores the corrections. */
ht_status ht_port_drive_move(ht_port_drive *drive, ht_state *stream);

#endif

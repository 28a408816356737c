/* The drive of a run's ports: what is prescribed at them at every step. Private to solver/. */
#ifndef HT_PORT_DRIVE_H
#define HT_PORT_DRIVE_H

#include "core/formats/state_stream.h"
#include "solver/lattice/lattice.h"
#include "solver/plan/solve_setup.h"
#include "solver/run/ports/outlet_state.h"

typedef struct {
  const ht_solve_setup *setup;           /* borrowed */
  const ht_outlet_states *outlets;       /* borrowed */
  double *coefficient;                   /* values of one inlet's modes at a step; owned */
  double inflow_factor[HT_OPENINGS_MAX]; /* by which each inlet's velocity has been corrected */
  double swing_off[HT_OPENINGS_MAX];     /* its harmonics are also multiplied by 1 + this */
} ht_port_drive;

/* Makes the drive, without a correction. HT_ERR_MEMORY. Free it also after a failure. */
ht_status ht_port_drive_make(const ht_solve_setup *setup, const ht_outlet_states *outlets,
                             ht_port_drive *drive);
void ht_port_drive_free(ht_port_drive *drive);

/* Tells whether the velocity of this inlet changes with time, apart from the ramp. */
int ht_port_is_driven(const ht_solve_setup *setup, const ht_inlet_modes *inlet);

/* Returns the mean prescribed flow into a port, voxels per step. */
double ht_port_mean_flow_lu(const ht_solve_setup *setup, int port);

/* Finds the prescribed flow of each port at a step, [ports] voxels per step; 0 where pressure is
 * prescribed. */
void ht_prescribed_flow(const ht_solve_setup *setup, int64_t step, double *flow_lu);

/* Finds the coefficients of the driven ports at a step, as ht_drive; `drive` is an
 * ht_port_drive. */
void ht_port_drive_at(void *drive, int64_t step, double *coefficient);

/* Multiplies the velocity of port `port` by `factor`. HT_ERR_DEVICE. */
ht_status ht_port_drive_scale(ht_lattice *lattice, int port, double factor, ht_port_drive *drive);

/* Scales the velocity of every velocity port towards the prescribed flow, by 0.9 to 1.1, as sound
 * may be in `flow_lu`; not where the flow is at most half of `prescribed_lu`. Both [ports].
 * HT_ERR_DEVICE. */
ht_status ht_port_drive_correct(ht_lattice *lattice, const double *flow_lu,
                                const double *prescribed_lu, ht_port_drive *drive);

/* Saves or restores the corrections. */
ht_status ht_port_drive_move(ht_port_drive *drive, ht_state *stream);

#endif

/* The volume through each port, summed at the updates of the outlets: pressure waves between the
 * openings can be faster than the samples of a beat, whose mean is then off by up to a per cent.
 * Private to solver/. */
#ifndef HT_PORT_VOLUME_H
#define HT_PORT_VOLUME_H

#include "core/formats/state_stream.h"
#include "solver/plan/solve_setup.h"
#include "solver/run/ports/outlet_state.h"

/* The sums so far. Zeroed: none. */
typedef struct {
  double flow_lu[HT_OPENINGS_MAX];       /* through each port, voxels */
  double prescribed_lu[HT_OPENINGS_MAX]; /* by the prescribed flow */
  int64_t steps, from;                   /* number of steps, and the first of them */
} ht_port_volume;

/* Begins the sums after step `step`. */
void ht_port_volume_begin(int64_t step, ht_port_volume *volume);

/* Adds the flow of each port, [ports] voxels per step, at step `step`, before the outlets have been
 * updated. Not while the inflow rises from rest, nor where all outlets have constant pressures and
 * no jet reaches them: there the samples of a beat are enough. */
void ht_port_volume_add(const ht_solve_setup *setup, const ht_outlet_states *outlets, int64_t step,
                        const double *flow_lu, ht_port_volume *volume);

/* Replaces the flow of each port by the mean over these steps, and the prescribed flow (NULL: not
 * wanted) by its mean, both [ports], voxels per step. Both stay where nothing was added. */
void ht_port_volume_mean(const ht_port_volume *volume, int ports, double *flow_lu,
                         double *prescribed_lu);

/* Moves the sums to a stream or from it; they were made at most at `step`. */
ht_status ht_port_volume_move(int64_t step, ht_port_volume *volume, ht_state *stream);

#endif

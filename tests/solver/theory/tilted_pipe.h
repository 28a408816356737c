/* Poiseuille flow in a round pipe at an angle to the lattice, between ports, for tests of walls:
 * the computed flow against the analytic one. */
#ifndef HT_TILTED_PIPE_H
#define HT_TILTED_PIPE_H

#include "solver/lattice/lattice.h"

typedef struct {
  int across;     /* diameter, nodes */
  double degrees; /* of the pipe to axis 0, in the plane of axes 0 and 1 */
  double tau;
  double lengths; /* diameters along the pipe; 0: 4.5, so that the ends do not affect the middle */
} ht_tilted_pipe_case;

/* The pipe goes from the port in plane x = 1 to that in plane x = dim[0] - 2. */
typedef struct {
  ht_mask mask;
  float *distance; /* [nz][ny][nx] exact, from the wall, > 0 inside; owned */
  double radius, axis[3], centre[3], peak; /* lattice units; velocity on the centre line */
  double tau;
  int64_t nodes[2], *voxel[2]; /* of the ports; owned */
  double *speed;               /* of the inlet's nodes: the analytic flow; owned */
} ht_tilted_pipe;

void ht_tilted_pipe_make(const ht_tilted_pipe_case *wanted, ht_tilted_pipe *pipe);
void ht_tilted_pipe_free(ht_tilted_pipe *pipe);

/* Returns the distance from the centre line, and *along it; lattice units. */
double ht_tilted_pipe_radius_at(const ht_tilted_pipe *pipe, const double at[3], double *along);

typedef struct {
  double error;     /* relative L2 error of the velocity, half a diameter around the middle */
  double gradient;  /* pressure's there over the analytic one */
  double imbalance; /* (in - out) / in through the ports */
  int64_t steps, wall_links, half_way_links;
} ht_tilted_pipe_result;

/* Runs it to the steady state, from the analytic flow. `distance`: as in ht_lattice_setup; `setup`
 * gives precision, model and device. */
void ht_tilted_pipe_run(const ht_tilted_pipe *pipe, const float *distance, ht_lattice_setup setup,
                        ht_tilted_pipe_result *result);

#endif

/* The setup of a plane flow in lattice units, dx = dt = 1, for plane_lattice.h and its tables. */
#ifndef HT_PLANE_SETUP_H
#define HT_PLANE_SETUP_H

#include "solver/lattice/device.h"
#include "solver/kernels/model.h"
#include "solver/kernels/ports.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An edge of nodes where velocity or pressure is prescribed (Zou & He, Phys. Fluids 9 (1997) 1591,
 * equations 19 to 27), or next to a moving wall (half-way bounce-back with its velocity on the
 * links that come from it). A node of two ports, one along x and one along y, is a corner (Zou &
 * He, p. 1594): the quantities that neither prescribes are those of the node diagonally inside. */
typedef struct {
  ht_port_kind kind;
  int axis, inward;         /* 0: x, 1: y; +1 or -1: the fluid lies on that side */
  double velocity_lu[2];    /* velocity ports and moving walls: after the ramp; pressure ports: the
                               component along the edge (the other one is found) */
  const double *profile_lu; /* [nodes][2] the same node by node; NULL: velocity_lu. Borrowed during
                               create */
  double density_lu;        /* pressure ports: deviation of the density from 1, after the ramp */
  int64_t nodes;
  const int64_t *node; /* [nodes] x + nx y. Borrowed during create */
} ht_plane_port;

/* State of one node: density deviation, velocity, viscous stress xx yy xy. */
typedef struct {
  double density, velocity[2], stress[3];
} ht_plane_state;

/* The flow before the first collision, at every fluid node. */
typedef void (*ht_plane_start)(const void *context, int x, int y, ht_plane_state *state);

typedef struct {
  int nx, ny;
  const uint8_t *mask; /* [ny][nx], x fastest: 0 solid, else fluid. Borrowed during create */
  double tau;          /* relaxation time, > 0.5 */
  ht_precision precision;
  ht_collision collision;
  ht_compressibility compressibility;
  ht_device device;
  int threads;     /* CPU; 0: all */
  int periodic[2]; /* 1: the flow that leaves the box along this axis enters at the other side; nx
                      (ny) then has to be a multiple of 16 */
  ht_plane_start start; /* NULL: at rest. A read before the first step gives the flow one step
                           later, collided and propagated */
  const void *context;  /* handed to start */
  double noise_lu;      /* without start: amplitude of a fixed random deviation of every value */
  int64_t ramp_steps;   /* ports and walls rise from 0 to their values over these; 0: at once */
  int ports;
  const ht_plane_port *port;
} ht_plane_setup;

#ifdef __cplusplus
}
#endif
#endif

/* The setup of a lattice in lattice units, dx = dt = 1, and its cost; for lattice.h and the
 * backends. */
#ifndef HT_LATTICE_SETUP_H
#define HT_LATTICE_SETUP_H

#include "solver/kernels/blood.h"
#include "solver/lattice/device.h"
#include "solver/kernels/model.h"
#include "solver/kernels/ports.h"
#include "tiling/tiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of a step. The last two are diagnostic kernels of the benchmark (Tomczak & Szafran
 * (2019), section 4.3): they move the data of a step without computing it. */
typedef enum { HT_STEP_FLOW = 0, HT_STEP_READ_WRITE, HT_STEP_PROPAGATE } ht_step_kind;

/* Coefficients of the driven ports at a step, those of the first port first: as many as all their
 * modes. The solver calls it for future steps, for some of them more than once. */
typedef void (*ht_drive)(void *user, int64_t step, double *coefficient);

/* A plane of nodes where velocity or pressure is prescribed (Zou-He), or one next to a moving wall.
 * A node may be on two or three planes of different axes (edge, corner): it then has the mean of
 * the velocities and of the densities that its planes prescribe, its links to the inside count for
 * the first of its ports, and a moving wall among them does not count. Velocities that meet there
 * share one coefficient; densities, too. */
typedef struct {
  ht_port_kind kind;
  int axis, inward;    /* as in ht_port */
  double direction[3]; /* unit, along the vessel, into the domain; direction[axis]*inward > 0 */
  int modes; /* 0: the prescribed value rises with the ramp and then stays. Else the port is driven:
                the sum of `modes` coefficients of the setup's `drive` times speed_lu; with modes 1,
                one coefficient times density_lu, wall_lu or velocity_lu */
  double density_lu; /* pressure ports: deviation of the density from 1 */
  int is_total;      /* pressure ports: 1: density_lu is that of the total pressure at the nodes
                        where blood comes in, see static_density() of zou_he_port.h; not at edges
                        and corners */
  double wall_lu[3]; /* moving walls: velocity */
  int level;         /* of a lattice of several (levels.h): that it is on, from the coarsest */
  int64_t nodes;
  const int64_t *voxel;   /* [nodes] linear voxel index. Borrowed during create */
  const double *speed_lu; /* [modes, at least 1][nodes] velocity ports: component along inward axis,
                           * below 0 out of the domain. Borrowed, too */
  const double *velocity_lu; /* [nodes][3] velocity ports: replaces speed_lu and direction where the
                              * velocity has no single direction; NULL: unused. Borrowed, too */
} ht_lattice_port;

typedef struct {
  const ht_tiling *tiling; /* borrowed until ht_lattice_free */
  double tau;              /* relaxation time, > 0.5; of Newtonian blood */
  ht_viscosity_law law;    /* lattice units; all 0: Newtonian. There `tau` sets high and rest */
  ht_precision precision;
  ht_collision collision;
  ht_compressibility compressibility;
  ht_step_kind step_kind;
  ht_device device;
  int threads; /* CPU; 0: all */
  int alone;   /* 1: this process alone, also where it is one of several ranks */
  int compact; /* 1: the GPU keeps little more than one copy of the distribution functions instead
                  of two: some half of the memory, with ports a little more; somewhat slower. 0:
                  only where two do not fit. The CPU always has two */
  int periodic[3]; /* 1: the flow that leaves the mask's box along this axis enters at the other
                      side; the box then has to be a multiple of 4 voxels long there and the
                      tiling's origin 0. HT_ERR_USAGE where it is not */
  double acceleration_lu[3]; /* by a body force, the same at every node; see body_force.h. Not all
                                0: the force acts in every step, and ht_lattice_accelerate() may
                                change it; HT_ERR_USAGE with ports, and with fp16, whose rounding
                                would swallow it */
  double noise_lu; /* amplitude of a fixed random deviation of every value at the start, for tests
                      and the benchmark; 0: fluid at rest */
  int64_t ramp_steps; /* inflow and outlet densities of ports without modes rise from 0 to their
                         values over these steps; 0: no ramp */
  ht_drive drive;     /* NULL where no port has modes */
  void *drive_user;
  int ports;
  const ht_lattice_port *port;
  int64_t sponge_nodes;        /* cumulants: nodes with a viscosity of their own above that of tau;
                                  0: none. HT_ERR_USAGE with another collision */
  const int64_t *sponge_voxel; /* [sponge_nodes] linear voxel index, rising. Borrowed during
                                  create */
  const float *sponge_lu;      /* [sponge_nodes] viscosity added, such that tau stays at 1 or
                                * below. Borrowed, too */
  int corrects_diagonals;      /* 1: corrects the flow along diagonals of the lattice (diagonal.h);
                                  for the collision cumulant in fp32 or fp64, HT_ERR_USAGE with
                                  another. It does not act in sponges, nor within two nodes of
                                  ports and moving walls. 0: no correction */
  const uint64_t *outer;       /* [tiles] bit n: outer node of a level, whose values come from
                                  another level (interface.h): diagonals are not corrected at or next
                                  to it; NULL: none. Borrowed until ht_lattice_free */
  const uint64_t *own;         /* [tiles] bit n: the flow at node n is this level's: in a tile with
                                  such nodes interpolated walls share their mass among them and those
                                  of such tiles. As `outer` */
  const uint64_t *balanced;   /* [tiles] those of them that give back the mass that interfaces gain:
                                 on no port, whose condition would give it again. As `outer` */
  const float *wall_distance; /* [nz][ny][nx] of the tiling's box: distance from the wall, in
                                 spacings, > 0 in the fluid, < 0 in the solid, true to 3 spacings
                                 from the wall; walls are then where it is 0 (interpolated
                                 bounce-back, Bouzidi, Firdaouss & Lallemand, Phys. Fluids 13
                                 (2001) 3452), except at ports, moving walls and the ends of the
                                 box. NULL: half-way between fluid and solid nodes. Borrowed during
                                 create */
} ht_lattice_setup;

/* Fields of nodes in tiles; any pointer may be NULL. */
typedef struct {
  double *density;   /* [count][64] deviation from 1 */
  double *velocity;  /* [count][64][3] */
  double *stress;    /* [count][64][6] viscous, xx yy zz xy xz yz */
  double *viscosity; /* [count][64] kinematic, with that of eddies; not for writing */
} ht_lattice_fields;

/* Receives the fields of a tile, [64]; called for several tiles at the same time, in any order. */
typedef void (*ht_visit_tile)(void *user, int64_t tile, const ht_lattice_fields *fields);

/* The memory and occupancy of a lattice. */
typedef struct {
  int64_t bytes;          /* of device memory: distribution functions and every table */
  int registers;          /* a thread of the main kernel; 0: CPU */
  double occupancy;       /* resident threads / possible ones; 0: CPU */
  int64_t wall_links;     /* interpolated */
  int64_t half_way_links; /* half-way instead, in gaps of one node */
  int64_t crossing_bytes; /* that cross between ranks in a step */
} ht_lattice_cost;

#ifdef __cplusplus
}
#endif
#endif

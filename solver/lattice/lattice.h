/* A lattice Boltzmann solver in lattice units, step by step: ht_solve(), the tests and the
 * benchmark use it. dx = dt = 1; densities are deviations from 1. */
#ifndef HT_LATTICE_H
#define HT_LATTICE_H

#include "solver/lattice/interface.h"
#include "solver/lattice/lattice_setup.h"
#include "solver/lattice/node_state.h"
#include "core/formats/state_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ht_lattice ht_lattice;

/* Creates a lattice of fluid at rest (with a body force: half a step after rest). HT_ERR_USAGE (a
 * node next to two moving walls, or between two planes across one axis; modes without a drive, or
 * more than a port can have; ports that meet and are driven apart), HT_ERR_DEVICE (CUDA requested
 * and not there; says why), HT_ERR_MEMORY (says how much is needed). */
ht_status ht_lattice_create(const ht_lattice_setup *setup, ht_lattice **lattice);
void ht_lattice_free(ht_lattice *lattice);

/* Does `steps` time steps. HT_ERR_DEVICE. */
ht_status ht_lattice_step(ht_lattice *lattice, int64_t steps);

/* The change since the last call, over all fluid nodes; with compact storage on a GPU over every
 * 16th block of 64 nodes. HT_ERR_DEVICE. */
typedef struct {
  int64_t step;  /* steps done so far */
  double change; /* sqrt(sum |u - u_last|^2 / sum |u|^2) / steps since the last call; 1 at first */
  double max_speed; /* largest |u|, lattice units; NaN where any value is not finite */
} ht_lattice_monitor;

ht_status ht_lattice_watch(ht_lattice *lattice, ht_lattice_monitor *monitor);

/* Flow through each port into the domain, voxels per step: [ports]. Counted on the links between
 * the port's nodes and those of no port, where mass is conserved exactly: in a steady state the
 * flows of all ports add up to 0 to rounding. HT_ERR_DEVICE, HT_ERR_MEMORY. */
ht_status ht_lattice_port_flow(ht_lattice *lattice, double *flow_lu);

/* Measures the same flows, and the heads of the blood that comes in through ports with is_total:
 * the sum over a port's nodes of 3 u^2 / 2, u along the port's direction by the node's flow; the
 * densities at these nodes are lower than the prescribed one by that. [ports]. */
ht_status ht_lattice_port_head(ht_lattice *lattice, double *flow_lu, double *head_lu);

/* Sum of rho u over all fluid nodes, lattice units, as the last step's collisions left it; with a
 * body force after it. (The velocity of the fluid has only half of the force of its last step, see
 * body_force.h.) So it grows by the force of all nodes a step, less what the walls take: the exact
 * balance of momentum. Independent of the number of threads. HT_ERR_DEVICE, HT_ERR_MEMORY. */
ht_status ht_lattice_momentum(ht_lattice *lattice, double momentum_lu[3]);

/* Sets another acceleration from the next step on. HT_ERR_USAGE where the setup had none,
 * HT_ERR_DEVICE. */
ht_status ht_lattice_accelerate(ht_lattice *lattice, const double acceleration_lu[3]);

/* Multiplies the inflow velocity of a port. HT_ERR_DEVICE. */
ht_status ht_lattice_scale_inflow(ht_lattice *lattice, int port, double factor);

/* Fields of the tiles [first, first + count): of the state after the last step, propagated and with
 * its boundaries applied, before the next collision. Values of solid nodes are 0. HT_ERR_DEVICE,
 * HT_ERR_MEMORY. */
ht_status ht_lattice_read(ht_lattice *lattice, int64_t first, int64_t count,
                          ht_lattice_fields *fields);

/* Read density, velocity and stress of all tiles, as ht_lattice_read (on a GPU, which finds them
 * itself, to the rounding), one tile at a time, so that there need not be an array of all: in two
 * parts, the second of which may run in another thread, concurrently with ht_lattice_step, _watch,
 * _port_flow and _port_head; the ports and the prescribed values must not change in between.
 * ht_lattice_keep keeps the present state, with `stays` while the steps go on; ht_lattice_visit
 * gets it to the host and shows its tiles. Where ht_lattice_keeps_beside is 0 no step may come in
 * between. The other functions that read or write fields end it.
 * HT_ERR_DEVICE, HT_ERR_MEMORY. */
ht_status ht_lattice_keep(ht_lattice *lattice, int stays);
ht_status ht_lattice_visit(ht_lattice *lattice, ht_visit_tile visit, void *user);

/* Tells whether the device steps on (1) while the host takes a state; 0: both have the same
 * cores. */
int ht_lattice_keeps_beside(const ht_lattice *lattice);

/* The momentum over the velocity of a node whose density deviates from 1 by `density`: 1 + density,
 * or 1 where the model's velocity does not depend on it (model.h). */
double ht_lattice_mass(const ht_lattice *lattice, double density);

/* Chooses nodes to read alone: `node` [count], tile * 64 + local, fluid ones; in place of those
 * chosen before. HT_ERR_DEVICE, HT_ERR_MEMORY; the lattice then has none. */
ht_status ht_lattice_mark(ht_lattice *lattice, int64_t count, const int64_t *node);

/* Density, velocity and stress of these nodes, [count] in place of [count][64], and without several
 * ranks their viscosity: the same bits as ht_lattice_read gives,
 * for a small part of its time. HT_ERR_DEVICE, HT_ERR_MEMORY. */
ht_status ht_lattice_read_marked(ht_lattice *lattice, ht_lattice_fields *fields);

/* Replaces the whole state by density, velocity and viscous stress of every tile. ht_lattice_read
 * then gives them back, except at the nodes of ports and next to moving walls, whose condition
 * replaces them. NULL: 0. The values are the equilibrium and, of the deviation from it, only the
 * second-order moments, which give the stress (Latt & Chopard, Math. Comput. Simul. 72 (2006) 165);
 * so a flow starts without an initial layer where the given stress is that of its strain rate. The
 * count of steps goes on. HT_ERR_DEVICE, HT_ERR_MEMORY; the state is then as before. */
ht_status ht_lattice_write(ht_lattice *lattice, const ht_lattice_fields *fields);

/* Replaces the whole state by what `source` gives for each node on request, so that there need not
 * be an array of all. Otherwise as ht_lattice_write. */
ht_status ht_lattice_set(ht_lattice *lattice, ht_node_source source, void *user);

/* Moves the whole state to a stream, or from it into a lattice of the same setup on the same kind
 * of device (the CPU with the same instruction set, or the same GPU), which then goes on bit for
 * bit as the one that was saved; a body force is that of the setup. The number of threads may
 * differ. HT_ERR_DEVICE, also where the kind of device differs; HT_ERR_FORMAT: of another setup;
 * the lattice is then not to be used. */
ht_status ht_lattice_transfer(ht_lattice *lattice, ht_state *stream);

/* Two lattices of which one has half of the spacing and of the step, in the other's place where the
 * setup of each names its outer nodes: see interface.h. */
typedef struct ht_coupling ht_coupling;

/* Couples them: steps of the coarse one are then those of both, and the fine one is not stepped.
 * Borrows both and the lists until ht_lattice_decouple. HT_ERR_USAGE: fp16, a viscosity that
 * depends on the shear rate, or a relaxation time so near 1 that the strain rate cannot be read;
 * HT_ERR_DEVICE: this device, or several ranks, have no levels; HT_ERR_MEMORY. */
ht_status ht_lattice_couple(ht_lattice *coarse, ht_lattice *fine, const ht_interface *lists,
                            ht_coupling **coupling);
void ht_lattice_decouple(ht_coupling *coupling);

/* Moves what the coupling keeps between steps to a stream, or from it, besides the two lattices. */
ht_status ht_lattice_transfer_coupling(ht_coupling *coupling, ht_state *stream);

/* Returns the mass that both levels have gained and that is not taken back yet, in nodes of the
 * fine one. HT_ERR_DEVICE. */
ht_status ht_lattice_owed(ht_coupling *coupling, double *mass);

/* "CPU, 2 threads, AVX-512" or the GPU's name. Owned by the lattice. */
const char *ht_lattice_device(const ht_lattice *lattice);

/* Returns why its several GPUs exchange by the host, which is slower; "": they do not, or there are
 * none. Owned by the lattice. */
const char *ht_lattice_by_host(const ht_lattice *lattice);

void ht_lattice_measure_cost(const ht_lattice *lattice, ht_lattice_cost *cost);

#ifdef __cplusplus
}
#endif
#endif

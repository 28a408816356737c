/* A lattice of several levels, 2:1: fine where the flow needs it. In lattice units of the coarsest
 * level.
 *
 * Each level is a lattice of its own (lattice.h) with half of the spacing and of the step of the
 * one before, so that velocities and densities are the same numbers on all; tau - 1/2 doubles from
 * level to level. A voxel of a level is 2x2x2 voxels of the next. Next to an interface both levels
 * have nodes; their outer ones get their values from the other level once a coarse step
 * (lattice/interface.h, kernels/level_node.h). */
#ifndef HT_LEVELS_H
#define HT_LEVELS_H

#include "solver/lattice/lattice.h"
#include "solver/levels/level_setup.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ht_levels ht_levels;

/* Creates the lattices, of fluid at rest. HT_ERR_USAGE: masks whose sizes do not fit, a level with
 * no nodes or too near to the next but one, ports or a sponge next to an interface, what
 * ht_lattice_couple() refuses, noise at the start; and as ht_lattice_create(). */
ht_status ht_levels_create(const ht_levels_setup *setup, ht_levels **levels);
void ht_levels_free(ht_levels *levels);

/* Does `steps` steps of the coarsest level. HT_ERR_DEVICE. */
ht_status ht_levels_step(ht_levels *levels, int64_t steps);

/* Moves the whole state to a stream, or from it into levels of the same setup, which then go on bit
 * for bit: ht_lattice_transfer(). */
ht_status ht_levels_transfer(ht_levels *levels, ht_state *stream);

/* Returns the mass that the interfaces have gained and not taken back yet, in nodes of the coarsest
 * level: the mass of all levels less this is constant but for the ports. HT_ERR_DEVICE. */
ht_status ht_levels_owed(const ht_levels *levels, double *mass);

/* The lattice of a level, for reading and for a start: all levels have to be set for the same time.
 * Not to be stepped. Owned by the levels, as its tiling. */
ht_lattice *ht_levels_lattice(const ht_levels *levels, int level);
const ht_tiling *ht_levels_tiling(const ht_levels *levels, int level);

/* [tiles] bit n: the flow at node n is this level's. Each place of the vessel belongs to one. */
const uint64_t *ht_levels_own(const ht_levels *levels, int level);

/* [tiles] bit n: another level sets node n after each step. The fields there are of no use. */
const uint64_t *ht_levels_outer(const ht_levels *levels, int level);

#ifdef __cplusplus
}
#endif
#endif

/* Interpolated bounce-back at walls between the nodes. Private to solver/.
 *
 * Bouzidi, Firdaouss & Lallemand, Phys. Fluids 13 (2001) 3452, linear. A direction q that comes to
 * node x out of a wall, at the fraction t of the way from x to x - c_q, is after the step (p
 * opposite to q, all values those after the collision)
 *
 *     t < 1/2:    2 t f_p(x) + (1 - 2 t) f_p(x + c_q)
 *     t >= 1/2:   f_p(x) / (2 t) + (2 t - 1) / (2 t) f_q(x)
 *
 * A step pulls f_p(x) itself there (half-way bounce-back, t = 1/2), and nobody else reads that
 * value. So it is replaced, in place, before the step, for the list of all such links:
 *
 *     f_p(x) += weight (other - f_p(x)),   weight = 1 - 2 t or (2 t - 1) / (2 t)
 *
 * The step and its inner nodes know nothing of it. What one link reads as `other` no link replaces:
 * f_p(x + c_q) goes to x, and f_q(x) to a fluid node (where x + c_q is none, in a gap of one node,
 * the link stays half-way).
 *
 * This alone does not keep the mass: a pipe of 10 nodes across lost 1 to 3 % of its flow, most of
 * it beside the ports, where the flow is not along the wall. What the links of a tile of 4x4x4
 * nodes add is therefore taken from its nodes at rest in equal parts. (Not at each node by itself:
 * that makes the velocity's error in a pipe of 24 nodes across at 17 degrees twice as large, since
 * what single nodes gain and lose along a staircase is part of the solution; it cancels over a few
 * nodes.)
 *
 * Nodes of ports and beside moving walls stay half-way, too: they have a condition of their own. */
#ifndef HT_WALL_LINKS_H
#define HT_WALL_LINKS_H

#include "backend.h"

/* Fills tables->wall_link and wall_tile (none where setup->wall_distance is NULL), in the order of
 * the values that they replace; after links and ports. HT_ERR_MEMORY. */
ht_status ht_wall_links_build(const ht_lattice_setup *setup, ht_lattice_tables *tables);

/* Replaces the values in [tiles][19][64], float, or double in fp64; and puts those back that were
 * replaced. */
void ht_wall_links_apply(const ht_lattice_tables *tables, void *values);
void ht_wall_links_undo(const ht_lattice_tables *tables, void *values);

#endif

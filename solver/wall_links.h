/* Interpolated bounce-back at walls between the nodes. Private to solver/.
 *
 * Bouzidi, Firdaouss & Lallemand, Phys. Fluids 13 (2001) 3452, linear. A direction q that comes to
 * node x out of a wall, at the fraction t of the way from x to x - c_q, is after the step
 *   t < 1/2:   2 t f_p(x) + (1 - 2 t) f_p(x + c_q)                 p opposite to q, all values
 * after t >= 1/2:  f_p(x) / (2 t) + (2 t - 1) / (2 t) f_q(x)           the collision A step pulls
 * f_p(x) itself there (half-way bounce-back, t = 1/2), and nobody else reads that value. So it is
 * replaced, in place, before the step: f_p(x) += weight (other - f_p(x)),   weight 1 - 2 t or (2 t
 * - 1) / (2 t), for the list of all such links; the step and its inner nodes know nothing of it.
 * What one link reads as `other` no link replaces: f_p(x + c_q) goes to x, and f_q(x) to a fluid
 * node (where x + c_q is none, in a gap of one node, the link stays half-way).
 *
 * Nodes of ports and beside moving walls stay half-way, too: they have a condition of their own. */
#ifndef HT_WALL_LINKS_H
#define HT_WALL_LINKS_H

#include "backend.h"

/* Fills tables->wall_link and wall_links (none where setup->wall_distance is NULL), in the order of
 * the values that they replace; after links and ports. HT_ERR_MEMORY. */
ht_status ht_wall_links_build(const ht_lattice_setup *setup, ht_lattice_tables *tables);

/* Replaces the values in [tiles][19][64], float, or double in fp64; and puts those back that were
 * replaced. */
void ht_wall_links_apply(const ht_lattice_tables *tables, void *values);
void ht_wall_links_undo(const ht_lattice_tables *tables, void *values);

#endif

/* Interpolated bounce-back at walls between the nodes. Private to solver/.
 *
 * Bouzidi, Firdaouss & Lallemand, Phys. Fluids 13 (2001) 3452, linear. The wall is at the fraction
 * t of the way from x to x - c_q. The value of direction q that arrives at node x from the wall is
 * after the step (p opposite to q, all values after the collision)
 *
 *     t < 1/2:    2 t f_p(x) + (1 - 2 t) f_p(x + c_q)
 *     t >= 1/2:   f_p(x) / (2 t) + (2 t - 1) / (2 t) f_q(x)
 *
 * A step pulls f_p(x) itself there (half-way bounce-back, t = 1/2), and no other node reads that
 * value. So it is enough to change it, for the list of all such links:
 *
 *     f_p(x) += weight (other - f_p(x)),   weight = 1 - 2 t or (2 t - 1) / (2 t)
 *
 * The backends do it within the step, without writing these values (cpu/cpu_wall_tile.h,
 * block_walls.cuh); the functions below do it in place, where a state is read or replaced. No
 * link replaces the `other` of another link: f_p(x + c_q) goes to x, and f_q(x) to a fluid node
 * (where x + c_q is solid, in a gap of one node, the link stays half-way).
 *
 * This alone does not conserve mass: a pipe of 10 nodes across loses 1 to 3 % of its flow, most of
 * it next to the ports, where the flow is not along the wall. So the mass that the links of a tile
 * of 4x4x4 nodes add is taken from the values at rest of its nodes and of those of the tiles with
 * walls around it, in equal parts, two steps later: the share is found during the step in between.
 * (The gains and losses of single nodes along a staircase are part of the solution; they cancel
 * over a few nodes. Corrected at each node by itself, the velocity's error in a pipe of 24 nodes
 * across at 17 degrees is twice as large; corrected over the tile's nodes alone, the correction
 * makes half of the scatter of the wall shear stress there.)
 *
 * The parabola of the velocity. At a wall between nodes the velocity is then not 0 but off by
 *
 *     c.u = (t^2 / 2 - lambda) d^2(c.u) / d(link)^2,   lambda = 2/3 Lambda,
 *     Lambda = (tau - 1/2) (1/s - 1/2)
 *
 * s the rate of the odd third-order moments (for t = 1/2 that of Ginzburg & d'Humieres, Phys. Rev.
 * E 68 (2003) 066614: none at Lambda = 3/16). Near tau = 1/2 that is the whole parabola; in a thin
 * layer that oscillates with a pulse, 8 % of the wall shear stress. So the wall gets that velocity
 * with the opposite sign (Ladd, J. Fluid Mech. 271 (1994) 285: 6 w c.u more come back): the slip.
 * The second derivative is that of the parabola through the wall, where the fluid rests, x and x +
 * c_q, of the odd part (f_q - f_p) / 2 = 3 w c.u, so that it needs no further values:
 *
 *     a (odd(x) - t / (1 + t) odd(x + c_q)),   a = (t^2 - 2 lambda) 2 / t,
 *
 * over 2 t where t >= 1/2.
 *
 * Cumulants have three rates of third order: of the sums, the differences and the triple moment
 * (K17, cumulant.h), each with its Lambda. The lambda of a link depends on its direction c, the
 * wall's normal n, and the flow, for which v = (c - (c.n) n) / |c - (c.n) n|^2 stands (c.v = 1):
 *
 *     lambda (c.n)^2 = sum over a (b, d: the others) of
 *         c_a (A_ab + A_ad) / 2 (c_b^2 + c_d^2 - 2/3) Lambda_sum
 *         + c_a (A_ab - A_ad) / 2 (c_b^2 - c_d^2) Lambda_difference
 *         + 2 c_x c_y c_z v_a n_b n_d Lambda_triple,   A_ab = v_a n_b^2 + 2 v_b n_a n_b
 *
 * The odd part of a node's values is then 3 w (c.u + lambda d^2(c.u) / d(link)^2), whose second
 * derivative at the wall two nodes show too small by the factor 1 - 2 lambda / (t (1 + t)). A
 * wall's velocity enters CLI, below, with 2 / (1 + 2 t) in place of 1. So with cumulants
 *
 *     a = 4 / (1 + 2 t) (t^2 / 2 - lambda) / (t / 2 - lambda / (1 + t))
 *
 * By hand (docs/notes/walls/walls-in-pulses.md); "odd" stands for (f_q - f_p) / 2 in both.
 *
 * The squares of the velocity (cumulants). With tau near 1/2 and a shear that is steep, the even
 * part of the values, rho (c.u)^2 and the like, varies as much from node to node as the viscous
 * stress, and linear interpolation between two nodes is off by (1 - 2 t) of it. The central
 * interpolation of Ginzburg, Verhaeghe & d'Humieres, Commun. Comput. Phys. 3 (2008) 427 (CLI)
 *
 *     f_p(x) + k (f_p(x + c_q) - f_q(x)),   k = (1 - 2 t) / (1 + 2 t)
 *
 * is right for a linear profile to the second order in the velocity, but unstable near tau 1/2.
 * So the slip's target has the difference of the two, too:
 *
 *     - |k| (f_q(x) - f_p(x)) - 2 t |k| (f_p(x + c_q) - f_p(x)),   over 2 t where t >= 1/2
 *
 * LBGK and MRT, whose cell Reynolds numbers are small, do without the central interpolation: in
 * inclined pipes at tau 0.53 the velocity's error would grow by a half.
 *
 * Applied in full at every step this is unstable near tau = 1/2 (as quadratic interpolation is). So
 * the slip relaxes towards its target over HT_SLIP_STEPS steps: short for a flow, which changes
 * over thousands of steps, and long enough to be stable. Links whose x + c_q is a port node, or has
 * a wall in that direction too, have no slip.
 *
 * Nodes of ports and next to moving walls also stay half-way: they have their own condition. */
#ifndef HT_WALL_LINKS_H
#define HT_WALL_LINKS_H

#include "solver/lattice/backend.h"

/* Fills tables->wall_link and wall_tile (none where setup->wall_distance is NULL), in the order of
 * the values that they replace; after links and ports. HT_ERR_MEMORY. */
ht_status ht_wall_links_build(const ht_lattice_setup *setup, ht_lattice_tables *tables);

/* The slip follows its target in every HT_SLIP_EVERY-th step since the start, and stays in between:
 * its time of 16 steps is long enough, and the other steps need no values from x + c_q but one. An
 * odd number, so that the lattice's own oscillation, of two steps, is not seen in one phase only
 * (docs/notes/walls/walls.md). */
#define HT_SLIP_STEPS 16
#define HT_SLIP_EVERY 5
/* Share of the way to its target that the slip goes: 1 - (1 - 1 / HT_SLIP_STEPS) ^ HT_SLIP_EVERY.
 * In any precision. */
#define HT_SLIP_SHARE               (289201.0f / 1048576)
#define HT_FOLLOW_SLIP(slip, asked) ((slip) + ((asked) - (slip)) * HT_SLIP_SHARE)

static inline int ht_slip_follows(int64_t step) {
  return step % HT_SLIP_EVERY == 0;
}

/* The mass taken from each value at rest of a tile; given[i]: the mass that the links of tile i
 * added, over its `sharing`. */
static inline double ht_wall_share(const ht_wall_tile *tile, const double *given) {
  double share = 0;
  for (int k = 0; k < HT_TILE_NEIGHBOURS; k++)
    if (tile->beside[k] >= 0) share += given[tile->beside[k]];
  return share;
}

/* Replaces the values at walls in [tiles][directions][64], float, or double in fp64, or (undo 1)
 * restores them; `slip`: [wall_links]; given[wall_tiles]: becomes the mass that this adds. Of
 * `tiles` tiles, by their numbers among those with links (number NULL: the first of them). */
void ht_wall_links_replace(const ht_lattice_tables *tables, const double *slip, double *given,
                           void *values, const int32_t *number, int64_t tiles, int undo);
/* Shares out that mass among the values at rest of these tiles, after given[] of a rank's border
 * has come from the others: the share of a tile needs given[] of all around it. */
void ht_wall_links_share(const ht_lattice_tables *tables, const double *given, void *values,
                         const int32_t *number, int64_t tiles);

#endif

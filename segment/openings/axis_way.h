/* Way along the axis of a vessel, past the necks of sacs. Private to segment/.
 *
 * The centre of a front is not on the axis where the front reaches into a sac or a branch. The way
 * is the path of least cost (Dijkstra) through the voxels of the fronts between two places. A step
 * costs its length over d^2, where d is the depth below the wall, at most r, and r is the vessel's
 * radius without bumps (steady_radius.h), so the way keeps to the deepest voxels. Cost that falls
 * with the depth is that of centrelines on inscribed balls (Antiga, Ene-Iordache & Remuzzi, IEEE
 * Trans. Med. Imaging 22 (2003) 674); the limit r is ours: a sac is no cheaper than the vessel, and
 * the way stays where the far wall keeps it. */
#ifndef HT_AXIS_WAY_H
#define HT_AXIS_WAY_H

#include "segment/openings/front_tree.h"

/* Way as stations along it; zeroed: none. */
typedef struct {
  int count;
  double (*at_mm)[3]; /* [count] LPS, about two voxels apart; owned */
  double *radius_mm;  /* [count] radius without bumps; owned */
} ht_axis_way;

/* Finds the way from the tree's inlet to the voxel nearest to `to_mm` (LPS) in the last front.
 * `front` [fronts]: the numbers of the fronts between, the last first. HT_ERR_MEMORY. The caller
 * frees, also after a failure. */
ht_status ht_axis_way_find(const ht_front_tree *tree, const int *front, int fronts,
                           const double to_mm[3], ht_axis_way *way);
void ht_axis_way_free(ht_axis_way *way);

#endif

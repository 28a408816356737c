/* An extension whose section is that of the surface itself. Private to segment/. */
#ifndef HT_SWEEP_SURFACE_H
#define HT_SWEEP_SURFACE_H

#include "sweep.h"
#include "triangles.h"

/* Where the cut plane meets the triangle (corners as voxel indices): two places; 0: it does not. */
int ht_plane_cuts(const double centre[3], const double normal[3], const double corner[3][3],
                  double at[2][3]);

/* After ht_sweep_make, in the mask's grid: the distances of the section's pixels become those from
 * the lines in which the cut plane meets the triangles, and every layer has its nodes by these
 * (s->follows). Nothing changes where these lines are not the section's rim (the surface is cut or
 * open there). HT_ERR_MEMORY. */
ht_status ht_sweep_follow(const ht_mask *mask, const ht_triangles *surface, ht_sweep *s);

#endif

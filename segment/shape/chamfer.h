/* Distances between voxels by steps to the 26 neighbours. Private to segment/. */
#ifndef HT_CHAMFER_H
#define HT_CHAMFER_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Value of a voxel that no way reaches; larger than every distance. */
enum { HT_CHAMFER_FAR = UINT16_MAX - 4096 };

/* Value of a voxel that is left as it is and that no way goes through. */
enum { HT_CHAMFER_WALL = UINT16_MAX };

/* Length of a step along the axes of the bits 1 (x), 2 (y), 4 (z) of its index; [0] is not used.
 * At most 4096. */
typedef int ht_chamfer_steps[8];

/* 3, 4 and 5 to a face, an edge and a corner: thirds of a voxel (Borgefors, Comput. Vis. Graph.
 * Image Process. 27 (1984) 321). */
extern const ht_chamfer_steps ht_chamfer_thirds;

/* Computes the steps of a grid whose voxels may be of unequal sides, `unit` to the millimetre. */
void ht_chamfer_of_grid(const ht_grid *grid, double unit, ht_chamfer_steps steps);

/* distance[] [nz][ny][nx]: in, 0 where it is measured from and HT_CHAMFER_FAR (or
 * _WALL) elsewhere; out, the
 * distance in units of the steps. Two passes over the grid; the outside of the grid is nothing. */
void ht_chamfer(const int dim[3], const ht_chamfer_steps steps, uint16_t *distance);

#ifdef __cplusplus
}
#endif
#endif

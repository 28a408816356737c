/* Distances of a lattice's nodes from triangles. Private to segment/. */
#ifndef HT_TRIANGLE_DISTANCE_H
#define HT_TRIANGLE_DISTANCE_H

#include "core/status.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef double ht_corners[3][3]; /* three corners, voxel indices */

/* A list of triangles that grows. */
typedef struct {
  int64_t count, room;
  ht_corners *item; /* [count]; owned */
} ht_triangle_list;

/* Adds a triangle. HT_ERR_MEMORY. Free with ht_triangle_list_free, which allows NULL. */
ht_status ht_triangle_list_add(ht_triangle_list *pieces, const ht_corners one);
void ht_triangle_list_free(ht_triangle_list *pieces);

/* Square of the distance of a point from a triangle: Ericson, Real-Time Collision Detection (2005),
 * section 5.1.5. */
double ht_triangle_distance2(const ht_corners triangle, const double point[3]);

/* Square of the distance of a point from a triangle, and the place of the nearest point: part[c] of
 * corner c, sum 1. */
double ht_triangle_nearest(const ht_corners triangle, const double point[3], double part[3]);

/* Finds the two places where the cut plane meets the triangle (corners as voxel indices); returns 0
 * where it does not. */
int ht_plane_cuts(const double centre[3], const double normal[3], const double corner[3][3],
                  double at[2][3]);

/* Fills distance[] of the nodes of the grid dim[] ([nz][ny][nx]): the distance from the nearest
 * piece, in voxels; INFINITY where none is nearer than `reach`. Every piece visits the nodes of its
 * box. */
void ht_triangle_list_distance(const ht_triangle_list *pieces, const int dim[3], double reach,
                               float *distance);

#ifdef __cplusplus
}
#endif
#endif

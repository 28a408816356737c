/* Nearest place of a wall to a point. */
#ifndef HT_WALL_NEAREST_H
#define HT_WALL_NEAREST_H

#include "export/wall/wall.h"

/* Triangles of a wall by the cells of a grid around it. */
typedef struct {
  const ht_surface *surface; /* borrowed */
  double reach_mm;
  double low_mm[3], cell_mm;
  int dim[3];
  int64_t *first;    /* [cells + 1] first triangle of each cell. Owned */
  int32_t *triangle; /* numbers of the triangles, by cell. Owned */
} ht_wall_index;

/* Makes the index; only places within `reach_mm` (above 0) can be found. HT_ERR_VESSEL: no
 * triangle. HT_ERR_MEMORY. The caller frees. */
ht_status ht_wall_index_make(const ht_surface *surface, double reach_mm, ht_wall_index *index);
void ht_wall_index_free(ht_wall_index *index);

typedef struct {
  int64_t triangle;
  double part[3]; /* weights of its corners, sum 1: a number of the wall there is linear in them */
  double distance_mm;
} ht_wall_place;

/* Returns 1 where a place of the wall is within reach. Where `normal` is not NULL, only triangles
 * that face that way (less than 90 degrees from it) count: the wall across a narrow gap does not.
 * Two calls may run at the same time. */
int ht_wall_nearest(const ht_wall_index *index, const double point_mm[3], const float *normal,
                    ht_wall_place *place);

/* Computes the direction of a triangle, by the order of its corners; not of length 1. */
void ht_wall_face(const ht_surface *surface, int64_t triangle, double normal[3]);

#endif

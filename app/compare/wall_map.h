/* Maps the numbers of another wall, at its nearest places, to the points of a wall. */
#ifndef HT_WALL_MAP_H
#define HT_WALL_MAP_H

#include "app/compare/compared_wall.h"

/* Statistics by the area of the common part of the reference's wall. Positive: the other has
 * more. */
typedef struct {
  double area_percent; /* of the reference's wall, with this number on both */
  double reference_mean, other_mean;
  double median;      /* of the difference */
  double p95;         /* 95 % of the area differs by at most this, in size */
  double correlation; /* Pearson's; NAN where one of the two is constant */
} ht_wall_difference;

typedef struct {
  int64_t points; /* points of the reference's wall */
  double reach_mm;
  float *distance_mm; /* [points] distance to the other wall; NAN: farther than the reach. Owned */
  /* [points]; NAN: no value; NULL: one wall has no such number, or (wall shear stress, which is
   * then the size of the mean vector) both have the TAWSS. Owned. */
  float *other[HT_WALL_NUMBERS], *difference[HT_WALL_NUMBERS];
  double area_percent; /* of the reference's wall within the reach of the other */
  double distance_median_mm, distance_p95_mm; /* of that part, by area */
  ht_wall_difference number[HT_WALL_NUMBERS];
} ht_wall_map;

/* Fills `map`. `other` is turned where its triangles face the other way. Only places that face the
 * same way count, where the triangles of `other` agree on a way. HT_ERR_VESSEL: a wall has no
 * triangles. HT_ERR_MEMORY. The caller frees. */
ht_status ht_wall_map_make(const ht_compared_wall *reference, ht_compared_wall *other,
                           double reach_mm, ht_wall_map *map);
void ht_wall_map_free(ht_wall_map *map);

#endif

/* A part of the wall, cut out of its triangles, and the numbers on it. */
#ifndef HT_WALL_REGION_H
#define HT_WALL_REGION_H

#include "export/wall/wall.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A ball: x, y, z of its centre (LPS) and its radius, mm. */
typedef double ht_wall_ball[4];

/* Point of the part: (1 - part) of the wall's point `from` and part of `to`. */
typedef struct {
  int32_t from, to;
  float part;
} ht_wall_source;

/* Zeroed: empty. */
typedef struct {
  ht_surface surface;     /* points and triangles alone. Owned */
  ht_wall_source *source; /* [surface.points]. Owned */
  double area_mm2;
} ht_wall_region;

/* Cuts out the wall within the balls, along their surfaces. Of the wall within a ball only the
 * piece counts that is connected to the point nearest to its centre: not another vessel's across a
 * gap. HT_ERR_USAGE: a ball reaches no point of the wall; the message says how far away that is.
 * HT_ERR_MEMORY. The caller frees. */
ht_status ht_wall_region_balls(const ht_surface *surface, const ht_wall_ball *ball, int balls,
                               ht_wall_region *region);

/* Takes the triangles whose corners are all chosen; chosen: [surface->points]. HT_ERR_USAGE: there
 * is none. HT_ERR_MEMORY. The caller frees. */
ht_status ht_wall_region_points(const ht_surface *surface, const uint8_t *chosen,
                                ht_wall_region *region);

/* Takes triangles whose corners lie between points of the wall, as those of a sac (sac.h) do. from:
 * [points][2] points of the wall; share: [points] of the second of them; triangle: [triangles][3]
 * of these points. HT_ERR_MEMORY. The caller frees. */
ht_status ht_wall_region_between(const ht_surface *surface, int64_t points, const int32_t *from,
                                 const double *share, int64_t triangles, const int32_t *triangle,
                                 ht_wall_region *region);
void ht_wall_region_free(ht_wall_region *region);

/* Distribution of a number over a region's area, linear in each triangle. */
typedef struct {
  double mean, p5, p50, p95, p99; /* by area: 5 % of it have at most p5, ... */
  double least, highest;          /* of its points */
} ht_wall_spread_full;

/* Computes it for values[points of the wall]. Where a value is not finite, all are NAN.
 * HT_ERR_MEMORY. */
ht_status ht_wall_region_spread(const ht_wall_region *region, const float *values,
                                ht_wall_spread_full *spread);

#ifdef __cplusplus
}
#endif
#endif

/* An aneurysm's sac: its part of the wall, cut off by a plane through its neck, and its shape.
 *
 * The neck is a plane. The sac is the piece of the wall that the plane's section through the neck
 * cuts off: one closed line, and no opening of the vessel beyond it. A part of the sac may hang
 * below the plane. Elsewhere the plane may cut the vessel as often as it likes.
 */
#ifndef HT_SAC_H
#define HT_SAC_H

#include "export/wall/wall.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double origin_mm[3]; /* LPS; in the neck */
  double normal[3];    /* LPS, unit */
} ht_neck_plane;

/* ---- the surface's neighbours ---- */

/* The triangle on the other side of each edge. Edge 3 t + i is that from corner i of triangle t to
 * corner i + 1. */
typedef struct {
  int64_t edges; /* 3 for each triangle */
  int32_t *mate; /* [edges] the same edge of the other triangle; -1: a rim. Owned */
} ht_surface_links;

/* Links the triangles of a surface. HT_ERR_MEMORY; HT_ERR_INTERNAL: more than 2^31 edges. The
 * caller frees. */
ht_status ht_surface_links_make(const ht_surface *surface, ht_surface_links *links);
void ht_surface_links_free(ht_surface_links *links);

/* ---- the sac's wall ---- */

/* The mesh of a sac; zeroed: none. Its points are points of the surface, then those of the neck's
 * rim in order. */
typedef struct {
  int64_t points, triangles;
  double *point_mm;   /* [points][3] LPS. Owned, as are all */
  int32_t *triangle;  /* [triangles][3] counter-clockwise from outside */
  int32_t *from;      /* [points][2] the two points of the surface that each point lies between */
  double *share;      /* [points] of the second of them, 0 .. 1 */
  int64_t rim;        /* number of points of the neck's rim: the last ones */
  uint8_t *in_sac;    /* [surface->points] 1: of the sac */
  ht_neck_plane neck; /* origin: the centroid of the neck's area; normal: into the sac */
  double neck_area_mm2;
} ht_sac_mesh;

/* Cuts the sac off. The plane's normal may point either way: the sac is on the side that has no
 * opening; where neither has one, on the side that the normal points to. HT_ERR_CASE: the plane's
 * origin lies in no section of the vessel, or the plane does not cut off a piece without openings;
 * the message says which. HT_ERR_MEMORY. The caller frees, also after a failure. */
ht_status ht_sac_cut(const ht_surface *surface, const ht_surface_links *links,
                     const ht_neck_plane *plane, ht_sac_mesh *sac);
/* Finds the smallest closed section of the plane around its origin, and its area. Its centroid
 * becomes the plane's origin. Errors as ht_sac_cut. */
ht_status ht_sac_section(const ht_surface *surface, const ht_surface_links *links,
                         ht_neck_plane *plane, double *area_mm2);
void ht_sac_mesh_free(ht_sac_mesh *sac);

/* A value of the surface's points at a point of the sac. */
double ht_sac_value(const ht_sac_mesh *sac, const float *values, int64_t point);

/* ---- its shape ---- */

/* The shape of a sac. Ellipticity, non-sphericity and undulation: Ma, Harbaugh & Raghavan, Ann.
 * Biomed. Eng. 32 (2004) 264 and Raghavan, Ma & Harbaugh, J. Neurosurg. 102 (2005) 355. The neck's
 * area counts in none of the areas: a hemisphere on its neck has 0 of all three. */
typedef struct {
  double volume_mm3;        /* between wall and neck */
  double area_mm2;          /* of the wall */
  double neck_area_mm2;     /* of the plane */
  double neck_width_mm;     /* twice the mean distance of the rim from the neck's centroid (Dhar et
                               al., Neurosurgery 63 (2008) 185) */
  double neck_widest_mm;    /* largest distance across the neck */
  double neck_narrowest_mm; /* least distance between two parallel lines that hold it */
  double height_mm; /* largest, perpendicular to the neck (Dhar: H). A dome that voxels cut flat:
                       that of the paraboloid of revolution by least squares through the wall within
                       3/8 of the width of its top, by half a voxel more at most */
  double length_mm; /* largest distance from the neck's centroid (Dhar: Hmax), at least
                       the height */
  double width_mm;  /* largest distance across a section parallel to the neck */
  double length_direction[3]; /* LPS, unit; from the neck's centroid to the middle of the points
 that are at least 0.97 of the length away */
  double hull_volume_mm3, hull_area_mm2; /* of the convex hull */
  double aspect_ratio; /* height / neck width (Ujiie et al., Neurosurgery 45 (1999) 119) */
  double
      bottleneck_factor; /* width / widest of the neck (Hoh et al., Neurosurgery 61 (2007) 716) */
  double undulation;     /* 1 - V / V_hull */
  double ellipticity;    /* 1 - (18 pi)^(1/3) V_hull^(2/3) / A_hull */
  double non_sphericity; /* 1 - (18 pi)^(1/3) V^(2/3) / A */
} ht_sac_shape;

/* Measures the shape of a sac. HT_ERR_MEMORY; HT_ERR_CASE: the sac is too flat for a hull. */
ht_status ht_sac_measure(const ht_sac_mesh *sac, ht_sac_shape *shape);

#ifdef __cplusplus
}
#endif
#endif

/* The section of a vessel by a plane: the contour in which the plane cuts the wall's triangles. */
#ifndef HT_PLANE_SECTION_H
#define HT_PLANE_SECTION_H

#include "core/vessel/triangles.h"
#include "export/wall/wall.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A point of a contour, on an edge of the wall: (1 - part) of point `from` and part of `to`. */
typedef struct {
  int32_t from, to;
  double part;
  double at[2];     /* mm, along `across` from the plane's point */
  double length_mm; /* of the contour that belongs to it: half of its two segments */
} ht_contour_point;

/* A closed line, or one that ends at the wall's rims, where the vessel goes on into an extension.
 * With the wall's inside on its left: counter-clockwise around a vessel (area > 0), clockwise
 * around what stands in one (area < 0). */
typedef struct {
  int first, count; /* in `point` */
  int is_open;
  double area_mm2; /* signed; of an open line closed by a straight one */
} ht_contour;

/* All contours in a plane; zeroed: none. */
typedef struct {
  double point_mm[3], normal[3]; /* LPS; unit. The first component that is not 0 is > 0 */
  double across[2][3];           /* unit; with the normal right-handed */
  int points, contours;
  ht_contour_point *point; /* [points]. Owned, as is the next */
  ht_contour *contour;     /* [contours] */
} ht_plane_cut;

/* Cuts the wall. A plane and the same with its normal reversed give the same bits. A plane that
 * cuts nothing has no contours. HT_ERR_USAGE: a normal without length, or not finite.
 * HT_ERR_MEMORY. The caller frees. */
ht_status ht_plane_cut_make(const ht_surface *surface, const double point_mm[3],
                            const double normal[3], ht_plane_cut *cut);
void ht_plane_cut_free(ht_plane_cut *cut);

/* One vessel's section: a contour around it, and those around what stands in it. */
typedef struct {
  int contour;                   /* number of the outer one; -1: the plane cuts nothing */
  double away_mm;                /* distance of the plane's point from the section; 0: in it */
  int others;                    /* number of other vessels' sections in the plane */
  double area_mm2, perimeter_mm; /* without, and with, what stands in it */
  double centroid[2];            /* as `at` */
} ht_plane_section;

/* Finds the section that the plane's point lies in, else the one nearest to it. A section whose
 * contour is open (cut->contour[].is_open) is no section of the vessel alone. */
void ht_plane_section_find(const ht_plane_cut *cut, ht_plane_section *section);

/* Returns 1 for a contour of the section: the outer one, and those directly in it. */
int ht_plane_section_has(const ht_plane_cut *cut, const ht_plane_section *section, int contour);

/* Returns the distance of a place in the plane from the section, mm: 0 in it. */
double ht_plane_section_away(const ht_plane_cut *cut, const ht_plane_section *section,
                             const double at[2]);

/* Returns 1 where a place away from the section is nearer to another vessel's section. */
int ht_plane_section_is_other(const ht_plane_cut *cut, const ht_plane_section *section,
                              const double at[2], double away_mm);

/* Converts a place in the plane to LPS, mm. */
void ht_plane_place(const ht_plane_cut *cut, const double at[2], double place_mm[3]);

/* Area of the section of another surface of the same vessel: of its triangles, which need no order,
 * those that the plane cuts within `reach_mm` of the section's contours and nearer to these than to
 * another vessel's. Returns 0, and leaves the area, where their parts do not close, or enclose less
 * than half or more than twice the section's area: then it is not this vessel's surface. */
int ht_plane_section_outline(const ht_plane_cut *cut, const ht_plane_section *section,
                             const ht_triangles *surface, double reach_mm, double *area_mm2);

/* Mean around the section's contours, by length, and the highest value at their points; values:
 * [surface->points] x `components`: of a vector its length. */
void ht_plane_section_wall(const ht_plane_cut *cut, const ht_plane_section *section,
                           const float *values, int components, double *mean, double *highest);

/* Finds the direction of the vessel at the section: that along which the wall's normals at the
 * contour vary least. Of a tube or a cone it is the axis, whatever the plane that cuts it. Returns
 * 0, and leaves it, where the wall is neither there. LPS, unit. */
int ht_plane_section_axis(const ht_plane_cut *cut, const ht_plane_section *section,
                          const ht_surface *surface, double axis[3]);

#ifdef __cplusplus
}
#endif
#endif

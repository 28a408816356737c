/* Makes a mask from a closed surface of triangles. Private to import/.
 *
 * A voxel is inside where the surface winds around its centre: along each row of voxels the
 * crossings with the surface are counted with their sign. Where triangles do not all face the same
 * way, every second crossing counts. ITK's TriangleMeshToBinaryImageFilter is not used: it accepts
 * an open surface, and its mask is then wrong. */
#ifndef HT_SURFACE_MASK_H
#define HT_SURFACE_MASK_H

#include "import/surface/formats/stl_file.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Margin of the mask around the surface, voxels. */
enum { HT_SURFACE_MARGIN = 3 };
/* Number of voxels where no spacing is given: across the thinnest vessel, for each spacing of the
 * lattice where that is known, and at most. */
enum { HT_SURFACE_ACROSS = 40, HT_SURFACE_TO_LATTICE = 2 };
#define HT_SURFACE_VOXELS_USUAL 2e7
/* Largest number of voxels; more are refused. */
#define HT_SURFACE_VOXELS_MAX 2e9

/* Details that the voxels resolve. */
typedef struct {
  double spacing_mm; /* as given; 0: chosen by the others */
  double thin_mm;    /* width of the thinnest vessel; 0: not known */
  double lattice_mm; /* spacing of the lattice that the mask is sampled on; 0: not known */
} ht_surface_voxels;

/* Checks that every edge is one of two triangles (or of four, six). HT_ERR_FORMAT with the number
 * of open edges and the place of the first; HT_ERR_MEMORY. */
ht_status ht_stl_check_closed(const ht_stl *surface, int *same_way);

/* Fills `mask`, whose axes are LPS, on its own grid. HT_ERR_INTERNAL: other axes. HT_ERR_MEMORY. */
ht_status ht_stl_fill_mask(const ht_stl *surface, int same_way, ht_mask *mask);

/* Tells whether the place is inside the closed surface. */
int ht_stl_holds(const ht_stl *surface, int same_way, const double place_mm[3]);

/* Finds the width of the thinnest twentieth of the surface across the vessel, mm: from some of its
 * triangles straight to the wall across (shape diameter: Shapira et al., Vis. Comput. 24 (2008)
 * 249). It is at most the mean width, 4 volume / area, and equals this where triangles face either
 * way. */
double ht_stl_thin_mm(const ht_stl *surface, int same_way);

/* Makes the mask of a closed surface (same_way: from ht_stl_check_closed), axes LPS. HT_ERR_FORMAT,
 * HT_ERR_VESSEL (no voxel is inside: spacing too large), HT_ERR_MEMORY. The caller frees the
 * mask. */
ht_status ht_stl_mask(const ht_stl *surface, int same_way, const ht_surface_voxels *voxels,
                      ht_mask *mask);

#ifdef __cplusplus
}
#endif
#endif

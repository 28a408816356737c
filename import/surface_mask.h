/* A closed surface of triangles into a mask. Private to import/.
 *
 * A voxel is inside where the surface winds around its centre: along each row of voxels the
 * crossings with the surface are counted with their sign. Where triangles do not all face the same
 * way, every second crossing counts. ITK's TriangleMeshToBinaryImageFilter was not taken: it takes
 * an open surface for closed, and gives no mask that could be relied on then.
 */
#ifndef HT_SURFACE_MASK_H
#define HT_SURFACE_MASK_H

#include "stl_file.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Voxels of the mask around the surface. */
enum { HT_SURFACE_MARGIN = 3 };
/* Voxels across the surface's mean width (4 volume / area) where no spacing is given. */
enum { HT_SURFACE_ACROSS = 40 };
/* More voxels than this are refused. */
#define HT_SURFACE_VOXELS_MAX 2e9

/* Is every edge one of two triangles (or of four, six)? HT_ERR_FORMAT with the number of open edges
 * and where the first is; HT_ERR_MEMORY. */
ht_status ht_stl_check_closed(const ht_stl *surface, int *same_way);

/* The mask of a closed surface, on voxels of `spacing_mm` (0: chosen), axes LPS. Checks that it is
 * closed, and of a size that a vessel can have. HT_ERR_FORMAT, HT_ERR_VESSEL (no voxel is
 * inside: spacing too large), HT_ERR_MEMORY. The caller frees the mask. */
ht_status ht_stl_mask(const ht_stl *surface, double spacing_mm, ht_mask *mask);

#ifdef __cplusplus
}
#endif
#endif

/* The wall at the steepest edge, wherever that is: level set. Private to segment/. */
#ifndef HT_LEVELSET_H
#define HT_LEVELSET_H

#include "resample.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Moves the surface to the steepest edge within about two voxels (geodesic active contour,
 * ht_itk_contour), block by block: where the blood's brightness changes along the vessel no single
 * level fits, and the edge is where the true wall is. Where there is no edge the surface stays.
 * On success field and levels of the surface are those of the level set; after a failure they are as
 * before. HT_ERR_MEMORY, HT_ERR_INTERRUPTED. */
ht_status ht_levelset_refine(ht_isosurface *surface, const ht_progress *progress);

#ifdef __cplusplus
}
#endif
#endif

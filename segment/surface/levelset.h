/* Wall by a level set: half-way between blood and the tissue around it, smooth against noise.
 * Private to segment/. */
#ifndef HT_LEVELSET_H
#define HT_LEVELSET_H

#include "segment/surface/resample.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes the local level (local_level.h) and moves the surface to it under some tension
 * (ht_itk_contour), block by block. On success field and levels of the surface are those of the
 * level set. Errors as there. */
ht_status ht_levelset_refine(ht_isosurface *surface, const ht_progress *progress);

#ifdef __cplusplus
}
#endif
#endif

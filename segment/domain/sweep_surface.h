/* Extension with the section of the surface itself. Private to segment/. */
#ifndef HT_SWEEP_SURFACE_H
#define HT_SWEEP_SURFACE_H

#include "segment/domain/sweep.h"
#include "core/vessel/triangles.h"

/* Makes the extension follow the surface; call it after ht_sweep_make, in the mask's grid. The
 * distances of the section's pixels become those from the lines in which the cut plane meets the
 * triangles, and every layer has its nodes by these distances (s->follows). Changes nothing where
 * these lines are not the section's rim (the surface is cut or open there). HT_ERR_MEMORY. */
ht_status ht_sweep_follow(const ht_mask *mask, const ht_triangles *surface, ht_sweep *s);

#endif

/* Open ends of a surface that is the wall alone. Private to import/. */
#ifndef HT_SURFACE_HOLES_H
#define HT_SURFACE_HOLES_H

#include "core/vessel/openings.h"
#include "import/surface/formats/stl_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Closes every hole (a loop of edges of one triangle) with triangles from its middle, which are
 * added to the surface; holes->count is 0 where there is none. Fills in a hole's plane: through its
 * edges in the mean, moved in until it is inward of all of them; centre, normal (out of the vessel;
 * direction is the same), area, radius. HT_ERR_FORMAT, with the surface unchanged: an edge of three
 * triangles or more, more holes than openings (HT_OPENINGS_MAX), a hole without a vessel of its
 * width inward of it. HT_ERR_MEMORY. */
ht_status ht_stl_close_holes(ht_stl *surface, ht_openings *holes);

#ifdef __cplusplus
}
#endif
#endif

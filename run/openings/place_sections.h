/* Width of the vessel beyond its inlets. */
#ifndef HT_PLACE_SECTIONS_H
#define HT_PLACE_SECTIONS_H

#include "core/vessel/openings.h"
#include "core/vessel/volume.h"

/* Sets even_mm2 of the inlets that have none yet by the sections across the vessel beyond them
 * (even_section.h): a flow may be derived from this width, and the flow is judged by it. The vessel
 * has to be open at these openings in the mask; best is the mask on which they are decided, which
 * is the same for every lattice. It stays 0 without a path to an outlet. HT_ERR_MEMORY. */
ht_status ht_place_need_sections(const ht_mask *mask, ht_openings *openings);

/* Copies even_mm2 to the inlets that are at the places of inlets in `known`. */
void ht_place_take_sections(const ht_openings *known, ht_openings *openings);

#endif

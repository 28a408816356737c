/* How wide the vessel is behind its inlets. */
#ifndef HT_PLACE_SECTIONS_H
#define HT_PLACE_SECTIONS_H

#include "openings.h"
#include "volume.h"

/* Sets even_mm2 of every inlet by the sections across the vessel behind it (even_section.h), on a
 * mask on which the vessel is open at these openings; it need not be the one that they were placed
 * on. 0 where it has no way to an outlet. HT_ERR_MEMORY. */
ht_status ht_place_measure_sections(const ht_mask *mask, ht_openings *openings);

/* Sets even_mm2 of the inlets that are at the places of inlets `known` to what is known of these.
 * Returns the number of inlets that have none then. */
int ht_place_take_sections(const ht_openings *known, ht_openings *openings);

#endif

/* How wide the vessel is behind its inlets. */
#ifndef HT_PLACE_SECTIONS_H
#define HT_PLACE_SECTIONS_H

#include "run/case/case.h"
#include "core/vessel/volume.h"

/* Where a flow may be taken from the vessel's width (ht_place_wants_usual): sets even_mm2 of the
 * inlets that have none yet by the sections across the vessel behind them (even_section.h). The
 * mask is one on which the vessel is open at these openings; best is that on which they are
 * decided, which is the same for every lattice. It stays 0 without a way to an outlet.
 * HT_ERR_MEMORY. */
ht_status ht_place_need_sections(const ht_case *settings, const ht_mask *mask,
                                 ht_openings *openings);

/* Sets even_mm2 of the inlets that are at the places of inlets `known` to what is known of these.
 */
void ht_place_take_sections(const ht_openings *known, ht_openings *openings);

#endif

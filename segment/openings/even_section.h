/* Area of the vessel's own section near an inlet, unaffected by an oblique border or plane. */
#ifndef HT_EVEN_SECTION_H
#define HT_EVEN_SECTION_H

#include "core/vessel/vessel_path.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the median area, mm2, of the sections across the vessel from one to six of its diameters
 * after the path's first station, by their length along it; of a path shorter than seven diameters,
 * of its middle half. A bend or a bulge near the inlet, or an inlet moved by a diameter, changes
 * this median little; so does a part of a sac or of another vessel in less than half of the
 * sections. (To leave those out makes it jump where they come near half.) 0: the path has no
 * station. */
double ht_even_section_mm2(const ht_vessel_path *path);

#ifdef __cplusplus
}
#endif
#endif

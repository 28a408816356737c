/* The vessel's own section near an inlet, without what the border or a plane cuts askew. */
#ifndef HT_EVEN_SECTION_H
#define HT_EVEN_SECTION_H

#include "core/vessel/vessel_path.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The median area, mm2, of the sections across the vessel from one to six of its diameters behind
 * the path's first station; of a path shorter than seven diameters, of its middle half. So many
 * that a bend or a bulge behind the inlet, or an inlet moved by a diameter, changes little.
 * Sections with a part of a sac or of another vessel do not count unless they are the most there.
 * 0: the path has no station. */
double ht_even_section_mm2(const ht_vessel_path *path);

#ifdef __cplusplus
}
#endif
#endif

/* Curvature and torsion of a vessel's centreline. */
#ifndef HT_PATH_SHAPE_H
#define HT_PATH_SHAPE_H

#include "core/vessel/vessel_path.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes curvature and torsion of the centreline at each station, 1/mm, from the cubic in the arc
 * length that fits the centres within a diameter to both sides best (least squares; the diameter is
 * the median of the vessel's sections). r', r'', r''' are its derivatives: curvature = |r' x r''| /
 * |r'|^3,   torsion = (r' x r'') . r''' / |r' x r''|^2 (any textbook on curves). Torsion > 0: a
 * right-handed screw. NAN: fewer than 6 centres within reach, or a station less than half a
 * diameter from an end; of the torsion also less than a diameter, and where the vessel is too
 * straight for it (curvature times diameter below 0.2: near a turning point it is a quotient of two
 * small numbers). HT_ERR_MEMORY. */
ht_status ht_path_shape(const ht_station *station, int stations, double *curvature_per_mm,
                        double *torsion_per_mm);

#ifdef __cplusplus
}
#endif
#endif

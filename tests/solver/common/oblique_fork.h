/* A fork of a round vessel into two branches that mirror each other, one along x and one at 37
 * degrees to it and to every axis: equal pressures at their ends divide the flow in halves. Made by
 * hand: for tests of the solver alone. */
#ifndef HT_OBLIQUE_FORK_H
#define HT_OBLIQUE_FORK_H

#include "core/vessel/domain.h"

/* Diameter, length of the branches, of the stem and of the outlets' extensions in nodes; the walls
 * have their distance. Ports: the stem's inlet, the branch along x, the oblique one. Inlet flow in
 * mL/s, spacing in mm. The caller frees with ht_domain_free. */
typedef struct {
  double across, branch, stem, extension;
} ht_fork_shape;
ht_status ht_oblique_fork_domain(const ht_fork_shape *shape, double spacing_mm, double flow_ml_s,
                                 ht_domain *domain);

#endif

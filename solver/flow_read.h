/* From the lattice's state to an ht_flow in SI units and LPS axes. Private to solver/. */
#ifndef HT_FLOW_READ_H
#define HT_FLOW_READ_H

#include "lattice.h"

/* Allocates the flow and numbers its nodes (tile by tile). */
ht_status ht_flow_alloc(const ht_domain *domain, const ht_tiling *tiling,
                        const ht_solver_options *options, ht_flow *flow);

/* Reads the present state into an allocated flow. */
ht_status ht_flow_read(ht_lattice *lattice, const ht_tiling *tiling, const ht_units *units,
                       ht_flow *flow);

/* Measures the ports, the largest velocity and the mass balance of a flow. */
void ht_flow_measure(const ht_domain *domain, const ht_flow *flow, const ht_units *units,
                     ht_flow_stats *stats);

#endif

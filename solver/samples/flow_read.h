/* Reads the lattice's state as an ht_flow in SI units and LPS axes. Private to solver/. */
#ifndef HT_FLOW_READ_H
#define HT_FLOW_READ_H

#include "solver/lattice/lattice.h"
#include "solver/samples/opening_nodes.h"
#include "solver/solver.h"

/* Allocates the flow and numbers its nodes (tile by tile). */
ht_status ht_flow_alloc(const ht_domain *domain, const ht_tiling *tiling,
                        const ht_solver_options *options, ht_flow *flow);

/* Allocates one for all nodes of a tiling, whose map lacks those in `out` ([tiles] bits; NULL:
 * lacks none). */
ht_status ht_flow_alloc_some(const ht_domain *domain, const ht_tiling *tiling, const uint64_t *out,
                             const ht_solver_options *options, ht_flow *flow);

/* Reads the state of ht_lattice_keep() into an allocated flow, perhaps in another thread: as
 * ht_lattice_visit(). `reference_pa`: pressure of the lattice's zero.
 * Blood is incompressible, the fluid of a quasi-compressible model or of cumulants only nearly: its
 * density follows the pressure. What it conserves along the vessel is the mass. So the velocity is
 * the momentum over the blood's density, not over the fluid's: the flow through every section is
 * that of the ports. */
ht_status ht_flow_take(ht_lattice *lattice, const ht_tiling *tiling, const ht_units *units,
                       double reference_pa, ht_flow *flow);

/* Reads some of its nodes ([tiles] bits), which lie at the same voxels of the flow. */
ht_status ht_flow_take_some(ht_lattice *lattice, const ht_tiling *tiling, const uint64_t *some,
                            const ht_units *units, double reference_pa, ht_flow *flow);

/* The largest speed in the vessel, m/s. The nodes of the extensions do not count: velocities at a
 * port are prescribed. */
double ht_flow_fastest(const ht_domain *domain, const ht_flow *flow);

/* Fills in the ports, the largest velocity and the mass balance; `flow_lu` [ports] is from
 * ht_lattice_port_flow; `openings` are those of the flow and get its pressures. */
void ht_flow_measure(const ht_domain *domain, const ht_flow *flow, const ht_units *units,
                     const double *flow_lu, ht_opening_nodes *openings, ht_flow_stats *stats);

#endif

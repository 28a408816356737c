/* The nodes of a flow where the pressures at the openings are measured: found once, and read alone
 * from the lattice where nothing else of a moment is needed. Private to solver/. */
#ifndef HT_OPENING_NODES_H
#define HT_OPENING_NODES_H

#include "solver/lattice/lattice.h"
#include "solver/solver.h"

/* Nodes of each port: those of vessel and extension on both sides of its opening's plane, then the
 * port's own, at the far end of its extension. Zeroed: none. All arrays are owned. */
typedef struct {
  int ports;
  int64_t nodes;
  int64_t *node;                    /* [nodes] numbers in the flow */
  double *weight;                   /* [nodes] in the mean over a section, > 0; of a port's 1 */
  int64_t section[HT_OPENINGS_MAX]; /* first node of each section */
  int64_t port[HT_OPENINGS_MAX];    /* first node of each port, after its section */
  float *pressure_pa;               /* [nodes] of the moment read or taken last */
  int is_marked;                    /* in the lattice */
} ht_opening_nodes;

/* Finds the nodes of the openings. HT_ERR_MEMORY; free them anyway. */
ht_status ht_opening_nodes_find(const ht_domain *domain, const ht_flow *flow,
                                ht_opening_nodes *openings);
void ht_opening_nodes_free(ht_opening_nodes *openings);

/* Marks them in the lattice (ht_lattice_mark), which ht_opening_nodes_read needs. HT_ERR_DEVICE,
 * HT_ERR_MEMORY. */
ht_status ht_opening_nodes_mark(const ht_tiling *tiling, ht_lattice *lattice,
                                ht_opening_nodes *openings);

/* Reads their pressures in the lattice's present state, as ht_flow_read gives them; on a GPU these
 * differ by rounding. HT_ERR_DEVICE, HT_ERR_MEMORY. */
ht_status ht_opening_nodes_read(ht_lattice *lattice, const ht_units *units, double reference_pa,
                                ht_opening_nodes *openings);

/* The pressure that a flow has for a deviation of the density from 1. */
float ht_stored_pressure_pa(const ht_units *units, double reference_pa, double density_lu);

/* Takes their pressures from a flow. */
void ht_opening_nodes_take(const ht_flow *flow, ht_opening_nodes *openings);

/* Means of these pressures, [ports]: on the plane of each opening, interpolated between the nodes
 * on either side of it (of the port where no node is near, in a domain whose openings have no
 * position); over each port. */
void ht_opening_pressures(const ht_opening_nodes *openings, double *pressure_pa);
void ht_port_pressures(const ht_opening_nodes *openings, double *pressure_pa);

#endif

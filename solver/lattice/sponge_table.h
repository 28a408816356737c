/* The nodes of a sponge in the tables of a lattice. Private to solver/. */
#ifndef HT_SPONGE_TABLE_H
#define HT_SPONGE_TABLE_H

#include "solver/lattice/backend.h"

/* Fills tables->sponge_node and the `keep` of the ports' nodes; after the ports' tables.
 * HT_ERR_USAGE (a node that is not fluid, a viscosity that leaves tau above 1), HT_ERR_MEMORY. */
ht_status ht_sponge_table_build(const ht_lattice_setup *setup, ht_lattice_tables *tables);

/* Share that the sponge keeps at a node (tile * 64 + local); 1: it is in no sponge. */
double ht_sponge_keep(const ht_lattice_tables *tables, int64_t node);

#endif

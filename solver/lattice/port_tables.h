/* Builds the ports' part of a lattice's tables from its setup. Private to solver/. */
#ifndef HT_PORT_TABLES_H
#define HT_PORT_TABLES_H

#include "solver/lattice/backend.h"

/* Fills the ports, their nodes, shapes and columns; tiling, neighbours and links are there already.
 * The tables own the allocations, also after a failure. HT_ERR_USAGE as ht_lattice_create,
 * HT_ERR_MEMORY. */
ht_status ht_port_tables_build(const ht_lattice_setup *setup, ht_lattice_tables *tables);

#endif

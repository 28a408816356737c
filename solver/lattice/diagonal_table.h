/* Table of the nodes at which the flow along a diagonal is corrected. Private to solver/. */
#ifndef HT_DIAGONAL_TABLE_H
#define HT_DIAGONAL_TABLE_H

#include "solver/lattice/backend.h"

/* Fills tables->corrected where the setup asks for it; after the tables of ports and sponges.
 * HT_ERR_USAGE (a collision other than cumulant, fp16), HT_ERR_MEMORY. */
ht_status ht_diagonal_table_build(const ht_lattice_setup *setup, ht_lattice_tables *tables);

#endif

/* The neighbours of tiles and the links of nodes. Private to solver/. */
#ifndef HT_LINK_TABLE_H
#define HT_LINK_TABLE_H

#include "solver/lattice/backend.h"

/* tables->neighbour: those of the tiling; around the box where the lattice is periodic, in
 * *wrapped, which the caller frees. HT_ERR_USAGE: a box that cannot be periodic; HT_ERR_MEMORY. */
ht_status ht_neighbours_build(const ht_lattice_setup *setup, ht_lattice_tables *tables,
                              int32_t **wrapped);

/* tables->links, after the neighbours. HT_ERR_MEMORY. */
ht_status ht_links_build(ht_lattice_tables *tables);

#endif

/* The nodes on both sides of an interface whose links cross it. Private to solver/levels/. */
#ifndef HT_LEVEL_EDGES_H
#define HT_LEVEL_EDGES_H

#include "solver/lattice/interface.h"
#include "solver/levels/level_region.h"

/* Fills `edge` of the lists; each tiling is that of its region. HT_ERR_MEMORY. */
ht_status ht_level_edges_make(const ht_level_region *coarse, const ht_tiling *coarse_tiling,
                              const ht_level_region *fine, const ht_tiling *fine_tiling,
                              ht_interface *lists);

#endif

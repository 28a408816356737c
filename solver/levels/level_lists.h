/* The lists of the interface of two levels. Private to solver/levels/. */
#ifndef HT_LEVEL_LISTS_H
#define HT_LEVEL_LISTS_H

#include "solver/lattice/interface.h"
#include "solver/levels/level_region.h"

/* Makes the lists; each tiling is that of its region. HT_ERR_USAGE: a state is needed at a node of
 * the level after or before the two, HT_ERR_MEMORY. The caller frees with ht_level_lists_free(),
 * after a failure too. */
ht_status ht_level_lists_make(const ht_level_region *coarse, const ht_tiling *coarse_tiling,
                              const ht_level_region *fine, const ht_tiling *fine_tiling,
                              ht_interface *lists);
void ht_level_lists_free(ht_interface *lists);

#endif

/* Tiling of a case in its folder: tiling.json and a picture. */
#ifndef HT_TILE_REPORT_H
#define HT_TILE_REPORT_H

#include "export/pictures/pictures.h"
#include "core/vessel/domain.h"
#include "run/state/run_state.h"
#include "tiling/tiles.h"

/* Writes both and prints the utilisation. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_run_write_tiling(const ht_given *given, const ht_domain *domain,
                              const ht_tiling *tiling);

/* Draws the levels of the flow's lattice, if it has several. Errors as above. */
ht_status ht_run_draw_levels(const ht_run *run);

/* Finds the tiles on the lattice of the domain's mask; the caller frees *first, which `places`
 * borrows. HT_ERR_MEMORY. */
ht_status ht_run_tile_places(const ht_tiling *tiling, ht_tile_places *places, int32_t **first);

#endif

/* hemotile tile --study: tile utilisation by size and shape of a vessel, over all placements of the
 * tile grid, as figures 8, 10 and 20 of the tiling paper: T. Tomczak, R. G. Szafran, "A new GPU
 * implementation for lattice-Boltzmann simulations on sparse geometries", Comput. Phys. Commun. 235
 * (2019) 258. */
#ifndef HT_TILE_STUDY_H
#define HT_TILE_STUDY_H

#include "core/disk/file.h"
#include "core/work/progress.h"
#include "core/vessel/volume.h"

/* Utilisation of a mask over several placements of the tile grid. */
typedef struct {
  double origin_000; /* the paper's placement */
  double min, mean, max;
  int distinct; /* how many different values there are */
} ht_tile_spread;

enum { HT_CHANNEL_LEAST = 4, HT_CHANNEL_MOST = 128, HT_CHANNEL_TILINGS = 16 };

/* An infinitely long channel along z: the 16 placements across it, index ox + 4*oy.
 * HT_ERR_MEMORY. */
ht_status ht_tile_channel(int across, int round, double utilisation[HT_CHANNEL_TILINGS]);

/* Spread of a list of utilisations whose first is that of the origin (0,0,0). */
ht_tile_spread ht_tile_spread_of(const double *utilisation, int count);

/* All 64 placements on any mask, and the utilisation of the GPU's blocks at the best of them.
 * HT_ERR_VESSEL where the mask is empty. */
ht_status ht_tile_spread_mask(const ht_mask *mask, ht_tile_spread *spread, double *storage);

/* The smallest size from which `value` [sizes], for sizes from HT_CHANNEL_LEAST on, stays above
 * `bar`; 0: none. */
int ht_tile_stays_above(const double *value, int sizes, double bar);

/* Writes the study into the folder: square_channel, round_channel and sparse (.csv and .png),
 * paper.csv and study.json. The folder is made; it has to be empty or to hold a study
 * (HT_ERR_USAGE). `mask_file`: one more vessel, NULL for none. HT_ERR_WRITE, HT_ERR_MEMORY,
 * HT_ERR_INTERRUPTED; as ht_import_mask. */
ht_status ht_tile_study(const char *folder, const char *mask_file, const ht_progress *progress);

#endif

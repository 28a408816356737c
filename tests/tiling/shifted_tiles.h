/* Tiles of 4 x 4 x 4 that need not lie on one grid: the saving by rows and slabs of tiles with
 * their own shifts. For measure_placement only; the solver does not use it.
 *
 * A row is along x, a slab is 4 slices along z; other axes: ht_mask_permute first. */
#ifndef HT_SHIFTED_TILES_H
#define HT_SHIFTED_TILES_H

#include "core/vessel/volume.h"

typedef struct {
  int64_t grid;      /* one grid, the best of 64 origins */
  int64_t rows;      /* each row has its own shift along x, the best of 4 */
  int64_t free_rows; /* in each row a tile begins wherever fluid does that none before covers */
  int64_t slabs;     /* each slab has its own origin along x and y, the best of 16 */
  int64_t slab_rows; /* each slab its own origin along y, each row in it its own shift along x */
  int64_t slab_free; /* the same with free rows */
} ht_shifted_tiles;

/* The fewest tiles of each kind. HT_ERR_MEMORY. */
ht_status ht_shifted_count(const ht_mask *mask, ht_shifted_tiles *tiles);

/* The mask with axis a where axis from[a] was. The caller frees. HT_ERR_MEMORY. */
ht_status ht_mask_permute(const ht_mask *mask, const int from[3], ht_mask *permuted);

/* Tiles that cover the set bits of a row, each 4 long: of 4 shifts (index 3 - last bit mod 4), and
 * free. `bits` [words], the highest 3 bits of the last word 0. */
void ht_shifted_row(const uint64_t *bits, int words, int64_t of_shift[4], int64_t *free_tiles);

#endif

/* Finds the 6-connected pieces of a mask, by runs along x. Private to segment/.
 *
 * A scan of 80 million voxels has some hundred thousand runs: they take a small part of the memory
 * of an image of labels (four bytes per voxel). Labelling by runs and equivalences: Rosenfeld &
 * Pfaltz, J. ACM 13 (1966) 471. */
#ifndef HT_PIECES_H
#define HT_PIECES_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int32_t first, last; /* along x, both included */
  int32_t piece;       /* 0 .. count - 1 */
} ht_piece_run;

typedef struct {
  int64_t voxels;
  int at_border; /* touches a face of the grid */
} ht_piece;

typedef struct {
  int count;
  ht_piece *piece;   /* (count), in the order in which their first voxel comes */
  ht_piece_run *run; /* (row[ny * nz]) */
  int64_t *row; /* (ny * nz + 1): runs row[r] .. row[r + 1] - 1 are those of line r of the grid */
} ht_pieces;

/* Finds the pieces of the voxels whose inside is not 0 (wanted 1), or is 0 (wanted 0).
 * HT_ERR_MEMORY. The caller frees. */
ht_status ht_pieces_find(const ht_mask *mask, int wanted, ht_pieces *pieces);
void ht_pieces_free(ht_pieces *pieces);

/* Gives `value` to the voxels of all pieces for which keep[piece] is `chosen`. */
void ht_pieces_paint(const ht_pieces *pieces, const uint8_t *keep, int chosen, uint8_t value,
                     ht_mask *mask);

/* Returns the piece of voxel (i, j, k); -1 where it belongs to none. */
int ht_pieces_at(const ht_pieces *pieces, const int dim[3], const int at[3]);

/* Returns the piece with the most voxels, of equals the first; -1 where there is none. */
int ht_pieces_largest(const ht_pieces *pieces);

/* Returns the piece with the voxel centre that is nearest to a position (LPS mm); -1. */
int ht_pieces_nearest(const ht_pieces *pieces, const ht_grid *grid, const double position_mm[3]);

#ifdef __cplusplus
}
#endif
#endif

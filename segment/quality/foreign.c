#include "segment/quality/foreign.h"
#include "segment/voxels/pieces.h"
#include <math.h>
#include <string.h>

static const double bright_from = 1.75,
                    dark_to = 1.0 / 3; /* shares of the whole vessel's contrast */

/* Marks the deep voxels that are too bright (1) or too dark (0); returns their share of the deep
 * ones. */
static double mark(const ht_surroundings *around, int bright, ht_mask *marked) {
  const double blood = around->level[0], tissue = around->level[1];
  int64_t voxels = ht_grid_voxels(&marked->grid), all = 0, found = 0;
  for (int64_t v = 0; v < voxels; v++) {
    int at[3];
    marked->inside[v] = 0;
    if (!(around->kind[v] & HT_NEAR_BLOOD)) continue;
    ht_voxel_place(around->dim, v, at);
    for (int a = 0; a < 3; a++) at[a] += around->box.first[a];
    double value = around->scan->values[ht_voxel_index(around->scan->grid.dim, at)];
    double share = (value - tissue) / (blood - tissue);
    marked->inside[v] = bright ? share > bright_from : share < dark_to;
    found += marked->inside[v];
    all++;
  }
  return (double)found / (double)all;
}

static ht_status find_largest(const ht_mask *marked, ht_quality_lump *lump) {
  ht_pieces pieces;
  const ht_grid *grid = &marked->grid;
  double sum[3] = {0, 0, 0};
  HT_TRY(ht_pieces_find(marked, 1, &pieces));
  int largest = ht_pieces_largest(&pieces);
  for (int64_t row = 0; largest >= 0 && row < (int64_t)grid->dim[1] * grid->dim[2]; row++)
    for (int64_t r = pieces.row[row]; r < pieces.row[row + 1]; r++) {
      const ht_piece_run *run = &pieces.run[r];
      int count = run->last - run->first + 1;
      if (run->piece != largest) continue;
      sum[0] += count * (run->first + run->last) / 2.0;
      sum[1] += (double)count * (double)(row % grid->dim[1]);
      sum[2] += (double)count * (double)(row / grid->dim[1]);
    }
  if (largest >= 0) {
    double voxels = (double)pieces.piece[largest].voxels;
    for (int a = 0; a < 3; a++) sum[a] /= voxels;
    ht_grid_position(grid, sum, lump->at.centre_mm);
    lump->volume_mm3 = voxels * grid->spacing_mm[0] * grid->spacing_mm[1] * grid->spacing_mm[2];
  }
  ht_pieces_free(&pieces);
  return HT_OK;
}

ht_status ht_foreign_measure(const ht_surroundings *around, ht_mask_quality *quality) {
  ht_grid grid = ht_box_grid(&around->scan->grid, &around->box);
  ht_mask marked;
  HT_TRY(ht_mask_alloc(&grid, &marked));
  quality->bright_share = mark(around, 1, &marked);
  ht_status status = find_largest(&marked, &quality->bright);
  quality->dark_share = mark(around, 0, &marked);
  if (status == HT_OK) status = find_largest(&marked, &quality->dark);
  ht_mask_free(&marked);
  return status;
}

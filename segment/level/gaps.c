#include "gaps.h"
#include "block.h"
#include "pieces.h"
#include <math.h>
#include <stdlib.h>

enum { FEWEST_VOXELS = 30 };

/* The closing without the mask itself. */
static ht_status closing(const ht_mask *mask, double gap_mm, const ht_progress *progress,
                         ht_mask *added) {
  ht_mask grown = {0};
  const double *s = mask->grid.spacing_mm;
  double reach = gap_mm / 2 + 0.5 * fmax(s[0], fmax(s[1], s[2]));
  HT_TRY(ht_mask_grow(mask, reach, progress, &grown));
  ht_status status = ht_mask_ring(&grown, 0, reach, INFINITY, progress, added);
  ht_mask_free(&grown);
  if (status != HT_OK) return status;
  int64_t voxels = ht_grid_voxels(&mask->grid);
  for (int64_t v = 0; v < voxels; v++) added->inside[v] &= !mask->inside[v];
  return HT_OK;
}

/* A large piece of the mask that the voxel touches, other than `known`; -1. */
static int neighbour_piece(const ht_pieces *pieces, const int dim[3], const int at[3], int known) {
  for (int n = 0; n < 6; n++) {
    int next[3] = {at[0], at[1], at[2]};
    next[n / 2] += n % 2 ? 1 : -1;
    if (!ht_voxel_in_grid(dim, next)) continue;
    int piece = ht_pieces_at(pieces, dim, next);
    if (piece >= 0 && piece != known && pieces->piece[piece].voxels >= FEWEST_VOXELS) return piece;
  }
  return -1;
}

/* keep[piece] (zeroed) becomes 1 for each added piece that touches two pieces of the mask. */
static ht_status judge(const ht_grid *grid, const ht_pieces *mask, const ht_pieces *added,
                       uint8_t *keep) {
  int *first;
  int64_t lines = (int64_t)grid->dim[1] * grid->dim[2];
  HT_TRY(ht_alloc((void **)&first, (size_t)added->count + 1, sizeof *first, "bridges"));
  for (int p = 0; p < added->count; p++) first[p] = -1;
  for (int64_t line = 0; line < lines; line++)
    for (int64_t r = added->row[line]; r < added->row[line + 1]; r++) {
      const ht_piece_run *run = &added->run[r];
      for (int x = run->first; x <= run->last && !keep[run->piece]; x++) {
        const int at[3] = {x, (int)(line % grid->dim[1]), (int)(line / grid->dim[1])};
        int found = neighbour_piece(mask, grid->dim, at, first[run->piece]);
        if (found < 0) continue;
        keep[run->piece] = first[run->piece] >= 0;
        first[run->piece] = found;
        x--; /* the same voxel may touch the other, too */
      }
    }
  free(first);
  return HT_OK;
}

static ht_status bridge(ht_mask *mask, const ht_mask *added, int *bridges) {
  ht_pieces own = {0}, more = {0};
  uint8_t *keep = NULL;
  ht_status status = ht_pieces_find(mask, 1, &own);
  if (status == HT_OK) status = ht_pieces_find(added, 1, &more);
  if (status == HT_OK)
    status = ht_alloc((void **)&keep, (size_t)more.count + 1, sizeof *keep, "bridges");
  if (status == HT_OK) status = judge(&mask->grid, &own, &more, keep);
  if (status == HT_OK) ht_pieces_paint(&more, keep, 1, 1, mask);
  for (int p = 0; p < more.count && status == HT_OK; p++) *bridges += keep[p];
  free(keep);
  ht_pieces_free(&own);
  ht_pieces_free(&more);
  return status;
}

ht_status ht_bridge_gaps(ht_mask *mask, double gap_mm, const ht_progress *progress, int *bridges) {
  ht_mask added = {0};
  *bridges = 0;
  if (!(gap_mm > 0) || ht_mask_count(mask) == 0) return HT_OK;
  HT_TRY(closing(mask, gap_mm, progress, &added));
  ht_status status = bridge(mask, &added, bridges);
  ht_mask_free(&added);
  return status;
}

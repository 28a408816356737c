#include "segment/level/bone.h"
#include "segment/voxels/block.h"
#include "segment/voxels/pieces.h"
#include <math.h>
#include <stdlib.h>

static const double least_ml = 0.5, filled_mm = 1.5 /* half of what is closed */, rim_voxels = 1.5;

static ht_status drop_small(ht_mask *dense) {
  const double *s = dense->grid.spacing_mm;
  double least = least_ml * 1000 / (s[0] * s[1] * s[2]);
  ht_pieces pieces;
  uint8_t *keep;
  HT_TRY(ht_pieces_find(dense, 1, &pieces));
  ht_status status = ht_alloc((void **)&keep, (size_t)pieces.count + 1, 1, "pieces of bone");
  for (int p = 0; p < pieces.count && status == HT_OK; p++)
    keep[p] = (double)pieces.piece[p].voxels >= least;
  if (status == HT_OK) ht_pieces_paint(&pieces, keep, 0, 0, dense);
  if (status == HT_OK) free(keep);
  ht_pieces_free(&pieces);
  return status;
}

/* Makes the closing of the dense voxels, and its rim: grows them by more than it then shrinks
 * them. */
static ht_status with_rim(const ht_mask *dense, const ht_progress *progress, ht_mask *bone) {
  double rim = rim_voxels * ht_mean_spacing(&dense->grid), reach = fmax(filled_mm, rim);
  ht_mask grown = {0};
  HT_TRY(ht_mask_grow(dense, reach, progress, &grown));
  ht_status status = ht_mask_ring(&grown, 0, reach - rim, INFINITY, progress, bone);
  ht_mask_free(&grown);
  return status;
}

ht_status ht_bone_remove(const ht_volume *image, double value, const ht_progress *progress,
                         ht_mask *zone, double *bone_ml) {
  ht_mask dense, bone = {0};
  const double *s = image->grid.spacing_mm;
  int64_t voxels = ht_grid_voxels(&image->grid), gone = 0;
  *bone_ml = 0;
  HT_TRY(ht_mask_alloc(&image->grid, &dense));
  for (int64_t v = 0; v < voxels; v++) dense.inside[v] = image->values[v] >= value;
  ht_status status = drop_small(&dense);
  if (status == HT_OK && ht_mask_count(&dense) > 0) status = with_rim(&dense, progress, &bone);
  ht_mask_free(&dense);
  for (int64_t v = 0; v < voxels && bone.inside; v++) {
    gone += bone.inside[v] && zone->inside[v];
    if (bone.inside[v]) zone->inside[v] = 0;
  }
  ht_mask_free(&bone);
  *bone_ml = (double)gone * s[0] * s[1] * s[2] / 1000;
  return status;
}

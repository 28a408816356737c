#include "segment/level/seen_zone.h"
#include "segment/settings/segment_options.h"
#include "segment/voxels/block.h"
#include "segment/voxels/quantile.h"
#include <math.h>

static const double reach_voxels = 2, off_voxels = 1.5, far_voxels = 3.5;

static ht_status arteries_of(const ht_mask *seen, ht_mask *artery) {
  HT_TRY(ht_mask_alloc(&seen->grid, artery));
  for (int64_t v = 0, voxels = ht_grid_voxels(&seen->grid); v < voxels; v++)
    artery->inside[v] = seen->inside[v] == HT_SEEN_ARTERY;
  return HT_OK;
}

ht_status ht_zone_keep_seen(const ht_mask *seen, const ht_progress *progress, ht_mask *zone) {
  const int64_t voxels = ht_grid_voxels(&zone->grid);
  ht_mask artery = {0}, near = {0};
  HT_TRY(arteries_of(seen, &artery));
  ht_status status = HT_OK;
  if (ht_mask_count(&artery) == 0)
    status = ht_fail(HT_ERR_VESSEL, "the network sees no artery in this scan or region: put two "
                                    "points into the vessel, --from X,Y,Z --to X,Y,Z");
  if (status == HT_OK)
    status = ht_mask_grow(&artery, reach_voxels * ht_mean_spacing(&zone->grid), progress, &near);
  for (int64_t v = 0; v < voxels && status == HT_OK; v++)
    zone->inside[v] &= near.inside[v] && seen->inside[v] <= HT_SEEN_ARTERY;
  ht_mask_free(&near);
  ht_mask_free(&artery);
  return status;
}

static ht_status blood_of(const ht_volume *image, const ht_mask *artery,
                          const ht_progress *progress, double *blood) {
  const int64_t voxels = ht_grid_voxels(&image->grid), all = ht_mask_count(artery);
  ht_mask deep = {0};
  HT_TRY(ht_mask_ring(artery, 0, off_voxels * ht_mean_spacing(&image->grid), INFINITY, progress,
                      &deep));
  const int64_t count = ht_mask_count(&deep);
  const int thick = count >= all / 20 + 20;
  ht_status status = ht_quantile(image->values, thick ? deep.inside : artery->inside, voxels,
                                 thick ? count : all, thick ? 0.5 : 0.75, blood);
  ht_mask_free(&deep);
  return status;
}

static ht_status tissue_of(const ht_volume *image, const ht_mask *seen, const ht_mask *artery,
                           const ht_progress *progress, double *tissue) {
  const double voxel_mm = ht_mean_spacing(&image->grid);
  const int64_t voxels = ht_grid_voxels(&image->grid);
  ht_mask ring = {0};
  HT_TRY(ht_mask_ring(artery, 1, off_voxels * voxel_mm, far_voxels * voxel_mm, progress, &ring));
  for (int64_t v = 0; v < voxels; v++) ring.inside[v] &= seen->inside[v] == HT_SEEN_BACKGROUND;
  const int64_t count = ht_mask_count(&ring);
  ht_status status = HT_OK;
  *tissue = NAN;
  if (count > 0) status = ht_quantile(image->values, ring.inside, voxels, count, 0.5, tissue);
  ht_mask_free(&ring);
  return status;
}

ht_status ht_seen_values(const ht_volume *image, const ht_mask *seen, const ht_progress *progress,
                         double *blood, double *tissue) {
  ht_mask artery;
  *blood = *tissue = NAN;
  HT_TRY(arteries_of(seen, &artery));
  ht_status status = HT_OK;
  if (ht_mask_count(&artery) > 0) status = blood_of(image, &artery, progress, blood);
  if (status == HT_OK) status = tissue_of(image, seen, &artery, progress, tissue);
  ht_mask_free(&artery);
  return status;
}

ht_status ht_seen_level(const ht_volume *image, const ht_mask *seen, const ht_progress *progress,
                        double *level) {
  double blood, tissue;
  HT_TRY(ht_seen_values(image, seen, progress, &blood, &tissue));
  *level = (blood + tissue) / 2;
  if (blood > tissue) return HT_OK;
  return ht_fail(HT_ERR_VESSEL,
                 "what the network sees as arteries (%.4g) is no brighter than what is around them "
                 "(%.4g): put two points into the vessel, --from X,Y,Z --to X,Y,Z",
                 blood, tissue);
}

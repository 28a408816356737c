#include "segment/see.h"
#include "segment/learned/learned.h"
#include "segment/level/seen_zone.h"
#include "segment/settings/segment_options.h"

static const double bright_contrasts = 2, bright_share = 0.005;

/* Returns the kind of a voxel: the most probable one, where blood of any brightness is one. */
static uint8_t kind_of(const ht_learned *found, int64_t v) {
  const int artery = found->artery[v], other = found->other[v], hard = found->hard[v];
  const int blood = artery + other, background = HT_LEARNED_UNIT - blood - hard;
  if (blood >= hard && blood > background) return artery >= other ? HT_SEEN_ARTERY : HT_SEEN_OTHER;
  if (hard > background) return HT_SEEN_HARD;
  return found->distance[v] <= HT_LEARNED_PER_VOXEL ? HT_SEEN_EDGE : HT_SEEN_BACKGROUND;
}

static ht_status see_once(const ht_volume *scan, const ht_learned_options *options, ht_mask *seen) {
  ht_learned found;
  HT_TRY(ht_learned_find(scan, options, &found));
  for (int64_t v = 0; v < ht_grid_voxels(&scan->grid); v++) seen->inside[v] = kind_of(&found, v);
  ht_learned_free(&found);
  return HT_OK;
}

/* Darkens what is far brighter than the arteries seen. `dark`: values NULL where that is little. */
static ht_status darken(const ht_volume *scan, const ht_mask *seen, const ht_progress *progress,
                        ht_volume *dark) {
  const int64_t voxels = ht_grid_voxels(&scan->grid);
  double blood, tissue;
  int64_t bright = 0;
  HT_TRY(ht_seen_values(scan, seen, progress, &blood, &tissue));
  if (!(blood > tissue)) return HT_OK;
  const float most = (float)(tissue + bright_contrasts * (blood - tissue));
  for (int64_t v = 0; v < voxels; v++) bright += scan->values[v] > most;
  if ((double)bright <= bright_share * (double)voxels) return HT_OK;
  HT_TRY(ht_volume_alloc(&scan->grid, dark));
  for (int64_t v = 0; v < voxels; v++)
    dark->values[v] = scan->values[v] > most ? most : scan->values[v];
  return HT_OK;
}

ht_status ht_see(const ht_volume *scan, const ht_learned_options *options, ht_mask *seen) {
  ht_volume dark = {0};
  HT_TRY(ht_mask_alloc(&scan->grid, seen));
  ht_status status = see_once(scan, options, seen);
  if (status == HT_OK) status = darken(scan, seen, options->progress, &dark);
  if (status == HT_OK && dark.values) status = see_once(&dark, options, seen);
  ht_volume_free(&dark);
  if (status != HT_OK) ht_mask_free(seen);
  return status;
}

#include "import/flow_correction/noise_mask.h"
#include "import/flow_correction/flow_statistics.h"

/* Noise: velocities that scatter over the beat by this part of venc (all values alike: 0.58), in
 * voxels darker than this part of the brightest. */
static const double SCATTER = 0.35, DARK = 0.25;

ht_status ht_flow_mask_noise(ht_measured_flow *flow, ht_flow_corrected *done) {
  const int64_t voxels = ht_grid_voxels(&flow->grid);
  ht_flow_statistics statistics;
  HT_TRY(ht_alloc((void **)&done->noise, (size_t)voxels, 1, "the mask of noise"));
  HT_TRY(ht_flow_statistics_make(flow, &statistics));
  for (int64_t v = 0; v < voxels; v++) {
    const int is_dark = !statistics.magnitude || statistics.magnitude[v] < DARK * statistics.bright;
    const int is_wild = flow->times < HT_SCATTER_TIMES_LEAST || statistics.scatter[v] > SCATTER;
    if (!is_dark || !is_wild || (!statistics.magnitude && flow->times < HT_SCATTER_TIMES_LEAST))
      continue;
    done->noise[v] = 1;
    done->noisy++;
    for (int t = 0; t < flow->times; t++)
      for (int e = 0; e < flow->encodings; e++) ht_measured_part(flow, t, e)[v] = 0;
  }
  ht_flow_statistics_free(&statistics);
  return HT_OK;
}

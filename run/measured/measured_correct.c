#include "run/measured/measured_correct.h"
#include <math.h>
#include <stdlib.h>

/* Voxels around the vessel that are none of the tissue. */
enum { AROUND = 2 };

/* Marks the voxels that lie in the vessel or around it. */
static void mark_vessel(const ht_measured_flow *flow, const ht_mask *mask, uint8_t *vessel) {
  const ht_grid *grid = &flow->grid;
  for (int64_t m = 0; m < ht_grid_voxels(&mask->grid); m++) {
    double at[3], index[3];
    int low[3], high[3], v[3];
    if (!mask->inside[m]) continue;
    ht_grid_voxel_position(&mask->grid, m, at);
    ht_grid_index(grid, at, index);
    for (int a = 0; a < 3; a++) {
      const int around = grid->dim[a] == 1 ? 1 : AROUND;
      low[a] = (int)fmax(0, floor(index[a] + 0.5) - around);
      high[a] = (int)fmin(grid->dim[a] - 1, floor(index[a] + 0.5) + around);
    }
    for (v[2] = low[2]; v[2] <= high[2]; v[2]++)
      for (v[1] = low[1]; v[1] <= high[1]; v[1]++)
        for (v[0] = low[0]; v[0] <= high[0]; v[0]++) vessel[ht_voxel_index(grid->dim, v)] = 1;
  }
}

ht_status ht_measured_correct(ht_measured_flow *flow, const ht_mask *mask,
                              const ht_flow_corrections *wanted, ht_import_notes *notes,
                              ht_flow_corrected *done) {
  ht_flow_corrections with = *wanted;
  uint8_t *vessel;
  *done = (ht_flow_corrected){0};
  HT_TRY(ht_alloc((void **)&vessel, (size_t)ht_grid_voxels(&flow->grid), 1, "the vessel's voxels"));
  mark_vessel(flow, mask, vessel);
  with.vessel = vessel;
  const ht_status status = ht_flow_correct(flow, &with, notes, done);
  free(vessel);
  return status;
}

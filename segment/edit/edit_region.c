#include "segment/edit/edit_kinds.h"
#include "segment/shape/flood.h"
#include <math.h>

/* Marks the voxels in reach whose intensity is in the range. */
static void mark_range(const ht_edit_job *job, const double begin[3], ht_mask *range) {
  const ht_edit_step *step = job->step;
  const double reach = step->radius_mm / job->lattice->spacing_mm[0];
  const int *dim = range->grid.dim;
#pragma omp parallel for
  for (int z = 0; z < dim[2]; z++)
    for (int y = 0; y < dim[1]; y++)
      for (int x = 0; x < dim[0]; x++) {
        const double at[3] = {job->first[0] + x, job->first[1] + y, job->first[2] + z};
        double place_mm[3], index[3];
        if (ht_distance(at, begin) > reach) continue;
        ht_grid_position(job->lattice, at, place_mm);
        ht_grid_index(&job->scan->grid, place_mm, index);
        const double value = ht_volume_sample(job->scan, index);
        range->inside[x + dim[0] * (y + (int64_t)dim[1] * z)] =
            value >= step->lower && value <= step->upper;
      }
}

static ht_status flood_range(const ht_edit_job *job, ht_mask *range, ht_mask *work) {
  const int *dim = work->grid.dim;
  double begin[3];
  int at[3];
  ht_mask mark;
  ht_edit_index(job, job->step->place_mm[0], begin);
  mark_range(job, begin, range);
  for (int a = 0; a < 3; a++) at[a] = (int)lround(begin[a]) - job->first[a];
  if (!ht_voxel_in_grid(dim, at))
    return ht_fail(HT_ERR_USAGE, "step 'region' begins outside the scan");
  const int64_t seed = ht_voxel_index(dim, at);
  if (!range->inside[seed])
    return ht_fail(HT_ERR_USAGE,
                   "step 'region': the scan's intensity at its place is not from %g to %g: set "
                   "lower and upper around the value there",
                   job->step->lower, job->step->upper);
  HT_TRY(ht_mask_alloc(&work->grid, &mark));
  ht_status status = ht_flood(range->inside, dim, seed, 1, mark.inside);
  const int64_t voxels = ht_grid_voxels(&work->grid);
  for (int64_t v = 0; v < voxels && status == HT_OK; v++) work->inside[v] |= mark.inside[v];
  ht_mask_free(&mark);
  return status;
}

ht_status ht_edit_region(const ht_edit_job *job, ht_mask *work) {
  ht_mask range;
  if (!job->scan)
    return ht_fail(HT_ERR_USAGE, "step 'region' needs a scan, and the case begins with a mask");
  HT_TRY(ht_mask_alloc(&work->grid, &range));
  ht_status status = flood_range(job, &range, work);
  ht_mask_free(&range);
  return status;
}

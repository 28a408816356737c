#include "segment/verify_candidates.h"
#include "segment/segment_between.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double least_share = 0.8; /* least share of the centreline in the vessel found */

static double share_inside(const ht_candidate *c, const ht_isosurface *surface) {
  const ht_grid *grid = &surface->field.grid;
  int inside = 0;
  for (int s = 0; s < c->stations; s++) {
    double at[3];
    int place[3];
    ht_grid_index(grid, c->station[s], at);
    for (int a = 0; a < 3; a++) place[a] = (int)lround(at[a]);
    if (!ht_voxel_in_grid(grid->dim, place)) continue;
    inside += surface->field.values[ht_voxel_index(grid->dim, place)] >= surface->lower;
  }
  return (double)inside / fmax(1, c->stations);
}

static ht_status is_found(const ht_volume *scan, const ht_segment_options *options,
                          const ht_candidate *c, const ht_progress *progress, int *found) {
  ht_segment_options between = *options;
  ht_segment_report report;
  ht_isosurface surface = {.lower = 0};
  memset(&report, 0, sizeof report);
  between.points = 2;
  memcpy(between.point_mm[0], c->from_mm, sizeof c->from_mm);
  memcpy(between.point_mm[1], c->to_mm, sizeof c->to_mm);
  ht_status status =
      ht_segment_between(scan, &between, HT_SEGMENT_AUTO, progress, &report, &surface);
  *found = status == HT_OK && share_inside(c, &surface) >= least_share;
  ht_isosurface_free(&surface);
  return status == HT_ERR_INTERRUPTED || status == HT_ERR_MEMORY ? status : HT_OK;
}

ht_status ht_candidates_verify(const ht_volume *scan, const ht_segment_options *options,
                               const ht_progress *progress, ht_candidates *candidates) {
  int kept = 0;
  ht_status status = HT_OK;
  for (int i = 0; i < candidates->count; i++) {
    int found = 0;
    if (status == HT_OK) status = is_found(scan, options, &candidates->item[i], progress, &found);
    if (found)
      candidates->item[kept++] = candidates->item[i];
    else
      free(candidates->item[i].station);
  }
  candidates->dropped += candidates->count - kept;
  candidates->count = kept;
  if (status != HT_OK) ht_candidates_free(candidates);
  return status;
}

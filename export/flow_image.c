#include "flow_image.h"
#include <math.h>
#include <string.h>

static const int margin = 2; /* so that a viewer's interpolation at the wall has its zeros */

/* Widens the box by the vessel's part of row (j, k). */
static void take_row(const ht_mask *mask, int j, int k, int low[3], int high[3]) {
  const int nx = mask->grid.dim[0];
  const uint8_t *row = mask->inside + (int64_t)nx * (j + (int64_t)mask->grid.dim[1] * k);
  int first = 0, last = nx - 1;
  while (first < nx && row[first] != HT_VESSEL) first++;
  if (first == nx) return;
  while (row[last] != HT_VESSEL) last--;
  int from[3] = {first, j, k}, to[3] = {last, j, k};
  for (int a = 0; a < 3; a++) {
    if (from[a] < low[a]) low[a] = from[a];
    if (to[a] > high[a]) high[a] = to[a];
  }
}

static ht_status find_box(const ht_mask *mask, int low[3], int high[3]) {
  const int *dim = mask->grid.dim;
  for (int a = 0; a < 3; a++) low[a] = dim[a], high[a] = -1;
  for (int k = 0; k < dim[2]; k++)
    for (int j = 0; j < dim[1]; j++) take_row(mask, j, k, low, high);
  if (high[0] < 0)
    return ht_fail(HT_ERR_VESSEL, "the flow domain has no voxel of the vessel: there is nothing "
                                  "to export");
  for (int a = 0; a < 3; a++) {
    low[a] = low[a] > margin ? low[a] - margin : 0;
    high[a] = high[a] + margin < dim[a] ? high[a] + margin : dim[a] - 1;
  }
  return HT_OK;
}

static ht_status bad_number(const ht_grid *grid, int64_t v, const char *what) {
  double index[3] = {(double)(v % grid->dim[0]), (double)(v / grid->dim[0] % grid->dim[1]),
                     (double)(v / grid->dim[0] / grid->dim[1])};
  double at[3];
  ht_grid_position(grid, index, at);
  return ht_fail(HT_ERR_DIVERGED,
                 "the %s is not a finite number at [%.2f, %.2f, %.2f] mm: the flow is not written",
                 what, at[0], at[1], at[2]);
}

static ht_status check_flow(const ht_domain *domain, const ht_flow *flow) {
  const ht_grid *grid = &domain->mask.grid;
  int64_t voxels = ht_grid_voxels(grid);
  if (memcmp(grid->dim, flow->grid.dim, sizeof grid->dim) != 0)
    return ht_fail(HT_ERR_INTERNAL, "the flow has %d x %d x %d voxels, its domain %d x %d x %d",
                   flow->grid.dim[0], flow->grid.dim[1], flow->grid.dim[2], grid->dim[0],
                   grid->dim[1], grid->dim[2]);
  for (int64_t v = 0; v < voxels; v++) {
    if (domain->mask.inside[v] != HT_VESSEL) continue;
    int64_t node = flow->node_of[v];
    if (node < 0 || node >= flow->nodes)
      return ht_fail(HT_ERR_INTERNAL, "voxel %lld of the vessel has no node in the flow",
                     (long long)v);
    const float *u = flow->velocity_m_s + 3 * node;
    if (!isfinite(u[0]) || !isfinite(u[1]) || !isfinite(u[2]))
      return bad_number(grid, v, "velocity");
    if (!isfinite(flow->pressure_pa[node])) return bad_number(grid, v, "pressure");
  }
  return HT_OK;
}

ht_status ht_flow_image_make(const ht_domain *domain, const ht_flow *flow, ht_flow_image *image) {
  int high[3];
  memset(image, 0, sizeof *image);
  HT_TRY(find_box(&domain->mask, image->low, high));
  HT_TRY(check_flow(domain, flow));
  image->domain = domain;
  image->flow = flow;
  image->grid = domain->mask.grid;
  double first[3] = {image->low[0], image->low[1], image->low[2]};
  ht_grid_position(&domain->mask.grid, first, image->grid.origin_mm);
  for (int a = 0; a < 3; a++) image->grid.dim[a] = high[a] - image->low[a] + 1;
  return HT_OK;
}

/* The node at voxel v of the box; -1 outside the vessel. */
static int64_t node_at(const ht_flow_image *image, int64_t v) {
  const int *dim = image->grid.dim, *all = image->domain->mask.grid.dim;
  int64_t x = v % dim[0] + image->low[0];
  int64_t y = v / dim[0] % dim[1] + image->low[1];
  int64_t z = v / dim[0] / dim[1] + image->low[2];
  int64_t at = x + all[0] * (y + all[1] * z);
  return image->domain->mask.inside[at] == HT_VESSEL ? image->flow->node_of[at] : -1;
}

void ht_flow_image_velocity(const void *image, int64_t first, int64_t count, void *out) {
  const ht_flow_image *from = image;
  float *to = out;
  int64_t node = -1, voxel = -1;
  for (int64_t n = first; n < first + count; n++) { /* a piece may start inside a vector */
    if (n / 3 != voxel) node = node_at(from, voxel = n / 3);
    *to++ = node < 0 ? 0.0f : from->flow->velocity_m_s[3 * node + n % 3];
  }
}

void ht_flow_image_pressure(const void *image, int64_t first, int64_t count, void *out) {
  const ht_flow_image *from = image;
  float *to = out;
  for (int64_t v = first; v < first + count; v++) {
    int64_t node = node_at(from, v);
    *to++ = node < 0 ? 0.0f : from->flow->pressure_pa[node];
  }
}

void ht_flow_image_mask(const void *image, int64_t first, int64_t count, void *out) {
  uint8_t *to = out;
  for (int64_t v = first; v < first + count; v++) *to++ = node_at(image, v) >= 0;
}

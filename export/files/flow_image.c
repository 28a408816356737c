#include "export/files/flow_image.h"
#include <math.h>
#include <string.h>

/* The largest distance between the voxels of the two grids, in voxels. */
static const double slack = 0.01;

static ht_status another_lattice(const ht_grid *grid, const ht_grid *all) {
  return ht_fail(
      HT_ERR_INTERNAL,
      "the mask's %d x %d x %d voxels of %.6g mm at [%.4f, %.4f, %.4f] mm are not voxels "
      "of the flow's lattice (%.6g mm, at [%.4f, %.4f, %.4f] mm)",
      grid->dim[0], grid->dim[1], grid->dim[2], grid->spacing_mm[0], grid->origin_mm[0],
      grid->origin_mm[1], grid->origin_mm[2], all->spacing_mm[0], all->origin_mm[0],
      all->origin_mm[1], all->origin_mm[2]);
}

/* Finds the place of the grid's first voxel on the lattice; its first and last must coincide with
 * voxels. */
static ht_status find_offset(const ht_grid *grid, const ht_grid *all, int low[3]) {
  for (int corner = 0; corner < 8; corner++) {
    double index[3], at[3], place[3];
    for (int a = 0; a < 3; a++) index[a] = corner >> a & 1 ? grid->dim[a] - 1 : 0;
    ht_grid_position(grid, index, at);
    ht_grid_index(all, at, place);
    for (int a = 0; a < 3; a++) {
      if (!(fabs(place[a]) < 1e9)) return another_lattice(grid, all);
      if (corner == 0) low[a] = (int)lround(place[a]);
      if (fabs(place[a] - low[a] - index[a]) > slack) return another_lattice(grid, all);
    }
  }
  return HT_OK;
}

static int holds(const ht_grid *grid, const int low[3], const int voxel[3]) {
  const int at[3] = {voxel[0] - low[0], voxel[1] - low[1], voxel[2] - low[2]};
  return ht_voxel_in_grid(grid->dim, at);
}

/* Checks that the grid holds the whole vessel. */
static ht_status check_vessel(const ht_mask *mask, const ht_grid *grid, const int low[3]) {
  int64_t voxels = ht_grid_voxels(&mask->grid), vessel = 0;
  for (int64_t v = 0; v < voxels; v++) {
    if (mask->inside[v] != HT_VESSEL) continue;
    int voxel[3];
    ht_voxel_place(mask->grid.dim, v, voxel);
    if (!holds(grid, low, voxel)) return another_lattice(grid, &mask->grid);
    vessel++;
  }
  if (vessel > 0) return HT_OK;
  return ht_fail(HT_ERR_VESSEL, "the flow domain has no voxel of the vessel: there is nothing to "
                                "export");
}

static ht_status bad_number(const ht_grid *grid, int64_t v, const char *what) {
  double at[3];
  ht_grid_voxel_position(grid, v, at);
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
    int64_t node = ht_flow_node(flow, v);
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

ht_status ht_flow_image_make(const ht_domain *domain, const ht_flow *flow, const ht_grid *grid,
                             ht_flow_image *image) {
  memset(image, 0, sizeof *image);
  HT_TRY(ht_grid_check(grid));
  HT_TRY(find_offset(grid, &domain->mask.grid, image->low));
  HT_TRY(check_vessel(&domain->mask, grid, image->low));
  if (flow) HT_TRY(check_flow(domain, flow));
  image->domain = domain;
  image->flow = flow;
  image->grid = *grid;
  return HT_OK;
}

/* The nodes at up to RUN voxels of a row of the image, from voxel v on; -1 outside the vessel.
 * Returns the number of nodes. */
enum { RUN = 512 };

static int find_nodes(const ht_flow_image *image, int64_t v, int64_t count, int64_t node[RUN]) {
  const int *all = image->domain->mask.grid.dim;
  int at[3];
  ht_voxel_place(image->grid.dim, v, at);
  int left = image->grid.dim[0] - at[0], many = left < RUN ? left : RUN;
  if (count < many) many = (int)count;
  for (int a = 0; a < 3; a++) at[a] += image->low[a];
  int is_row = at[1] >= 0 && at[1] < all[1] && at[2] >= 0 && at[2] < all[2];
  int64_t row = (int64_t)all[0] * (at[1] + (int64_t)all[1] * at[2]);
  for (int i = 0; i < many; i++, at[0]++) {
    int inside = is_row && at[0] >= 0 && at[0] < all[0];
    inside = inside && image->domain->mask.inside[row + at[0]] == HT_VESSEL;
    node[i] = inside ? ht_flow_node(image->flow, row + at[0]) : -1;
  }
  return many;
}

/* One component, `c`, of the `n` numbers of a node. */
typedef struct {
  const float *values;
  int n, c;
} component_of;

/* Writes a component's values, `stride` floats apart. */
static void scatter(const ht_flow_image *from, component_of of, int64_t first, int64_t count,
                    int stride, float *to) {
  int64_t node[RUN];
  for (int64_t v = first, end = first + count; v < end;) {
    int many = find_nodes(from, v, end - v, node);
    for (int i = 0; i < many; i++, to += stride)
      *to = node[i] < 0 ? 0.0f : of.values[of.n * node[i] + of.c];
    v += many;
  }
}

void ht_flow_image_velocity(const void *image, int64_t first, int64_t count, void *out) {
  const ht_flow_image *from = image;
  const float *velocity = from->flow->velocity_m_s;
  for (int c = 0; c < 3; c++) { /* a piece may start and end inside a vector */
    int64_t low = (first - c + 2) / 3, high = (first + count - c + 2) / 3;
    scatter(from, (component_of){velocity, 3, c}, low, high - low, 3,
            (float *)out + (3 * low + c - first));
  }
}

void ht_flow_image_velocity_part(const void *image, int component, int64_t first, int64_t count,
                                 void *out) {
  const float *velocity = ((const ht_flow_image *)image)->flow->velocity_m_s;
  scatter(image, (component_of){velocity, 3, component}, first, count, 1, out);
}

static void scalar(const ht_flow_image *from, const float *values, int64_t first, int64_t count,
                   float *to) {
  scatter(from, (component_of){values, 1, 0}, first, count, 1, to);
}

void ht_flow_image_pressure_part(const void *image, int component, int64_t first, int64_t count,
                                 void *out) {
  (void)component;
  ht_flow_image_pressure(image, first, count, out);
}

void ht_flow_image_pressure(const void *image, int64_t first, int64_t count, void *out) {
  scalar(image, ((const ht_flow_image *)image)->flow->pressure_pa, first, count, out);
}

void ht_flow_image_tke(const void *image, int64_t first, int64_t count, void *out) {
  scalar(image, ((const ht_flow_image *)image)->flow->tke_j_m3, first, count, out);
}

void ht_flow_image_tke_peak(const void *image, int64_t first, int64_t count, void *out) {
  scalar(image, ((const ht_flow_image *)image)->flow->tke_peak_j_m3, first, count, out);
}

void ht_flow_image_rms(const void *image, int64_t first, int64_t count, void *out) {
  float *to = out;
  double density = ((const ht_flow_image *)image)->flow->density_kg_m3;
  ht_flow_image_tke(image, first, count, out);
  for (int64_t i = 0; i < count; i++) to[i] = (float)sqrt(2 * to[i] / density);
}

void ht_flow_image_mask(const void *image, int64_t first, int64_t count, void *out) {
  int64_t node[RUN];
  uint8_t *to = out;
  for (int64_t v = first, end = first + count; v < end;) {
    int many = find_nodes(image, v, end - v, node);
    for (int i = 0; i < many; i++) *to++ = node[i] >= 0;
    v += many;
  }
}

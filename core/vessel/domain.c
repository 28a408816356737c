#include "core/vessel/domain.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void ht_domain_free(ht_domain *domain) {
  if (!domain) return;
  ht_mask_free(&domain->mask);
  free(domain->wall_distance);
  for (int p = 0; p < HT_OPENINGS_MAX; p++) free(domain->port[p].node);
  memset(domain, 0, sizeof *domain);
}

/* ---- ports ---- */

ht_grid ht_port_grid(const ht_domain *domain, int port) {
  const int times = 1 << domain->port[port].halvings;
  const double first = 0.5 / times - 0.5, index[3] = {first, first, first};
  ht_grid grid = domain->mask.grid;
  if (times == 1) return grid;
  ht_grid_position(&domain->mask.grid, index, grid.origin_mm);
  for (int a = 0; a < 3; a++) {
    grid.dim[a] *= times;
    grid.spacing_mm[a] /= times;
  }
  return grid;
}

int64_t ht_port_extension(const ht_domain *domain, int p, uint8_t *mark, int64_t *found) {
  const ht_port *port = &domain->port[p];
  const int *dim = domain->mask.grid.dim;
  int64_t count = 0;
  for (int64_t i = 0; i < port->nodes; i++) {
    if (mark[port->node[i]]) continue;
    mark[port->node[i]] = 1;
    found[count++] = port->node[i];
  }
  for (int64_t next = 0; next < count; next++) {
    int at[3];
    ht_voxel_place(dim, found[next], at);
    for (int k = 0; k < 6; k++) {
      int there[3] = {at[0], at[1], at[2]};
      there[k / 2] += k % 2 ? 1 : -1;
      if (!ht_voxel_in_grid(dim, there)) continue;
      int64_t voxel = ht_voxel_index(dim, there);
      if (mark[voxel] || domain->mask.inside[voxel] != HT_EXTENSION) continue;
      mark[voxel] = 1;
      found[count++] = voxel;
    }
  }
  return count;
}

/* ---- volumes ---- */

double ht_domain_part_inside(const ht_domain *domain, int64_t voxel) {
  if (!domain->wall_distance) return domain->mask.inside[voxel] != HT_SOLID;
  return fmin(1, fmax(0, 0.5 + (double)domain->wall_distance[voxel]));
}

/* Returns 1 for a voxel of the vessel, or a solid one next to it and not next to an extension. */
static int is_of_vessel(const ht_mask *mask, int64_t voxel) {
  int at[3], beside = 0;
  if (mask->inside[voxel] != HT_SOLID) return mask->inside[voxel] == HT_VESSEL;
  ht_voxel_place(mask->grid.dim, voxel, at);
  for (int k = 0; k < 27; k++) {
    const int near[3] = {at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1};
    if (!ht_voxel_in_grid(mask->grid.dim, near)) continue;
    int value = mask->inside[ht_voxel_index(mask->grid.dim, near)];
    if (value == HT_EXTENSION) return 0;
    beside |= value == HT_VESSEL;
  }
  return beside;
}

double ht_domain_vessel_ml(const ht_domain *domain) {
  const ht_mask *mask = &domain->mask;
  double sum = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    double part = ht_domain_part_inside(domain, v);
    if (part > 0 && is_of_vessel(mask, v)) sum += part;
  }
  return 1e-3 * sum * pow(mask->grid.spacing_mm[0], 3);
}

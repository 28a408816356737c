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

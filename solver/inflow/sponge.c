#include "solver/inflow/sponge.h"
#include <math.h>
#include <stdlib.h>

/* Returns the relative distance of a voxel along an extension, 0 at the vessel to 1 at the port. */
static double share_of_way(const ht_domain *domain, const ht_port *port, int64_t voxel) {
  double centre[3], behind = 0;
  int at[3], plane[3];
  ht_voxel_place(domain->mask.grid.dim, voxel, at);
  ht_voxel_place(domain->mask.grid.dim, port->node[0], plane);
  ht_grid_index(&domain->mask.grid, port->opening.centre_mm, centre);
  for (int a = 0; a < 3; a++) behind -= (at[a] - centre[a]) * port->direction[a];
  double before = (at[port->axis] - plane[port->axis]) / port->direction[port->axis];
  if (behind <= 0) return 0;
  return before <= 0 ? 1 : behind / (behind + before);
}

static void add_port(const ht_domain *domain, int p, uint8_t *mark, int64_t *found,
                     float *viscosity) {
  int64_t count = ht_port_extension(domain, p, mark, found);
  for (int64_t i = 0; i < count; i++) {
    double s = share_of_way(domain, &domain->port[p], found[i]);
    viscosity[found[i]] = (float)(HT_SPONGE_MOST * s * s);
  }
}

/* Moves the viscosities from [voxels] to the list. */
static ht_status gather(const float *viscosity, int64_t voxels, ht_sponge *sponge) {
  int64_t count = 0;
  for (int64_t v = 0; v < voxels; v++) count += viscosity[v] > 0;
  HT_TRY(ht_alloc((void **)&sponge->voxel, (size_t)count, sizeof(int64_t), "the sponge"));
  HT_TRY(ht_alloc((void **)&sponge->viscosity_lu, (size_t)count, sizeof(float), "the sponge"));
  for (int64_t v = 0; v < voxels; v++) {
    if (!(viscosity[v] > 0)) continue;
    sponge->voxel[sponge->nodes] = v;
    sponge->viscosity_lu[sponge->nodes++] = viscosity[v];
  }
  return HT_OK;
}

ht_status ht_sponge_make(const ht_domain *domain, ht_sponge *sponge) {
  size_t voxels = (size_t)ht_grid_voxels(&domain->mask.grid);
  uint8_t *mark = NULL;
  int64_t *found = NULL;
  float *viscosity = NULL;
  *sponge = (ht_sponge){0};
  ht_status status = ht_alloc((void **)&mark, voxels, sizeof *mark, "the sponge");
  if (status == HT_OK)
    status = ht_alloc((void **)&found, (size_t)ht_mask_count(&domain->mask), sizeof *found,
                      "the sponge");
  if (status == HT_OK)
    status = ht_alloc((void **)&viscosity, voxels, sizeof *viscosity, "the sponge");
  for (int p = 0; p < domain->ports && status == HT_OK; p++)
    if (domain->port[p].opening.role == HT_ROLE_OUTLET && domain->port[p].halvings == 0)
      add_port(domain, p, mark, found, viscosity);
  if (status == HT_OK) status = gather(viscosity, (int64_t)voxels, sponge);
  if (status != HT_OK) ht_sponge_free(sponge);
  free(mark);
  free(found);
  free(viscosity);
  return status;
}

void ht_sponge_free(ht_sponge *sponge) {
  free(sponge->voxel);
  free(sponge->viscosity_lu);
  *sponge = (ht_sponge){0};
}

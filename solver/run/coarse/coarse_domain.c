#include "solver/run/coarse/coarse_domain.h"
#include <stdlib.h>
#include <string.h>

static ht_grid coarse_grid(const ht_grid *fine) {
  ht_grid grid = *fine;
  for (int a = 0; a < 3; a++) {
    grid.dim[a] = fine->dim[a] / 2 + 1;
    grid.spacing_mm[a] = 2 * fine->spacing_mm[a];
  }
  return grid;
}

/* Returns the fine voxel at a coarse one; -1: beyond the fine grid. */
static int64_t fine_of(const ht_domain *fine, const int at[3]) {
  const int there[3] = {2 * at[0], 2 * at[1], 2 * at[2]};
  const int *dim = fine->mask.grid.dim;
  return ht_voxel_in_grid(dim, there) ? ht_voxel_index(dim, there) : -1;
}

static ht_status sample(const ht_domain *fine, ht_domain *coarse) {
  const ht_grid grid = coarse_grid(&fine->mask.grid);
  int64_t voxels = ht_grid_voxels(&grid);
  HT_TRY(ht_mask_alloc(&grid, &coarse->mask));
  if (fine->wall_distance)
    HT_TRY(ht_alloc((void **)&coarse->wall_distance, (size_t)voxels, sizeof(float),
                    "the coarse wall distance"));
#pragma omp parallel for schedule(static)
  for (int64_t v = 0; v < voxels; v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    int64_t from = fine_of(fine, at);
    if (from >= 0) coarse->mask.inside[v] = fine->mask.inside[from];
    if (fine->wall_distance)
      coarse->wall_distance[v] = from < 0 ? -1 : fine->wall_distance[from] / 2;
  }
  return HT_OK;
}

/* ---- ports ---- */

/* Marks the coarse voxel at a fine one, if there is one, with fluid in it and inside of it. */
static int64_t mark(const ht_domain *coarse, const ht_port *port, const int fine_at[3],
                    uint8_t *marked) {
  const int *dim = coarse->mask.grid.dim;
  int at[3], inner[3];
  for (int a = 0; a < 3; a++) {
    if (fine_at[a] < 0 || fine_at[a] % 2) return 0;
    at[a] = inner[a] = fine_at[a] / 2;
  }
  inner[port->axis] += port->inward;
  if (!ht_voxel_in_grid(dim, at) || !ht_voxel_in_grid(dim, inner)) return 0;
  int64_t v = ht_voxel_index(dim, at);
  if (marked[v] || !coarse->mask.inside[v] || !coarse->mask.inside[ht_voxel_index(dim, inner)])
    return 0;
  marked[v] = 1;
  return 1;
}

/* One layer into the domain a slanted vessel's section lies up to one voxel aside. */
static int64_t mark_around(const ht_domain *coarse, const ht_port *port, const int fine_at[3],
                           uint8_t *marked) {
  int64_t count = 0;
  int first = (port->axis + 1) % 3, second = (port->axis + 2) % 3;
  for (int i = -1; i <= 1; i++)
    for (int j = -1; j <= 1; j++) {
      int at[3] = {fine_at[0], fine_at[1], fine_at[2]};
      at[first] += i, at[second] += j;
      at[port->axis] += port->inward;
      count += mark(coarse, port, at, marked);
    }
  return count;
}

static ht_status list_port(const ht_domain *fine, const ht_port *from, const ht_domain *coarse,
                           uint8_t *marked, ht_port *port) {
  int64_t count = 0, voxels = ht_grid_voxels(&coarse->mask.grid);
  for (int64_t i = 0; i < from->nodes; i++) {
    int at[3];
    ht_voxel_place(fine->mask.grid.dim, from->node[i], at);
    if (at[port->axis] % 2)
      count += mark_around(coarse, port, at, marked);
    else
      count += mark(coarse, port, at, marked);
  }
  if (count == 0)
    return ht_fail(HT_ERR_OPENINGS, "the port of '%s' has no node on the coarse lattice",
                   port->opening.name);
  HT_TRY(ht_alloc((void **)&port->node, (size_t)count, sizeof *port->node, "the coarse port"));
  for (int64_t v = 0; v < voxels; v++)
    if (marked[v]) port->node[port->nodes++] = v;
  return HT_OK;
}

static ht_status make_port(const ht_domain *fine, int p, ht_domain *coarse) {
  uint8_t *marked;
  ht_port *port = &coarse->port[p];
  *port = fine->port[p];
  port->node = NULL;
  port->nodes = 0;
  HT_TRY(
      ht_alloc((void **)&marked, (size_t)ht_grid_voxels(&coarse->mask.grid), 1, "the coarse port"));
  ht_status status = list_port(fine, &fine->port[p], coarse, marked, port);
  free(marked);
  return status;
}

ht_status ht_coarse_domain_make(const ht_domain *fine, ht_domain *coarse) {
  memset(coarse, 0, sizeof *coarse);
  HT_TRY(sample(fine, coarse));
  for (; coarse->ports < fine->ports; coarse->ports++)
    HT_TRY(make_port(fine, coarse->ports, coarse));
  return HT_OK;
}

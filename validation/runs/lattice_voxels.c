#include "validation/runs/lattice_voxels.h"
#include <stdlib.h>
#include <string.h>

int ht_tiling_voxel(const ht_tiling *tiling, int64_t node, int voxel[3]) {
  int64_t tile = node / HT_TILE_NODES;
  int local = (int)(node % HT_TILE_NODES);
  const int in_tile[3] = {local & 3, (local >> 2) & 3, local >> 4};
  for (int a = 0; a < 3; a++)
    voxel[a] = 4 * tiling->position[3 * tile + a] - tiling->origin[a] + in_tile[a];
  return (int)((tiling->inside[tile] >> local) & 1);
}

static void spread(const ht_tiling *tiling, const double *by_node, double *values) {
  int64_t nodes = tiling->tiles * HT_TILE_NODES;
  for (int64_t n = 0; n < nodes; n++) {
    int at[3];
    if (!ht_tiling_voxel(tiling, n, at)) continue;
    double *to = values + 4 * ht_voxel_index(tiling->dim, at);
    to[0] = by_node[n];
    memcpy(to + 1, by_node + nodes + 3 * n, 3 * sizeof(double));
  }
}

ht_status ht_lattice_voxels(ht_lattice *lattice, const ht_tiling *tiling, double **values) {
  size_t nodes = (size_t)(tiling->tiles * HT_TILE_NODES);
  size_t voxels = (size_t)tiling->dim[0] * (size_t)tiling->dim[1] * (size_t)tiling->dim[2];
  double *by_node;
  *values = NULL;
  HT_TRY(ht_alloc((void **)&by_node, 4 * nodes, sizeof(double), "the fields"));
  ht_lattice_fields fields = {.density = by_node, .velocity = by_node + nodes};
  ht_status status = ht_lattice_read(lattice, 0, tiling->tiles, &fields);
  if (status == HT_OK)
    status = ht_alloc((void **)values, 4 * voxels, sizeof(double), "the fields by voxel");
  if (status == HT_OK) spread(tiling, by_node, *values);
  free(by_node);
  return status;
}

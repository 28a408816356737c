#include "solver/lattice/sponge_table.h"
#include <stdlib.h>

/* keep of damp(): omega' is the rate of the raised viscosity. */
static ht_status find_keep(const ht_lattice_tables *tables, double added, float *keep) {
  double tau = 1 / tables->omega + 3 * added;
  if (!(added >= 0 && tau <= 1))
    return ht_fail(HT_ERR_USAGE,
                   "a sponge adds a viscosity of %g to a relaxation time of %g (lattice units): at "
                   "least 0 can be added, and the relaxation time has to stay at 1 or below",
                   added, 1 / tables->omega);
  *keep = added > 0 ? (float)((1 - 1 / tau) / (1 - tables->omega)) : 1;
  return HT_OK;
}

static ht_status find_node(const ht_lattice_tables *tables, const int32_t *tile_of, int64_t at,
                           int64_t *node) {
  int voxel[3], local;
  int64_t tile;
  ht_voxel_place(tables->tiling->dim, at, voxel);
  ht_tiling_find(tables->tiling, tile_of, voxel, &tile, &local);
  if (tile < 0 || !((tables->tiling->inside[tile] >> local) & 1))
    return ht_fail(HT_ERR_USAGE, "the sponge's voxel %d %d %d is not fluid", voxel[0], voxel[1],
                   voxel[2]);
  *node = HT_TILE_NODES * tile + local;
  return HT_OK;
}

static ht_status add_node(const ht_lattice_setup *setup, ht_lattice_tables *tables,
                          const int32_t *tile_of, int64_t i) {
  ht_sponge_node made;
  HT_TRY(find_keep(tables, (double)setup->sponge_lu[i], &made.keep));
  HT_TRY(find_node(tables, tile_of, setup->sponge_voxel[i], &made.node));
  int64_t port = ht_find_port_node(tables, made.node);
  if (port >= 0)
    tables->port_node[port].keep = made.keep;
  else
    tables->sponge_node[tables->sponge_nodes++] = made;
  return HT_OK;
}

static int by_node(const void *a, const void *b) {
  const ht_sponge_node *x = a, *y = b;
  return (x->node > y->node) - (x->node < y->node);
}

ht_status ht_sponge_table_build(const ht_lattice_setup *setup, ht_lattice_tables *tables) {
  int dim[3];
  int32_t *tile_of;
  if (setup->sponge_nodes == 0) return HT_OK;
  if (HT_MODEL_COLLISION(tables->model) != HT_CUMULANT)
    return ht_fail(HT_ERR_USAGE, "a sponge needs the collision cumulant");
  HT_TRY(ht_alloc((void **)&tables->sponge_node, (size_t)setup->sponge_nodes,
                  sizeof(ht_sponge_node), "the sponge"));
  HT_TRY(ht_tiling_map(tables->tiling, dim, &tile_of));
  ht_status status = HT_OK;
  for (int64_t i = 0; i < setup->sponge_nodes && status == HT_OK; i++)
    status = add_node(setup, tables, tile_of, i);
  free(tile_of);
  qsort(tables->sponge_node, (size_t)tables->sponge_nodes, sizeof(ht_sponge_node), by_node);
  return status;
}

double ht_sponge_keep(const ht_lattice_tables *tables, int64_t node) {
  if (!tables->sponge_node) return 1; /* no sponge: called for every node that is read */
  int64_t port = ht_find_port_node(tables, node);
  if (port >= 0) return (double)tables->port_node[port].keep;
  ht_sponge_node asked = {node, 1};
  const ht_sponge_node *found =
      bsearch(&asked, tables->sponge_node, (size_t)tables->sponge_nodes, sizeof asked, by_node);
  return found ? (double)found->keep : 1;
}

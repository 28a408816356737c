#include "solver/lattice/diagonal_table.h"
#include "solver/kernels/nodes.h"
#include <string.h>

static void leave_out(ht_lattice_tables *tables, int64_t node) {
  if (node >= 0) tables->corrected[node / HT_TILE_NODES] &= ~((uint64_t)1 << node % HT_TILE_NODES);
}

/* The squares of the velocity at a port's node are not known. */
static void leave_out_around(ht_lattice_tables *tables, int64_t node) {
  for (int axis = 0; axis < 3; axis++)
    for (int distance = -2; distance <= 2; distance++)
      leave_out(tables, ht_node_along(tables, node, axis, distance));
}

static ht_status check(const ht_lattice_setup *setup, const ht_lattice_tables *tables) {
  if (HT_MODEL_COLLISION(tables->model) != HT_CUMULANT)
    return ht_fail(HT_ERR_USAGE, "the correction of diagonals needs the collision cumulant");
  if (setup->precision == HT_FP16)
    return ht_fail(HT_ERR_USAGE, "the correction of diagonals needs fp32 or fp64: the rounding of "
                                 "fp16 would swallow it");
  return HT_OK;
}

ht_status ht_diagonal_table_build(const ht_lattice_setup *setup, ht_lattice_tables *tables) {
  const ht_tiling *tiling = tables->tiling;
  if (!setup->corrects_diagonals) return HT_OK;
  HT_TRY(check(setup, tables));
  HT_TRY(ht_alloc((void **)&tables->corrected, (size_t)tiling->tiles, sizeof *tables->corrected,
                  "the correction of diagonals"));
  tables->diagonal_factor = diagonal_factor_f64(tables->omega);
  memcpy(tables->corrected, tiling->inside, (size_t)tiling->tiles * sizeof *tables->corrected);
  for (int64_t i = 0; i < tables->sponge_nodes; i++) leave_out(tables, tables->sponge_node[i].node);
  for (int64_t i = 0; i < tables->port_nodes; i++)
    leave_out_around(tables, tables->port_node[i].node);
  for (int64_t n = 0; n < HT_TILE_NODES * tiling->tiles; n++)
    if (ht_is_outer(tables, n)) leave_out_around(tables, n);
  return HT_OK;
}

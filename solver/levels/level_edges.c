#include "solver/levels/level_edges.h"
#include "solver/kernels/directions.h"

/* Tells whether a link from a voxel of `part` crosses: from a coarse node to the fine side, or from
 * an outer node to the fine level's own. */
static int crosses(ht_voxel_part part, ht_voxel_part other) {
  return part == HT_VOXEL_OWN ? other == HT_VOXEL_OVERLAP || other == HT_VOXEL_FROM_FINE
                              : other == HT_VOXEL_OWN;
}

static uint32_t links_of(const ht_level_region *region, const int at[3], ht_voxel_part part) {
  uint32_t links = 0;
  for (int q = 1; q < HT_Q27; q++) {
    const int there[3] = {at[0] + ht_c[q][0], at[1] + ht_c[q][1], at[2] + ht_c[q][2]};
    if (crosses(part, ht_region_part(region, there))) links |= 1u << q;
  }
  return links;
}

/* Lists the nodes of this part whose links cross, from edge[first] on; `edge` NULL: counts them. */
static int64_t list_edges(const ht_level_region *region, const ht_tiling *tiling,
                          ht_voxel_part part, int64_t first, ht_level_edge *edge) {
  int64_t next = first;
  int at[3];
  for (int64_t t = 0; t < tiling->tiles; t++)
    for (uint64_t left = tiling->inside[t]; left; left &= left - 1) {
      const int local = __builtin_ctzll(left);
      ht_tile_voxel(tiling, t, local, at);
      if (ht_region_part(region, at) != part) continue;
      const uint32_t links = links_of(region, at, part);
      if (!links) continue;
      if (edge)
        edge[next] = (ht_level_edge){HT_TILE_NODES * t + local, links, part != HT_VOXEL_OWN};
      next++;
    }
  return next;
}

ht_status ht_level_edges_make(const ht_level_region *coarse, const ht_tiling *coarse_tiling,
                              const ht_level_region *fine, const ht_tiling *fine_tiling,
                              ht_interface *lists) {
  const int64_t count = list_edges(coarse, coarse_tiling, HT_VOXEL_OWN, 0, NULL);
  lists->edges = list_edges(fine, fine_tiling, HT_VOXEL_FROM_COARSE, count, NULL);
  HT_TRY(ht_alloc((void **)&lists->edge, (size_t)lists->edges, sizeof *lists->edge,
                  "the interface of two levels"));
  list_edges(coarse, coarse_tiling, HT_VOXEL_OWN, 0, lists->edge);
  list_edges(fine, fine_tiling, HT_VOXEL_FROM_COARSE, count, lists->edge);
  return HT_OK;
}

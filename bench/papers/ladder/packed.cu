/* The packed rungs: the fluid nodes of all tiles, in the order of the tiles, in chunks of 64:
 * [chunks][19][64]. No memory and no thread is spent on solid nodes, and a warp writes a whole
 * aligned line in any geometry; only the reads depend on the geometry. One thread per fluid node.
 *
 * packed  A word of 4 bytes per node tells its tile and its place there. From them, the tile's 27
 *         neighbour numbers and the masks of those tiles the place of every neighbour is counted
 *         again in each step: little memory, much arithmetic.
 * list    The field's usual answer: 18 addresses of 4 bytes per node, made once, with walls in them
 *         (a direction that comes from a wall has the address of the opposite one of the node
 *         itself): no arithmetic, 72 bytes more to read a node. Bernaschi et al., Concurr. Comput.
 *         22 (2010) 1; Mazzeo & Coveney (HemeLB), Comput. Phys. Commun. 178 (2008) 894; Huang et
 *         al., J. Parallel Distrib. Comput. 84 (2015) 1. */
#include "bench/papers/ladder/chunks.cuh"

/* ---- packed ---- */

struct packed : chunks {
  struct node {
    uint32_t number;
    int64_t value;       /* place of direction 0 */
    const int32_t *near; /* [27] */
    int x, y, z;
  };
  uint32_t tiles;
  const uint32_t *words;      /* [nodes] tile << 6 | local */
  const int32_t *neighbours;  /* [tiles][27] */
  const ht_tile_fluid *fluid; /* [tiles + 1] */

  HT_METHOD bool find(const shared &, const ht_thread &t, node &own) const {
    if (!find_number(t, own.number)) return false;
    uint32_t word = words[own.number];
    own.value = value_of(own.number);
    own.near = neighbours + (int64_t)HT_TILE_NEIGHBOURS * (word >> 6);
    own.x = word & 3, own.y = (word >> 2) & 3, own.z = (word >> 4) & 3;
    return true;
  }
  /* A missing tile, -1, is the largest unsigned number: the last entry, without fluid. */
  HT_METHOD int64_t arriving(const node &own, int q, int cx, int cy, int cz) const {
    int x = own.x - cx, y = own.y - cy, z = own.z - cz;
    int from = ht_local(x & 3, y & 3, z & 3);
    uint32_t number = (uint32_t)own.near[ht_slot(x, y, z)];
    ht_tile_fluid tile = ht_load_fluid(fluid + (number < tiles ? number : tiles));
    bool is_fluid = (tile.inside >> from) & 1;
    int64_t there =
        value_of(tile.first + (uint32_t)ht_below(tile.inside, from)) + HT_CHUNK_NODES * q;
    return is_fluid ? there : own.value + HT_CHUNK_NODES * ht_opposite(q);
  }
  HT_METHOD int64_t leaving(const node &own, int q, int, int, int) const {
    return own.value + HT_CHUNK_NODES * q;
  }
  HT_METHOD int64_t place(const node &own) const { return own.number; }
  HT_METHOD void voxel(const node &own, const int32_t *position, int at[3]) const {
    voxel_of(own.number, position, at);
  }
};

/* ---- building ---- */

static ht_status keep_words(const ht_tiling *tiling, ht_ladder *ladder, packed *rung) {
  uint32_t *words;
  HT_TRY(ht_ladder_node_words(tiling, &words));
  ht_status status = ht_ladder_table(ladder, words, tiling->nodes, &rung->words);
  free(words);
  return status;
}

static ht_status build_packed(const ht_tiling *tiling, ht_tile_fluid *fluid, ht_ladder *ladder) {
  packed rung;
  rung.nodes = (uint32_t)tiling->nodes;
  rung.tiles = (uint32_t)tiling->tiles;
  HT_TRY(keep_words(tiling, ladder, &rung));
  HT_TRY(ht_ladder_table(ladder, fluid, tiling->tiles + 1, &rung.fluid));
  HT_TRY(ht_ladder_table(ladder, tiling->neighbour, tiling->tiles * HT_TILE_NEIGHBOURS,
                         &rung.neighbours));
  ht_use_rung(ladder, rung);
  return HT_OK;
}

ht_status ht_list_use(const uint32_t *addresses, ht_ladder *ladder) {
  list rung;
  rung.nodes = (uint32_t)ladder->places;
  HT_TRY(
      ht_ladder_table(ladder, addresses, ladder->values / HT_Q19 * (HT_Q19 - 1), &rung.addresses));
  ht_use_rung(ladder, rung);
  return HT_OK;
}

static ht_status build_list(const ht_tiling *tiling, ht_tile_fluid *fluid, ht_ladder *ladder) {
  uint32_t *addresses;
  HT_TRY(ht_ladder_addresses(tiling, fluid, &addresses));
  ht_status status = ht_list_use(addresses, ladder);
  free(addresses);
  return status;
}

ht_status ht_packed_begin(const ht_tiling *tiling, ht_ladder *ladder, ht_tile_fluid **fluid) {
  ladder->order = HT_BY_NODE;
  ladder->places = tiling->nodes;
  ladder->values = (tiling->nodes + HT_CHUNK_NODES - 1) / HT_CHUNK_NODES * HT_CHUNK_VALUES;
  return ht_ladder_fluid(tiling, fluid);
}

ht_status ht_packed_build(const char *name, const ht_ladder_setup *setup, ht_ladder *ladder) {
  ht_tile_fluid *fluid;
  HT_TRY(ht_packed_begin(setup->tiling, ladder, &fluid));
  ht_status status = strcmp(name, "packed") == 0 ? build_packed(setup->tiling, fluid, ladder)
                                                 : build_list(setup->tiling, fluid, ladder);
  free(fluid);
  return status;
}

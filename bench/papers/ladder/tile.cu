/* The tile rungs: only tiles of 4x4x4 nodes with fluid in them are stored, [tiles][19][64], and a
 * tile finds its 26 neighbours by number (Tomczak & Szafran, Comput. Phys. Commun. 235 (2019) 258).
 * Two tiles per block, one thread per node, x + 4 y + 16 z; the block's neighbour numbers lie in
 * shared memory, a word per node tells which directions come from walls.
 *
 * The cost is at the edge: a direction that moves along x takes one value of each row from the
 * neighbouring tile, and memory moves whole sectors of 32 bytes. The order of the 64 values of a
 * direction is therefore free (section 3.2 there, equations 11 to 13), and only this order differs
 * between the rungs:
 *
 * tile-xyz      x + 4 y + 16 z for all.
 * tile-xyz-yxz  y + 4 x + 16 z for eight of the ten directions that move along x: what comes from
 *               the next tile lies together.
 * tile-zigzag   the paper's choice: as before, but for the other two, north-east and south-east
 *               (which move along x and y), two nodes along z lie together, the first three columns
 *               row by row and the last, which the next tiles read, from the top down.
 *
 * tile-popcount stores a tile's fluid nodes only, [19][fluid nodes]; a node's place is the number
 * of fluid nodes before it in the tile's 64-bit mask. The masks of the neighbours, in shared
 * memory, tell the walls, too. */
#include "bench/papers/ladder/rung_kernels.cuh"

/* ---- order of the values of one direction ---- */

HT_METHOD int yxz(int x, int y, int z) {
  return y + 4 * x + 16 * z;
}
HT_METHOD int zigzag_ne(int x, int y, int z) {
  return 2 * (x + 3 * y + ((x + 1) & 4) * (3 - y)) + (z & 1) + 16 * (z & 2);
}

struct order_xyz {
  HT_METHOD static int of(int, int x, int y, int z) { return ht_local(x, y, z); }
};
struct order_xyz_yxz {
  HT_METHOD static int of(int q, int x, int y, int z) {
    bool is_yxz = q == 1 || q == 2 || q == 8 || (q >= 10 && q <= 14);
    return is_yxz ? yxz(x, y, z) : ht_local(x, y, z);
  }
};
/* East is +x, north +y: 7 and 9 are north-east and south-east. */
struct order_zigzag {
  HT_METHOD static int of(int q, int x, int y, int z) {
    return q == 7 || q == 9 ? zigzag_ne(x, y, z) : order_xyz_yxz::of(q, x, y, z);
  }
};

/* ---- shared by both kinds of tile ---- */

struct tile_blocks {
  enum { SHARES = 1, TILES = 2, BLOCK = TILES * HT_TILE_NODES };
  int64_t tiles;
  const int32_t *neighbours; /* [tiles][27] */

  dim3 grid() const { return dim3((unsigned)((tiles + TILES - 1) / TILES)); }
  dim3 block() const { return dim3(BLOCK); }

  HT_METHOD static int64_t tile_of(const ht_thread &t) {
    return (int64_t)t.x * TILES + t.thread / HT_TILE_NODES;
  }
  HT_METHOD static void voxel_of(const int32_t *position, int64_t tile, int local, int at[3]) {
    for (int k = 0; k < 3; k++) at[k] = position[3 * tile + k] + ((local >> (2 * k)) & 3);
  }
};

/* ---- whole tiles ---- */

enum { TILE_VALUES = HT_Q19 * HT_TILE_NODES };

template <class Order> struct whole_tile : tile_blocks {
  struct shared {
    int32_t near[TILES][HT_TILE_NEIGHBOURS];
  };
  struct node {
    int32_t tile;
    const int32_t *near;
    uint32_t link;
    int x, y, z;
  };
  const uint32_t *links; /* [tiles][64] */

  HT_METHOD void share(shared &near, const ht_thread &t) const {
    int64_t at = (int64_t)t.x * TILES * HT_TILE_NEIGHBOURS + t.thread;
    if (t.thread < TILES * HT_TILE_NEIGHBOURS && at < tiles * HT_TILE_NEIGHBOURS)
      near.near[t.thread / HT_TILE_NEIGHBOURS][t.thread % HT_TILE_NEIGHBOURS] = neighbours[at];
  }
  HT_METHOD bool find(const shared &near, const ht_thread &t, node &own) const {
    int local = t.thread % HT_TILE_NODES;
    if (tile_of(t) >= tiles) return false;
    own.tile = (int32_t)tile_of(t);
    own.near = near.near[t.thread / HT_TILE_NODES];
    own.link = links[(int64_t)own.tile * HT_TILE_NODES + local];
    own.x = local & 3, own.y = (local >> 2) & 3, own.z = local >> 4;
    return own.link & 1;
  }
  /* Selects between two known addresses: the warp does not diverge. */
  HT_METHOD int64_t arriving(const node &own, int q, int cx, int cy, int cz) const {
    bool wall = (own.link >> q) & 1;
    int x = own.x - cx, y = own.y - cy, z = own.z - cz, back = ht_opposite(q);
    int32_t beside = own.near[ht_slot(x, y, z)];
    int64_t tile = wall ? own.tile : beside;
    int there = HT_TILE_NODES * q + Order::of(q, x & 3, y & 3, z & 3);
    int here = HT_TILE_NODES * back + Order::of(back, own.x, own.y, own.z);
    return tile * TILE_VALUES + (wall ? here : there);
  }
  HT_METHOD int64_t leaving(const node &own, int q, int, int, int) const {
    return (int64_t)own.tile * TILE_VALUES + HT_TILE_NODES * q + Order::of(q, own.x, own.y, own.z);
  }
  HT_METHOD int64_t place(const node &own) const {
    return (int64_t)own.tile * HT_TILE_NODES + ht_local(own.x, own.y, own.z);
  }
  HT_METHOD void voxel(const node &own, const int32_t *position, int at[3]) const {
    voxel_of(position, own.tile, ht_local(own.x, own.y, own.z), at);
  }
};

/* ---- fluid nodes of tiles ---- */

struct popcount_tile : tile_blocks {
  /* A neighbouring tile: all 0 where there is none. */
  struct beside {
    uint64_t inside;
    int64_t value; /* place of its first value */
    int32_t count;
  };
  struct shared {
    beside near[TILES][HT_TILE_NEIGHBOURS];
  };
  struct node {
    int64_t tile;
    const beside *near;
    int64_t value; /* place of direction 0 */
    int count;     /* from direction to direction */
    int x, y, z;
  };
  const ht_tile_fluid *fluid; /* [tiles + 1] */

  HT_METHOD void share(shared &near, const ht_thread &t) const {
    int64_t at = (int64_t)t.x * TILES * HT_TILE_NEIGHBOURS + t.thread;
    if (t.thread >= TILES * HT_TILE_NEIGHBOURS || at >= tiles * HT_TILE_NEIGHBOURS) return;
    int64_t tile = neighbours[at];
    ht_tile_fluid of = ht_load_fluid(fluid + (tile < 0 ? tiles : tile));
    beside &out = near.near[t.thread / HT_TILE_NEIGHBOURS][t.thread % HT_TILE_NEIGHBOURS];
    out.inside = of.inside, out.value = (int64_t)HT_Q19 * of.first, out.count = (int32_t)of.count;
  }
  HT_METHOD bool find(const shared &near, const ht_thread &t, node &own) const {
    int local = t.thread % HT_TILE_NODES;
    own.tile = tile_of(t);
    if (own.tile >= tiles) return false;
    own.near = near.near[t.thread / HT_TILE_NODES];
    const beside &self = own.near[HT_TILE_NEIGHBOURS / 2];
    own.x = local & 3, own.y = (local >> 2) & 3, own.z = local >> 4;
    own.value = self.value + ht_below(self.inside, local);
    own.count = self.count;
    return (self.inside >> local) & 1;
  }
  HT_METHOD int64_t arriving(const node &own, int q, int cx, int cy, int cz) const {
    int x = own.x - cx, y = own.y - cy, z = own.z - cz;
    const beside &tile = own.near[ht_slot(x, y, z)];
    int from = ht_local(x & 3, y & 3, z & 3);
    bool fluid = (tile.inside >> from) & 1;
    int64_t there = tile.value + q * tile.count + ht_below(tile.inside, from);
    return fluid ? there : own.value + ht_opposite(q) * own.count;
  }
  HT_METHOD int64_t leaving(const node &own, int q, int, int, int) const {
    return own.value + q * own.count;
  }
  HT_METHOD int64_t place(const node &own) const {
    return own.tile * HT_TILE_NODES + ht_local(own.x, own.y, own.z);
  }
  HT_METHOD void voxel(const node &own, const int32_t *position, int at[3]) const {
    voxel_of(position, own.tile, ht_local(own.x, own.y, own.z), at);
  }
};

/* ---- building ---- */

static ht_status keep_neighbours(const ht_tiling *tiling, ht_ladder *ladder, tile_blocks *rung) {
  rung->tiles = tiling->tiles;
  return ht_ladder_table(ladder, tiling->neighbour, tiling->tiles * HT_TILE_NEIGHBOURS,
                         &rung->neighbours);
}

template <class Order> static ht_status build_whole(const ht_tiling *tiling, ht_ladder *ladder) {
  whole_tile<Order> rung;
  HT_TRY(keep_neighbours(tiling, ladder, &rung));
  uint32_t *links;
  HT_TRY(ht_ladder_tile_links(tiling, &links));
  ht_status status = ht_ladder_table(ladder, links, tiling->tiles * HT_TILE_NODES, &rung.links);
  free(links);
  ladder->values = tiling->tiles * TILE_VALUES;
  ht_use_rung(ladder, rung);
  return status;
}

static ht_status build_popcount(const ht_tiling *tiling, ht_ladder *ladder) {
  popcount_tile rung;
  HT_TRY(keep_neighbours(tiling, ladder, &rung));
  ht_tile_fluid *fluid;
  HT_TRY(ht_ladder_fluid(tiling, &fluid));
  ht_status status = ht_ladder_table(ladder, fluid, tiling->tiles + 1, &rung.fluid);
  free(fluid);
  ladder->values = HT_Q19 * tiling->nodes;
  ht_use_rung(ladder, rung);
  return status;
}

ht_status ht_tile_build(const char *name, const ht_ladder_setup *setup, ht_ladder *ladder) {
  const ht_tiling *tiling = setup->tiling;
  ladder->order = HT_BY_TILE;
  ladder->places = tiling->tiles * HT_TILE_NODES;
  if (strcmp(name, "tile-xyz") == 0) return build_whole<order_xyz>(tiling, ladder);
  if (strcmp(name, "tile-xyz-yxz") == 0) return build_whole<order_xyz_yxz>(tiling, ladder);
  if (strcmp(name, "tile-zigzag") == 0) return build_whole<order_zigzag>(tiling, ladder);
  return build_popcount(tiling, ladder);
}

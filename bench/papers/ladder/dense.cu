/* The dense rungs: values for every voxel of the bounding box, one array a direction ("structure of
 * arrays"), so that the threads of a warp, neighbours along x, read and write neighbours in memory.
 * Only the shift by one along x makes some of these reads or writes straddle a line of memory; the
 * three rungs differ in the place of that shift and in how a node finds its walls.
 *
 * dense-pull      Mawson & Revell, Comput. Phys. Commun. 185 (2014) 2566: all shifts are reads,
 *                 straight from device memory, which costs less than shifted writes, shared memory
 *                 or shuffles. One thread per voxel in blocks of 256 of the whole box; an array of
 *                 node types, with a solid layer around it, is read for each neighbour.
 * dense-split     Obrecht et al., Comput. Math. Appl. 61 (2011) 3628, section 7.1: the shift
 *                 along x is done on reading, those along y and z, which keep lines whole, on
 *                 writing. The paper has walls on the nodes; for half-way walls a node takes back
 *                 what it sent: that value lies, shifted along y and z only, where no other node
 *                 writes it. So the box is stored with one more row and slab on each side.
 * dense-reversed  the same, section 7.2: the whole shift on reading, blocks of one row along x,
 *                 mid-grid walls. As dense-pull, but rows start on whole lines, nothing is divided
 *                 to find a voxel, and a word per voxel tells which directions come from walls.
 *
 * A sparse mask costs these the memory of the box; solid nodes are neither read nor written. */
#include "bench/papers/ladder/rung_kernels.cuh"

/* ---- dense-pull ---- */

struct dense_pull {
  enum { SHARES = 0, BLOCK = 256 };
  struct shared {};
  struct node {
    int64_t voxel;
    const uint8_t *type;
  };
  int dim[3];
  int64_t voxels;
  const uint8_t *types; /* [nz+2][ny+2][nx+2] */

  dim3 grid() const { return dim3((unsigned)((voxels + BLOCK - 1) / BLOCK)); }
  dim3 block() const { return dim3(BLOCK); }

  HT_METHOD void share(shared &, const ht_thread &) const {}
  HT_METHOD void split(uint32_t voxel, int at[3]) const {
    uint32_t row = voxel / (uint32_t)dim[0];
    at[0] = (int)(voxel - row * (uint32_t)dim[0]);
    at[1] = (int)(row % (uint32_t)dim[1]);
    at[2] = (int)(row / (uint32_t)dim[1]);
  }
  HT_METHOD int64_t type_shift(int x, int y, int z) const {
    return x + (int64_t)(dim[0] + 2) * (y + (int64_t)(dim[1] + 2) * z);
  }
  HT_METHOD int64_t shift(int x, int y, int z) const {
    return x + (int64_t)dim[0] * (y + (int64_t)dim[1] * z);
  }
  HT_METHOD bool find(const shared &, const ht_thread &t, node &own) const {
    own.voxel = (int64_t)t.x * BLOCK + t.thread;
    if (own.voxel >= voxels) return false;
    int at[3];
    split((uint32_t)own.voxel, at);
    own.type = types + type_shift(at[0] + 1, at[1] + 1, at[2] + 1);
    return *own.type != 0;
  }
  HT_METHOD int64_t arriving(const node &own, int q, int cx, int cy, int cz) const {
    bool fluid = own.type[-type_shift(cx, cy, cz)] != 0;
    return own.voxel + (fluid ? q * voxels - shift(cx, cy, cz) : ht_opposite(q) * voxels);
  }
  HT_METHOD int64_t leaving(const node &own, int q, int, int, int) const {
    return own.voxel + q * voxels;
  }
  HT_METHOD int64_t place(const node &own) const { return own.voxel; }
  HT_METHOD void voxel(const node &own, const int32_t *, int at[3]) const {
    split((uint32_t)own.voxel, at);
  }
};

/* ---- rows: dense-split and dense-reversed ---- */

/* Blocks of one row, or of an equal part of a long one. Rows are a whole number of warps apart. */
struct rows {
  enum { SHARES = 0, BLOCK = 256, WARP = 32 };
  struct shared {};
  struct node {
    int64_t value; /* place of direction 0 */
    uint32_t link;
    int at[3];
  };
  int dim[3];
  int parts;             /* blocks a row */
  int64_t pitch;         /* nodes from row to row */
  int64_t slab;          /* from slab to slab, of the values */
  int64_t direction;     /* from direction to direction */
  const uint32_t *links; /* [nz][ny][pitch] */

  dim3 grid() const { return dim3((unsigned)parts, (unsigned)dim[1], (unsigned)dim[2]); }
  dim3 block() const {
    int part = (dim[0] + parts - 1) / parts;
    return dim3((unsigned)((part + WARP - 1) / WARP * WARP));
  }

  HT_METHOD void share(shared &, const ht_thread &) const {}
  HT_METHOD int64_t number(const int at[3]) const {
    return at[0] + pitch * (at[1] + (int64_t)dim[1] * at[2]);
  }
  HT_METHOD bool find_link(const ht_thread &t, node &own) const {
    own.at[0] = (int)(t.x * blockDim.x + t.thread), own.at[1] = (int)t.y, own.at[2] = (int)t.z;
    if (own.at[0] >= dim[0]) return false;
    own.link = links[number(own.at)];
    return own.link & 1;
  }
  HT_METHOD int64_t place(const node &own) const {
    return own.at[0] + dim[0] * (own.at[1] + (int64_t)dim[1] * own.at[2]);
  }
  HT_METHOD void voxel(const node &own, const int32_t *, int at[3]) const {
    for (int k = 0; k < 3; k++) at[k] = own.at[k];
  }
};

struct dense_reversed : rows {
  HT_METHOD bool find(const shared &, const ht_thread &t, node &own) const {
    if (!find_link(t, own)) return false;
    own.value = number(own.at);
    return true;
  }
  HT_METHOD int64_t arriving(const node &own, int q, int cx, int cy, int cz) const {
    bool wall = (own.link >> q) & 1;
    return own.value +
           (wall ? ht_opposite(q) * direction : q * direction - (cx + pitch * cy + slab * cz));
  }
  HT_METHOD int64_t leaving(const node &own, int q, int, int, int) const {
    return own.value + q * direction;
  }
};

struct dense_split : rows {
  HT_METHOD bool find(const shared &, const ht_thread &t, node &own) const {
    if (!find_link(t, own)) return false;
    own.value = own.at[0] + pitch * (own.at[1] + 1) + slab * (own.at[2] + 1);
    return true;
  }
  HT_METHOD int64_t arriving(const node &own, int q, int cx, int cy, int cz) const {
    bool wall = (own.link >> q) & 1; /* then: the place of the value that was sent against q */
    return own.value +
           (wall ? ht_opposite(q) * direction - (pitch * cy + slab * cz) : q * direction - cx);
  }
  HT_METHOD int64_t leaving(const node &own, int q, int, int cy, int cz) const {
    return own.value + q * direction + pitch * cy + slab * cz;
  }
};

/* ---- building ---- */

static ht_status build_pull(const ht_mask *mask, ht_ladder *ladder) {
  const int *dim = mask->grid.dim;
  dense_pull rung = {{dim[0], dim[1], dim[2]}, ladder->places, NULL};
  if (rung.voxels > UINT32_MAX)
    return ht_fail(HT_ERR_USAGE, "%lld voxels: dense-pull numbers them in 32 bits",
                   (long long)rung.voxels);
  uint8_t *types;
  HT_TRY(ht_ladder_types(mask, &types));
  int64_t count = (int64_t)(dim[0] + 2) * (dim[1] + 2) * (dim[2] + 2);
  ht_status status = ht_ladder_table(ladder, types, count, &rung.types);
  free(types);
  ladder->values = HT_Q19 * rung.voxels;
  ht_use_rung(ladder, rung);
  return status;
}

/* `margin`: rows and slabs on each side of the box. */
template <class Rung>
static ht_status build_rows(const ht_mask *mask, int margin, ht_ladder *ladder) {
  const int *dim = mask->grid.dim;
  if (dim[1] > 65535 || dim[2] > 65535)
    return ht_fail(HT_ERR_USAGE, "a box of %d rows and %d slabs: at most 65535 of each", dim[1],
                   dim[2]);
  Rung rung = {};
  for (int k = 0; k < 3; k++) rung.dim[k] = dim[k];
  rung.parts = (dim[0] + Rung::BLOCK - 1) / Rung::BLOCK;
  rung.pitch = (dim[0] + Rung::WARP - 1) / Rung::WARP * Rung::WARP;
  rung.slab = rung.pitch * (dim[1] + 2 * margin);
  rung.direction = rung.slab * (dim[2] + 2 * margin);
  uint32_t *links;
  HT_TRY(ht_ladder_row_links(mask, rung.pitch, &links));
  ht_status status = ht_ladder_table(ladder, links, rung.pitch * dim[1] * dim[2], &rung.links);
  free(links);
  ladder->values = HT_Q19 * rung.direction;
  ht_use_rung(ladder, rung);
  return status;
}

ht_status ht_dense_build(const char *name, const ht_ladder_setup *setup, ht_ladder *ladder) {
  ladder->order = HT_BY_VOXEL;
  ladder->places = ht_grid_voxels(&setup->mask->grid);
  if (strcmp(name, "dense-pull") == 0) return build_pull(setup->mask, ladder);
  if (strcmp(name, "dense-split") == 0) return build_rows<dense_split>(setup->mask, 1, ladder);
  return build_rows<dense_reversed>(setup->mask, 0, ladder);
}

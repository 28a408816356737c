/* The rungs that store the fluid nodes of all tiles in chunks of 64, [chunks][19][64]: what they
 * share, and the list of neighbours. packed.cu describes them. */
#ifndef HT_CHUNKS_CUH
#define HT_CHUNKS_CUH

#include "bench/papers/ladder/rung_kernels.cuh"

struct chunks {
  enum { SHARES = 0, BLOCK = 256 };
  struct shared {};
  uint32_t nodes;

  dim3 grid() const { return dim3((unsigned)(((int64_t)nodes + BLOCK - 1) / BLOCK)); }
  dim3 block() const { return dim3(BLOCK); }

  HT_METHOD void share(shared &, const ht_thread &) const {}
  HT_METHOD static int64_t value_of(uint32_t number) {
    return (int64_t)(number / HT_CHUNK_NODES) * HT_CHUNK_VALUES + number % HT_CHUNK_NODES;
  }
  HT_METHOD bool find_number(const ht_thread &t, uint32_t &number) const {
    number = t.x * BLOCK + t.thread;
    return number < nodes;
  }
  HT_METHOD static void voxel_of(uint32_t number, const int32_t *position, int at[3]) {
    for (int k = 0; k < 3; k++) at[k] = position[3 * (int64_t)number + k];
  }
};

struct list : chunks {
  struct node {
    uint32_t number;
    int64_t value;
    const uint32_t *address; /* of direction 1 */
  };
  const uint32_t *addresses; /* [chunks][18][64] */

  HT_METHOD bool find(const shared &, const ht_thread &t, node &own) const {
    if (!find_number(t, own.number)) return false;
    uint32_t chunk = own.number / HT_CHUNK_NODES, lane = own.number % HT_CHUNK_NODES;
    own.value = value_of(own.number);
    own.address = addresses + (int64_t)chunk * ((HT_Q19 - 1) * HT_CHUNK_NODES) + lane;
    return true;
  }
  HT_METHOD int64_t arriving(const node &own, int q, int, int, int) const {
    return own.address[HT_CHUNK_NODES * (q - 1)];
  }
  HT_METHOD int64_t leaving(const node &own, int q, int, int, int) const {
    return own.value + HT_CHUNK_NODES * q;
  }
  HT_METHOD int64_t place(const node &own) const { return own.number; }
  HT_METHOD void voxel(const node &own, const int32_t *position, int at[3]) const {
    voxel_of(own.number, position, at);
  }
};

/* The first act of such a rung's build: order, places and values of the ladder; and the tiles'
 * fluid, which the caller frees. */
ht_status ht_packed_begin(const ht_tiling *tiling, ht_ladder *ladder, ht_tile_fluid **fluid);

/* The last act of a list's. addresses: as of ht_ladder_addresses. */
ht_status ht_list_use(const uint32_t *addresses, ht_ladder *ladder);

#endif

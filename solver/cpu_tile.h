/* The update of a tile on the CPU, for one kind of storage; included by cpu_kernel.c with
 *   HT_STORED   the type of a stored value: float, double, or ht_half
 *   HT_UINT     the unsigned integer of its size
 *   HT_REAL     that of the arithmetic, HT_NODE(name) its functions
 *   HT_ROWS     rows of 4 nodes in a vector of the pull: 1, 2 or 4
 *   HT_KIND(name), HT_STEP   the names made here
 *
 * A tile is worked on in a block [19][64] in the L1 cache: its values are pulled into it plane by
 * plane, as vectors of whole rows; where the tile has walls they are put in under a bit mask a
 * direction; the collision is one loop over nodes that the compiler turns into vectors; and the
 * block goes to memory line by line. Planes without a fluid node are not pulled, lines without
 * one not written. */

typedef HT_STORED HT_KIND(rows) __attribute__((vector_size(4 * HT_ROWS * sizeof(HT_STORED))));
typedef HT_UINT HT_KIND(bits) __attribute__((vector_size(4 * HT_ROWS * sizeof(HT_STORED))));

/* Rows y - cy, y + 1 - cy, ... of a plane, of which `own` has rows 0 to 3 and `beside` is the one
 * in the next tile, where rows -1 or 4 are found. */
static inline __attribute__((always_inline)) void HT_KIND(load_rows)(const HT_STORED *own,
                                                                     const HT_STORED *beside, int y,
                                                                     int cy, HT_KIND(rows) * out) {
  const int last = 4 - HT_ROWS;
  HT_KIND(rows) near, far;
  if (y - cy >= 0 && y - cy <= last) {
    memcpy(out, own + 4 * (y - cy), sizeof *out);
    return;
  }
  memcpy(&near, own + 4 * y, sizeof near);
  memcpy(&far, beside + (cy > 0 ? 4 * last : 0), sizeof far);
  *out = cy > 0 ? __builtin_shufflevector(near, far, HT_LANES(HT_Y_UP))
                : __builtin_shufflevector(near, far, HT_LANES(HT_Y_DOWN));
}

/* Pulls direction q = (cx, cy, cz) for the 16 nodes of a plane. source[]: see plane_sources(). The
 * constants make every branch vanish. */
static inline __attribute__((always_inline)) void
HT_KIND(pull)(const HT_STORED *const source[HT_TILE_NEIGHBOURS], int q, int cx, int cy, int cz,
              HT_STORED *out) {
  const int own = 4 + 9 * (1 + cz);
  const HT_STORED *const *at = source + own;
#pragma GCC unroll 4
  for (int y = 0; y < 4; y += HT_ROWS) {
    HT_KIND(rows) rows, beside;
    HT_KIND(load_rows)(at[0] + 64 * q, at[-3 * cy] + 64 * q, y, cy, &rows);
    if (cx != 0) HT_KIND(load_rows)(at[-cx] + 64 * q, at[-cx - 3 * cy] + 64 * q, y, cy, &beside);
    if (cx > 0) rows = __builtin_shufflevector(rows, beside, HT_LANES(HT_X_UP));
    if (cx < 0) rows = __builtin_shufflevector(rows, beside, HT_LANES(HT_X_DOWN));
    memcpy(out + 4 * y, &rows, sizeof rows);
  }
}

/* Where the tiles beside a tile are. A missing one is all wall: what is read in its place, from the
 * tile itself, is replaced by bounce(). */
static inline void HT_KIND(find_tiles)(const ht_cpu_job *job, int64_t t,
                                       const HT_STORED *tile[HT_TILE_NEIGHBOURS]) {
  const int32_t *number = job->neighbour + HT_TILE_NEIGHBOURS * t;
  for (int i = 0; i < HT_TILE_NEIGHBOURS; i++) {
    int64_t there = number[i] < 0 ? t : number[i];
    tile[i] = (const HT_STORED *)job->source + there * HT_TILE_VALUES;
  }
}

/* Where plane z of a tile pulls from: source[(dx + 1) + 3 (dy + 1) + 9 (cz + 1)] is the plane,
 * of direction 0, that the directions with this cz come from, in the tile beside by (dx, dy). */
static inline void HT_KIND(plane_sources)(const HT_STORED *const tile[HT_TILE_NEIGHBOURS], int z,
                                          const HT_STORED *source[HT_TILE_NEIGHBOURS]) {
  for (int cz = -1; cz <= 1; cz++) {
    int from = z - cz, layer = from < 0 ? 0 : from > 3 ? 2 : 1;
    for (int i = 0; i < 9; i++) source[9 * (cz + 1) + i] = tile[9 * layer + i] + 16 * (from & 3);
  }
}

static inline void HT_KIND(pull_plane)(const HT_STORED *const tile[HT_TILE_NEIGHBOURS], int z,
                                       HT_STORED block[HT_Q][64]) {
  const HT_STORED *source[HT_TILE_NEIGHBOURS];
  HT_KIND(plane_sources)(tile, z, source);
#define HT_PULL(q, cx, cy, cz) HT_KIND(pull)(source, q, cx, cy, cz, block[q] + 16 * z);
  HT_D3Q19_MOVING(HT_PULL)
#undef HT_PULL
}

/* Asks for all of a tile to come, in order, which lets the hardware run ahead along it. */
static inline void HT_KIND(fetch_tile)(const HT_STORED *tile) {
  const int line = 64 / sizeof(HT_STORED);
  for (int i = 0; i < HT_TILE_VALUES; i += line) __builtin_prefetch(tile + i);
}

/* Half-way bounce-back (Ladd, J. Fluid Mech. 271 (1994) 285): what comes from a wall is what left
 * along the opposite direction. So solid nodes, all of whose directions come from walls, stay 0. */
static void HT_KIND(bounce)(const uint64_t wall[HT_Q], const HT_STORED *restrict own,
                            HT_STORED block[restrict HT_Q][64]) {
  const HT_KIND(bits) lane = {HT_LANES(HT_BIT)};
  for (int q = 1; q < HT_Q; q++) {
    for (int n = 0; n < 64; n += 4 * HT_ROWS) {
      HT_KIND(bits) bounced, pulled, from_wall = ((HT_UINT)(wall[q] >> n) & lane) == lane;
      memcpy(&bounced, own + 64 * ht_opposite(q) + n, sizeof bounced);
      memcpy(&pulled, block[q] + n, sizeof pulled);
      pulled = (bounced & from_wall) | (pulled & ~from_wall);
      memcpy(block[q] + n, &pulled, sizeof pulled);
    }
  }
}

/* ---- collision ---- */

/* The 16 nodes of a plane, direction q at values + 64 q. */
static inline __attribute__((always_inline)) void HT_KIND(relax_plane)(HT_STORED *values, int model,
                                                                       HT_REAL omega) {
#if HT_IS_HALF
  _Alignas(64) float single[HT_Q][16], *plane = single[0];
  const int stride = 16;
  for (int q = 0; q < HT_Q; q++) ht_half_load_many(values + 64 * q, 16, single[q]);
#else
  HT_STORED *plane = values;
  const int stride = 64;
#endif
#pragma GCC ivdep
  for (int n = 0; n < 16; n++) {
    HT_REAL g[HT_Q];
#pragma GCC unroll 19
    for (int q = 0; q < HT_Q; q++) g[q] = plane[stride * q + n];
    HT_NODE(relax)(g, model, omega);
#pragma GCC unroll 19
    for (int q = 0; q < HT_Q; q++) plane[stride * q + n] = g[q];
  }
#if HT_IS_HALF
  for (int q = 0; q < HT_Q; q++) ht_half_store_many(single[q], 16, values + 64 * q);
#endif
}

/* The model is a constant in each branch: the loop over the nodes has none. */
static void HT_KIND(collide_plane)(HT_STORED *values, int model, HT_REAL omega) {
  switch (model) {
  case HT_CPU_PROPAGATE:
    break;
  case 0:
    HT_KIND(relax_plane)(values, 0, omega);
    break;
  case 1:
    HT_KIND(relax_plane)(values, 1, omega);
    break;
  case 2:
    HT_KIND(relax_plane)(values, 2, omega);
    break;
  default:
    HT_KIND(relax_plane)(values, 3, omega);
    break;
  }
}

/* ---- memory ---- */

/* The lines of a tile that have a fluid node. */
static inline void HT_KIND(write_tile)(const HT_STORED *from, uint64_t fluid, int stream,
                                       HT_STORED *to) {
  const int line = 64 / sizeof(HT_STORED);
  const uint64_t of_line = ((uint64_t)1 << line) - 1;
  for (int q = 0; q < HT_Q; q++) {
    for (int n = 0; n < 64; n += line) {
      if (!((fluid >> n) & of_line)) continue;
      if (stream)
        ht_stream_line(to + 64 * q + n, from + 64 * q + n);
      else
        memcpy(to + 64 * q + n, from + 64 * q + n, 64);
    }
  }
}

/* Steps tile t; `later` is one of the next. */
static inline void HT_KIND(step_tile)(const ht_cpu_job *job, int64_t t, int64_t later,
                                      HT_STORED block[HT_Q][64]) {
  const HT_STORED *own = (const HT_STORED *)job->source + t * HT_TILE_VALUES;
  const HT_STORED *tile[HT_TILE_NEIGHBOURS];
  const uint64_t *wall =
      job->wall_slot[t] < 0 ? NULL : job->wall + (int64_t)HT_Q * job->wall_slot[t];
  uint64_t fluid = wall ? wall[0] : ~(uint64_t)0;
  HT_STORED *target = (HT_STORED *)job->target + t * HT_TILE_VALUES;
  if (job->model == HT_CPU_READ_WRITE) {
    HT_KIND(write_tile)(own, fluid, job->stream, target);
    return;
  }
  HT_KIND(find_tiles)(job, t, tile);
  HT_KIND(fetch_tile)((const HT_STORED *)job->source + later * HT_TILE_VALUES);
  /* What is not pulled below is solid; bounce() gives it the 0 of its own. */
  memcpy(block[0], own, sizeof block[0]);
  for (int z = 0; z < 4; z++)
    if ((fluid >> 16 * z) & 0xffff) HT_KIND(pull_plane)(tile, z, block);
  if (wall) HT_KIND(bounce)(wall, own, block);
  for (int z = 0; z < 4; z++)
    if ((fluid >> 16 * z) & 0xffff)
      HT_KIND(collide_plane)(block[0] + 16 * z, job->model, (HT_REAL)job->omega);
  HT_KIND(write_tile)(block[0], fluid, job->stream, target);
}

void HT_STEP(const ht_cpu_job *job, int64_t begin, int64_t end) {
  _Alignas(64) HT_STORED block[HT_Q][64];
  memset(block, 0, sizeof block);
  for (int64_t t = begin; t < end; t++)
    HT_KIND(step_tile)(job, t, t + HT_CPU_AHEAD < end ? t + HT_CPU_AHEAD : end - 1, block);
  ht_stream_end();
}

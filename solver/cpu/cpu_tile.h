/* The update of a tile on the CPU, for one kind of storage; included by cpu_kernel.c with
 *   HT_STORED   the type of a stored value: float, double, or ht_half
 *   HT_UINT     the unsigned integer of its size
 *   HT_REAL     that of the arithmetic, HT_NODE(name) its functions
 *   HT_DIRECTIONS  19 or 27
 *   HT_ROWS     rows of 4 nodes in a vector of the pull: 1, 2 or 4
 *   HT_KIND(name), HT_STEP   the names made here
 * (all but HT_REAL and HT_NODE are undefined again at its end).
 *
 * A tile is updated in a block [directions][64] in the L1 cache: its values are pulled into the
 * block direction by direction, in the order of memory, as vectors of whole rows; where the tile
 * has walls they are applied under a bit mask for each direction; the collision is one loop over
 * nodes that the compiler turns into vectors. The block goes to memory, line by line, while the
 * next tile is pulled, and a tile far ahead is prefetched at the same time, so that memory always
 * has all three to do. Planes without a fluid node are not pulled, lines without one not written.
 */

typedef HT_STORED HT_KIND(rows) __attribute__((vector_size(4 * HT_ROWS * sizeof(HT_STORED))));
typedef HT_UINT HT_KIND(bits) __attribute__((vector_size(4 * HT_ROWS * sizeof(HT_STORED))));

/* Loads rows y - cy, y + 1 - cy, ... of a plane, of which `own` has rows 0 to 3 and `beside` is the
 * one in the next tile, where rows -1 or 4 are found. */
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

#include "solver/cpu/cpu_wall_tile.h"

/* The sources of a tile's pull: [(dx + 1) + 3 (dy + 1)], `main` of the tiles in its layer, `up` of
 * those in the layer below, `down` of those above; and for its walls its own. */
typedef struct {
  const HT_STORED *main[9], *up[9], *down[9];
  const HT_STORED *own_up, *own_down; /* zeros where no wall needs them */
  const uint64_t *wall;               /* its walls; NULL: none */
  uint64_t fluid;                     /* its fluid nodes; 0: it is skipped */
} HT_KIND(sources);

static const uint64_t *HT_KIND(walls_of)(const ht_cpu_job *job, int64_t t) {
  return job->wall_slot[t] < 0 ? NULL : job->wall + (int64_t)HT_DIRECTIONS * job->wall_slot[t];
}

static uint64_t HT_KIND(fluid_of)(const ht_cpu_job *job, int64_t t) {
  const uint64_t *wall = HT_KIND(walls_of)(job, t);
  return wall ? wall[0] : ~(uint64_t)0;
}

/* Finds whether fluid nodes of the tile's upper plane have walls above them, of its lower one
 * below. */
HT_ALWAYS_INLINE void HT_KIND(find_vertical)(const uint64_t *wall, int *above, int *below) {
  uint64_t from_above = 0, from_below = 0;
#pragma GCC unroll 27
  for (int q = 1; q < HT_DIRECTIONS; q++) {
    from_above |= ht_c[q][2] < 0 ? wall[q] : 0;
    from_below |= ht_c[q][2] > 0 ? wall[q] : 0;
  }
  *above = (from_above & wall[0]) >> 48 != 0;
  *below = (from_below & wall[0] & 0xffff) != 0;
}

/* A missing tile is all wall: the pull reads the tile itself instead, and bounce_rows() replaces
 * these values. */
static void HT_KIND(find_sources)(const ht_cpu_job *job, int64_t t, HT_KIND(sources) * from) {
  static const HT_STORED zeros[HT_FACE_VALUES(HT_DIRECTIONS)];
  const int32_t *number = job->neighbour + HT_TILE_NEIGHBOURS * t;
  const HT_STORED *source = job->source;
  for (int i = 0; i < 9; i++) {
    int64_t below = number[i] < 0 ? t : number[i], beside = number[i + 9] < 0 ? t : number[i + 9];
    int64_t above = number[i + 18] < 0 ? t : number[i + 18];
    from->main[i] = source + ht_cpu_parts_of(HT_DIRECTIONS, job->tiles, beside).main;
    from->up[i] = source + ht_cpu_parts_of(HT_DIRECTIONS, job->tiles, below).up;
    from->down[i] = source + ht_cpu_parts_of(HT_DIRECTIONS, job->tiles, above).down;
  }
  const ht_cpu_parts own = ht_cpu_parts_of(HT_DIRECTIONS, job->tiles, t);
  int above = 0, below = 0;
  from->wall = HT_KIND(walls_of)(job, t);
  from->fluid = job->skipped && job->skipped[t] ? 0 : HT_KIND(fluid_of)(job, t);
  if (from->wall) HT_KIND(find_vertical)(from->wall, &above, &below);
  from->own_up = above ? source + own.up : zeros;
  from->own_down = below ? source + own.down : zeros;
}

/* Returns the plane that plane z of direction q comes from, in the column of tiles that is (dx, dy)
 * away. */
HT_ALWAYS_INLINE const HT_STORED *HT_KIND(source_plane)(const HT_KIND(sources) * from, int beside,
                                                        int q, int cz, int z) {
  return cz > 0 && z == 0   ? from->up[beside] + ht_cpu_face_plane(q)
         : cz < 0 && z == 3 ? from->down[beside] + ht_cpu_face_plane(q)
                            : from->main[beside] + ht_cpu_main_plane(q, z - cz);
}

/* The tile's own plane, which walls send back in direction q. */
HT_ALWAYS_INLINE const HT_STORED *HT_KIND(own_plane)(const HT_KIND(sources) * from, int q, int cz,
                                                     int z) {
  const int p = ht_opposite(q);
  return cz < 0 && z == 3   ? from->own_up + ht_cpu_face_plane(p)
         : cz > 0 && z == 0 ? from->own_down + ht_cpu_face_plane(p)
                            : from->main[4] + ht_cpu_main_plane(p, z);
}

/* Pulls direction q = (cx, cy, cz) for the 16 nodes of a plane. The constants, of which has_walls
 * is one, make every branch vanish. */
HT_ALWAYS_INLINE void HT_KIND(pull_plane)(const HT_KIND(sources) * from, int has_walls, int q,
                                          int cx, int cy, int cz, int z, HT_STORED *out) {
  const int own = 4;
#define HT_FROM(beside) HT_KIND(source_plane)(from, beside, q, cz, z)
#pragma GCC unroll 4
  for (int y = 0; y < 4; y += HT_ROWS) {
    HT_KIND(rows) rows, beside;
    HT_KIND(load_rows)(HT_FROM(own), HT_FROM(own - 3 * cy), y, cy, &rows);
    if (cx != 0) HT_KIND(load_rows)(HT_FROM(own - cx), HT_FROM(own - cx - 3 * cy), y, cy, &beside);
    if (cx > 0) rows = __builtin_shufflevector(rows, beside, HT_LANES(HT_X_UP));
    if (cx < 0) rows = __builtin_shufflevector(rows, beside, HT_LANES(HT_X_DOWN));
    if (has_walls && q > 0) HT_KIND(bounce_rows)
    ((uint32_t)(from->wall[q] >> (16 * z + 4 * y)), HT_KIND(own_plane)(from, q, cz, z) + 4 * y,
     &rows);
    memcpy(out + 4 * y, &rows, sizeof rows);
  }
#undef HT_FROM
}

/* ---- collision ---- */

/* The 16 nodes of a plane, direction q at values + 64 q. is_local: every node has an omega of its
 * own, from the table `rate`. pushed: force and square as in cumulant_pushed(). */
HT_ALWAYS_INLINE void HT_KIND(relax_plane)(HT_STORED *values, int model, HT_REAL omega,
                                           int is_local, const HT_REAL *rate, int pushed,
                                           const HT_REAL *force, HT_REAL *square) {
#if HT_IS_HALF
  _Alignas(64) float single[HT_DIRECTIONS][16], *plane = single[0];
  const int stride = 16;
  for (int q = 0; q < HT_DIRECTIONS; q++) ht_half_load_many(values + 64 * q, 16, single[q]);
#else
  HT_STORED *plane = values;
  const int stride = 64;
#endif
  HT_NODE(cumulant_rates) common = HT_NODE(cumulant_rates_of)(is_local ? 1 : omega);
#pragma GCC ivdep
  for (int n = 0; n < 16; n++) {
    HT_REAL g[HT_DIRECTIONS];
#pragma GCC unroll 27
    for (int q = 0; q < HT_DIRECTIONS; q++) g[q] = plane[stride * q + n];
    HT_NODE(cumulant_rates) rates = common;
    if (is_local) rates = HT_NODE(rates_of)(model, HT_NODE(local_rate)(g, model, rate));
    if (pushed)
      HT_NODE(cumulant_pushed)(g, &rates, force + n, square + n, HT_TILE_NODES);
    else
      HT_NODE(relax_at)(g, model, &rates);
#pragma GCC unroll 27
    for (int q = 0; q < HT_DIRECTIONS; q++) plane[stride * q + n] = g[q];
  }
#if HT_IS_HALF
  for (int q = 0; q < HT_DIRECTIONS; q++) ht_half_store_many(single[q], 16, values + 64 * q);
#endif
}

/* Model and is_local are constants in each branch: the loop over the nodes has none. */
#define HT_CASE(model, is_local, omega, rate)                                                      \
  case model:                                                                                      \
    HT_KIND(relax_plane)(values, model, omega, is_local, rate, 0, NULL, NULL);                     \
    break;

static void HT_KIND(collide_plane)(HT_STORED *values, int model, HT_REAL omega) {
  switch (model) {
#if HT_DIRECTIONS == 27
    HT_CASE(HT_MODEL_CUMULANT, 0, omega, NULL)
#else
    HT_CASE(0, 0, omega, NULL)
    HT_CASE(1, 0, omega, NULL)
    HT_CASE(2, 0, omega, NULL)
    HT_CASE(3, 0, omega, NULL)
#endif
  default: /* HT_CPU_PROPAGATE */
    break;
  }
}

static void HT_KIND(collide_locally)(HT_STORED *values, int model, const HT_REAL *rate) {
  switch (model) {
#if HT_DIRECTIONS == 27
    HT_CASE(HT_MODEL_CUMULANT, 1, 0, rate)
#else
    HT_CASE(0, 1, 0, rate)
    HT_CASE(1, 1, 0, rate)
    HT_CASE(2, 1, 0, rate)
    HT_CASE(3, 1, 0, rate)
#endif
  default:
    break;
  }
}
#undef HT_CASE

/* Relaxes with the correction of diagonals; rate: NULL: omega everywhere. */
#if HT_DIRECTIONS == 27 && !HT_IS_HALF
#include "solver/cpu/cpu_diagonal_tile.h"

__attribute__((nonnull(4, 5))) static void HT_KIND(collide_pushed)(HT_STORED *values, HT_REAL omega,
                                                                   const HT_REAL *rate,
                                                                   const HT_REAL *force,
                                                                   HT_REAL *square) {
  if (rate)
    HT_KIND(relax_plane)(values, HT_MODEL_CUMULANT, 0, 1, rate, 1, force, square);
  else
    HT_KIND(relax_plane)(values, HT_MODEL_CUMULANT, omega, 0, NULL, 1, force, square);
}
#else
static void HT_KIND(find_force)(const ht_cpu_job *job, int64_t t, HT_REAL *force) {
  (void)job, (void)t, (void)force;
}

static void HT_KIND(collide_pushed)(HT_STORED *values, HT_REAL omega, const HT_REAL *rate,
                                    const HT_REAL *force, HT_REAL *square) {
  (void)values;
  (void)omega;
  (void)rate;
  (void)force;
  (void)square;
}
#endif

/* Plane z of a tile. force: [3][64], of the whole tile, where diagonals are corrected. */
static void HT_KIND(collide)(const ht_cpu_job *job, int64_t tile, int z, const HT_REAL *force,
                             HT_STORED *values) {
  const int64_t at = 3 * HT_TILE_NODES * tile + HT_PLANE * z;
  if (job->corrected) {
    HT_KIND(collide_pushed)
    (values, (HT_REAL)job->omega, job->rate, force + HT_PLANE * z, (HT_REAL *)job->square + at);
  } else if (job->rate) {
    HT_KIND(collide_locally)(values, job->model, job->rate);
  } else {
    HT_KIND(collide_plane)(values, job->model, (HT_REAL)job->omega);
  }
}

/* The 16 nodes of a plane in a sponge, after their collision. */
#if HT_DIRECTIONS == 27
static void HT_KIND(damp_plane)(HT_STORED *values, const float *keep) {
#if HT_IS_HALF
  _Alignas(64) float single[HT_DIRECTIONS][16], *plane = single[0];
  const int stride = 16;
  for (int q = 0; q < HT_DIRECTIONS; q++) ht_half_load_many(values + 64 * q, 16, single[q]);
#else
  HT_STORED *plane = values;
  const int stride = 64;
#endif
#pragma GCC ivdep
  for (int n = 0; n < 16; n++) {
    HT_REAL g[HT_DIRECTIONS];
#pragma GCC unroll 27
    for (int q = 0; q < HT_DIRECTIONS; q++) g[q] = plane[stride * q + n];
    HT_NODE(damp)(g, (HT_REAL)keep[n]);
#pragma GCC unroll 27
    for (int q = 0; q < HT_DIRECTIONS; q++) plane[stride * q + n] = g[q];
  }
#if HT_IS_HALF
  for (int q = 0; q < HT_DIRECTIONS; q++) ht_half_store_many(single[q], 16, values + 64 * q);
#endif
}
#else
static void HT_KIND(damp_plane)(HT_STORED *values, const float *keep) {
  (void)values;
  (void)keep;
}
#endif

/* ---- memory ---- */

/* An updated tile that is not yet in memory. */
typedef struct {
  const HT_STORED (*block)[64];
  HT_STORED *target;
  ht_cpu_parts parts;
  uint64_t fluid;
  int stream;
} HT_KIND(done);

/* The lines of a plane that have a fluid node; `fluid`: bit n for node n. */
HT_ALWAYS_INLINE void HT_KIND(write_plane)(const HT_STORED *from, uint64_t fluid, int stream,
                                           HT_STORED *to) {
  const int plane = HT_PLANE * sizeof(HT_STORED), bytes = plane < 64 ? plane : 64;
  const int line = bytes / sizeof(HT_STORED);
  const uint64_t of_line = ((uint64_t)1 << line) - 1;
#pragma GCC unroll 2
  for (int n = 0; n < HT_PLANE; n += line) {
    if (!((fluid >> n) & of_line)) continue;
    if (stream)
      ht_stream(to + n, from + n, bytes);
    else
      memcpy(to + n, from + n, bytes);
  }
}

HT_ALWAYS_INLINE void HT_KIND(write_direction)(const HT_KIND(done) * done, int q) {
#pragma GCC unroll 4
  for (int z = 0; z < 4; z++) HT_KIND(write_plane)
  (done->block[q] + 16 * z, done->fluid >> 16 * z, done->stream,
   done->target + ht_cpu_plane(&done->parts, q, z));
}

/* The prefetch: the planes that a tile's sweep is the first to read, its own and those from above
 * and below. Where there is no fluid, a line that is in the cache anyway. */
typedef struct {
  const HT_STORED *main[4], *up, *down;
} HT_KIND(ahead);

static void HT_KIND(find_ahead)(const ht_cpu_job *job, int64_t t, const HT_STORED *cached,
                                HT_KIND(ahead) * ahead) {
  const int32_t *number = job->neighbour + HT_TILE_NEIGHBOURS * t;
  const HT_STORED *source = job->source;
  uint64_t fluid = HT_KIND(fluid_of)(job, t);
  for (int z = 0; z < 4; z++)
    ahead->main[z] = (fluid >> 16 * z) & 0xffff
                         ? source + ht_cpu_parts_of(HT_DIRECTIONS, job->tiles, t).main
                         : cached;
  ahead->up =
      number[4] < 0 ? cached : source + ht_cpu_parts_of(HT_DIRECTIONS, job->tiles, number[4]).up;
  ahead->down = number[22] < 0
                    ? cached
                    : source + ht_cpu_parts_of(HT_DIRECTIONS, job->tiles, number[22]).down;
}

HT_ALWAYS_INLINE void HT_KIND(fetch_direction)(const HT_KIND(ahead) * ahead, int q, int cz) {
  const int line = 64 / sizeof(HT_STORED);
#pragma GCC unroll 4
  for (int z = 0; z < 4; z++) {
    const HT_STORED *plane = cz > 0 && z == 3   ? ahead->up + ht_cpu_face_plane(q)
                             : cz < 0 && z == 0 ? ahead->down + ht_cpu_face_plane(q)
                                                : ahead->main[z] + ht_cpu_main_plane(q, z);
#pragma GCC unroll 2
    for (int n = 0; n < HT_PLANE; n += line) __builtin_prefetch(plane + n);
  }
}

/* The values that the next tile pulls along y: mostly in a farther cache already. */
HT_ALWAYS_INLINE void HT_KIND(fetch_rows)(const HT_KIND(sources) * next, int q, int cy, int cz) {
  if (cy == 0) return;
#pragma GCC unroll 4
  for (int z = 0; z < 4; z++)
    __builtin_prefetch(HT_KIND(source_plane)(next, 4 - 3 * cy, q, cz, z) + (cy > 0 ? 12 : 0));
}

/* The tables that find_ahead() will read. (The fetch functions are always inlined: GCC 12 drops the
 * call of a function that only prefetches.) */
HT_ALWAYS_INLINE void HT_KIND(fetch_tables)(const ht_cpu_job *job, int64_t t) {
  const int32_t *number = job->neighbour + HT_TILE_NEIGHBOURS * t;
  const uint64_t *wall = HT_KIND(walls_of)(job, t);
  __builtin_prefetch(number);
  __builtin_prefetch(number + 16);
  __builtin_prefetch(number + HT_TILE_NEIGHBOURS - 1);
  if (!wall) return;
  __builtin_prefetch(wall);
  __builtin_prefetch(wall + 8);
  __builtin_prefetch(wall + HT_DIRECTIONS - 1);
}

/* A tile's own `up` and `down` where walls send them back. */
HT_ALWAYS_INLINE void HT_KIND(fetch_faces)(const ht_cpu_job *job, int64_t t) {
  const int line = 64 / sizeof(HT_STORED);
  const uint64_t *wall = HT_KIND(walls_of)(job, t);
  const HT_STORED *source = job->source;
  const ht_cpu_parts own = ht_cpu_parts_of(HT_DIRECTIONS, job->tiles, t);
  int above, below;
  if (!wall) return;
  HT_KIND(find_vertical)(wall, &above, &below);
  for (int i = 0; above && i < HT_FACE_VALUES(HT_DIRECTIONS); i += line)
    __builtin_prefetch(source + own.up + i);
  for (int i = 0; below && i < HT_FACE_VALUES(HT_DIRECTIONS); i += line)
    __builtin_prefetch(source + own.down + i);
}

/* ---- a sweep ---- */

/* Sources of a tile's update, and what is prefetched during it. */
typedef struct {
  HT_KIND(sources) now, next;
  HT_KIND(ahead) ahead;
} HT_KIND(plan);

/* Plans the update of tile t, one of those before `end`; plan->next holds its sources. */
static void HT_KIND(plan_tile)(const ht_cpu_job *job, int64_t t, int64_t end,
                               const HT_STORED *cached, HT_KIND(plan) * plan) {
  const int tables = 4; /* before a tile is prefetched */
  int64_t last = end - 1, left = last - t, ahead = job->ahead;
  plan->now = plan->next;
  HT_KIND(find_sources)(job, left > 1 ? t + 1 : last, &plan->next);
  HT_KIND(find_ahead)(job, left > ahead ? t + ahead : last, cached, &plan->ahead);
  HT_KIND(fetch_tables)(job, left > ahead + tables ? t + ahead + tables : last);
  HT_KIND(fetch_faces)(job, left > ahead ? t + ahead : last);
}

/* Pulls a tile; between the directions, writes the previous tile and prefetches the next. */
HT_ALWAYS_INLINE void HT_KIND(move_tile)(const HT_KIND(plan) * plan, int has_walls,
                                         HT_STORED block[HT_DIRECTIONS][64],
                                         const HT_KIND(done) * before) {
#define HT_MOVE(q, cx, cy, cz)                                                                     \
  HT_KIND(write_direction)(before, q);                                                             \
  HT_KIND(fetch_direction)(&plan->ahead, q, cz);                                                   \
  HT_KIND(fetch_rows)(&plan->next, q, cy, cz);                                                     \
  _Pragma("GCC unroll 4") for (int z = 0; z < 4; z++) if ((plan->now.fluid >> 16 * z) & 0xffff)    \
      HT_KIND(pull_plane)(&plan->now, has_walls, q, cx, cy, cz, z, block[q] + 16 * z);
  HT_MOVE(0, 0, 0, 0)
  HT_D3Q19_MOVING(HT_MOVE)
#if HT_DIRECTIONS == 27
  HT_D3Q27_CORNERS(HT_MOVE)
#endif
#undef HT_MOVE
}

/* Moves without walls, and with half-way ones. */
static void HT_KIND(move)(const HT_KIND(plan) * plan, HT_STORED block[HT_DIRECTIONS][64],
                          const HT_KIND(done) * before) {
  HT_KIND(move_tile)(plan, 0, block, before);
}
static void HT_KIND(move_and_bounce)(const HT_KIND(plan) * plan, HT_STORED block[HT_DIRECTIONS][64],
                                     const HT_KIND(done) * before) {
  HT_KIND(move_tile)(plan, 1, block, before);
}

static void HT_KIND(collide_tile)(const ht_cpu_job *job, int64_t t, uint64_t fluid,
                                  HT_STORED *values) {
  _Alignas(64) HT_REAL force[3 * HT_TILE_NODES];
  if (job->corrected && fluid) HT_KIND(find_force)(job, t, force);
  int64_t sponge = job->sponge_slot ? job->sponge_slot[t] : -1;
  for (int z = 0; z < 4; z++) {
    if (!((fluid >> 16 * z) & 0xffff)) continue;
    HT_KIND(collide)(job, t, z, force, values + 16 * z);
    if (sponge >= 0)
      HT_KIND(damp_plane)(values + 16 * z, job->keep + HT_TILE_NODES * sponge + 16 * z);
  }
}

/* Steps tile t, one of those before `end`, into `block` and leaves it there. Between the links,
 * which write single values, and the collision, which reads whole lines, the next tile is planned:
 * a core waits for such writes. */
static void HT_KIND(step_tile)(const ht_cpu_job *job, int64_t t, int64_t end, HT_KIND(plan) * plan,
                               HT_STORED block[HT_DIRECTIONS][64], const HT_KIND(done) * before) {
  const uint64_t fluid = plan->now.fluid;
  if (plan->now.wall)
    HT_KIND(move_and_bounce)(plan, block, before);
  else
    HT_KIND(move)(plan, block, before);
  if (job->walls && job->walls->slot[t] >= 0) HT_KIND(interpolate)(job, t, block[0]);
  if (t + 1 < end) HT_KIND(plan_tile)(job, t + 1, end, block[0], plan);
  HT_KIND(collide_tile)(job, t, fluid, block[0]);
}

static void HT_KIND(copy_tile)(const ht_cpu_job *job, int64_t t) {
  const HT_STORED *source = job->source;
  HT_STORED *target = job->target;
  uint64_t fluid = HT_KIND(fluid_of)(job, t);
  ht_cpu_parts parts = ht_cpu_parts_of(HT_DIRECTIONS, job->tiles, t);
  for (int q = 0; q < HT_DIRECTIONS; q++) {
    for (int z = 0; z < 4; z++) {
      int64_t plane = ht_cpu_plane(&parts, q, z);
      HT_KIND(write_plane)(source + plane, fluid >> 16 * z, job->stream, target + plane);
    }
  }
}

static void HT_KIND(step_tiles)(const ht_cpu_job *job, int64_t begin, int64_t end) {
  _Alignas(64) HT_STORED block[2][HT_DIRECTIONS][64];
  memset(block, 0, sizeof block);
  HT_KIND(done) before = {.block = block[0], .target = job->target, .stream = job->stream};
  HT_KIND(plan) plan;
  if (begin >= end) return;
  HT_KIND(find_sources)(job, begin, &plan.next);
  HT_KIND(plan_tile)(job, begin, end, block[0][0], &plan);
  for (int64_t t = begin; t < end; t++) {
    const uint64_t fluid = plan.now.fluid;
    HT_KIND(step_tile)(job, t, end, &plan, block[t & 1], &before);
    before.block = block[t & 1];
    before.parts = ht_cpu_parts_of(HT_DIRECTIONS, job->tiles, t);
    before.fluid = fluid;
  }
  for (int q = 0; q < HT_DIRECTIONS; q++) HT_KIND(write_direction)(&before, q);
}

void HT_STEP(const ht_cpu_job *job, int64_t begin, int64_t end) {
  const unsigned denormals = ht_drop_denormals();
  if (job->model == HT_CPU_READ_WRITE)
    for (int64_t t = begin; t < end; t++) HT_KIND(copy_tile)(job, t);
  else
    HT_KIND(step_tiles)(job, begin, end);
  ht_stream_end();
  ht_keep_denormals(denormals);
}

#undef HT_STORED
#undef HT_UINT
#undef HT_IS_HALF
#undef HT_DIRECTIONS
#undef HT_ROWS
#undef HT_KIND
#undef HT_STEP

/* The force of diagonal.h on a tile, for one kind of storage; included by cpu_tile.h with its
 * names. It is found right before the tile's collision, from the squares of the tile and of its
 * neighbours along the axes, as vectors of 16 nodes of a plane. */

/* w of nodes [first, first + count) of the tile in a neighbour's slot, 13 + x + 3 y + 9 z for the
 * one that is (x, y, z) away; 0 where there is none. */
HT_ALWAYS_INLINE void HT_KIND(carry)(const ht_cpu_job *job, int64_t t, int slot, int axis,
                                     int first, int count, HT_REAL *w) {
  const int64_t there = job->neighbour[HT_TILE_NEIGHBOURS * t + slot];
  const int64_t at = HT_TILE_NODES * (3 * there + axis) + first;
  if (there < 0) {
    memset(w, 0, (size_t)count * sizeof *w);
    return;
  }
  const HT_REAL *one = (const HT_REAL *)job->square_before[0] + at;
  const HT_REAL *two = (const HT_REAL *)job->square_before[1] + at;
  const HT_REAL *three = (const HT_REAL *)job->square_before[2] + at;
  for (int n = 0; n < count; n++)
    w[n] = HT_NODE(carry_on)(one[n], HT_NODE(carry_earlier)(two[n], three[n]));
}

/* What the force along an axis depends on beside w. Bit n for node n of a tile: low, high: a wall
 * is at -1, at +1; corrected: the force acts. factor: of diagonal_force(). */
typedef struct {
  uint64_t low, high, corrected;
  HT_REAL factor;
} HT_KIND(beside);

/* Direction 1 + 2 axis comes from -1, the next from +1. */
HT_ALWAYS_INLINE HT_KIND(beside)
    HT_KIND(beside_of)(const ht_cpu_job *job, int64_t t, const uint64_t *wall, int axis) {
  return (HT_KIND(beside)){.low = wall ? wall[1 + 2 * axis] : 0,
                           .high = wall ? wall[2 + 2 * axis] : 0,
                           .corrected = job->corrected[t],
                           .factor = (HT_REAL)job->diagonal_factor};
}

/* The force on the 16 nodes of plane z; w at -2 to +2, `step` values apart. */
HT_ALWAYS_INLINE void HT_KIND(force_plane)(const HT_KIND(beside) * beside, int z, const HT_REAL *w,
                                           int step, HT_REAL *force) {
  const uint32_t low = (uint32_t)(beside->low >> HT_PLANE * z) & 0xffff;
  const uint32_t high = (uint32_t)(beside->high >> HT_PLANE * z) & 0xffff;
  const uint32_t corrected = (uint32_t)(beside->corrected >> HT_PLANE * z) & 0xffff;
#pragma GCC ivdep
  for (int n = 0; n < HT_PLANE; n++) {
    const HT_REAL around[5] = {w[n], w[n + step], w[n + 2 * step], w[n + 3 * step],
                               w[n + 4 * step]};
    const HT_REAL found =
        HT_NODE(diagonal_force)(around, (low >> n) & 1, (high >> n) & 1, beside->factor);
    force[HT_PLANE * z + n] = (corrected >> n) & 1 ? found : 0;
  }
}

/* A plane and those moved along x by -2 to 2 nodes. */
HT_ALWAYS_INLINE void HT_KIND(move_along_x)(const HT_REAL *before, const HT_REAL *own,
                                            const HT_REAL *after, HT_REAL moved[5][HT_PLANE]) {
#pragma GCC unroll 4
  for (int n = 0; n < HT_PLANE; n += 4 * HT_ROWS) {
    HT_KIND(rows) low, here, high, to[4];
    memcpy(&low, before + n, sizeof low);
    memcpy(&here, own + n, sizeof here);
    memcpy(&high, after + n, sizeof high);
    to[0] = __builtin_shufflevector(here, low, HT_LANES(HT_X_UP_BY_2));
    to[1] = __builtin_shufflevector(here, low, HT_LANES(HT_X_UP));
    to[2] = __builtin_shufflevector(here, high, HT_LANES(HT_X_DOWN));
    to[3] = __builtin_shufflevector(here, high, HT_LANES(HT_X_DOWN_BY_2));
    memcpy(moved[0] + n, &to[0], sizeof low);
    memcpy(moved[1] + n, &to[1], sizeof low);
    memcpy(moved[2] + n, &here, sizeof low);
    memcpy(moved[3] + n, &to[2], sizeof low);
    memcpy(moved[4] + n, &to[3], sizeof low);
  }
}

HT_ALWAYS_INLINE void HT_KIND(force_x)(const ht_cpu_job *job, int64_t t, const uint64_t *wall,
                                       HT_REAL *force) {
  const HT_KIND(beside) beside = HT_KIND(beside_of)(job, t, wall, 0);
  _Alignas(64) HT_REAL w[3][HT_TILE_NODES], moved[5][HT_PLANE];
  for (int k = 0; k < 3; k++) HT_KIND(carry)(job, t, 12 + k, 0, 0, HT_TILE_NODES, w[k]);
  for (int z = 0; z < HT_TILE_SIDE; z++) {
    const int at = HT_PLANE * z;
    HT_KIND(move_along_x)(w[0] + at, w[1] + at, w[2] + at, moved);
    HT_KIND(force_plane)(&beside, z, moved[0], HT_PLANE, force);
  }
}

HT_ALWAYS_INLINE void HT_KIND(force_y)(const ht_cpu_job *job, int64_t t, const uint64_t *wall,
                                       HT_REAL *force) {
  const HT_KIND(beside) beside = HT_KIND(beside_of)(job, t, wall, 1);
  const int row = HT_TILE_SIDE, two = 2 * HT_TILE_SIDE;
  _Alignas(64) HT_REAL w[HT_TILE_SIDE][(HT_TILE_SIDE + 4) * HT_TILE_SIDE]; /* rows -2 to 5 */
  for (int z = 0; z < HT_TILE_SIDE; z++) {
    const int at = HT_PLANE * z;
    HT_KIND(carry)(job, t, 10, 1, at + two, two, w[z]);
    HT_KIND(carry)(job, t, 13, 1, at, HT_PLANE, w[z] + two);
    HT_KIND(carry)(job, t, 16, 1, at, two, w[z] + two + HT_PLANE);
  }
  for (int z = 0; z < HT_TILE_SIDE; z++) HT_KIND(force_plane)(&beside, z, w[z], row, force);
}

HT_ALWAYS_INLINE void HT_KIND(force_z)(const ht_cpu_job *job, int64_t t, const uint64_t *wall,
                                       HT_REAL *force) {
  const HT_KIND(beside) beside = HT_KIND(beside_of)(job, t, wall, 2);
  const int two = 2 * HT_PLANE;
  _Alignas(64) HT_REAL w[HT_TILE_SIDE + 4][HT_PLANE]; /* planes -2 to 5 */
  HT_KIND(carry)(job, t, 4, 2, two, two, w[0]);
  HT_KIND(carry)(job, t, 13, 2, 0, HT_TILE_NODES, w[2]);
  HT_KIND(carry)(job, t, 22, 2, 0, two, w[2 + HT_TILE_SIDE]);
  for (int z = 0; z < HT_TILE_SIDE; z++) HT_KIND(force_plane)(&beside, z, w[z], HT_PLANE, force);
}

/* Prefetches, of a tile's squares, those along an axis in planes [first, first + planes). */
HT_ALWAYS_INLINE void HT_KIND(fetch_squares)(const ht_cpu_job *job, int64_t there, int axis,
                                             int first, int planes) {
  const int bytes = HT_PLANE * sizeof(HT_REAL), line = 64;
  if (there < 0) return;
  const int64_t at = HT_TILE_NODES * (3 * there + axis) + HT_PLANE * first;
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < planes * bytes; i += line)
      __builtin_prefetch((const char *)((const HT_REAL *)job->square_before[k] + at) + i);
}

/* Prefetches the squares that find_force() of tile t is the first to read. */
HT_ALWAYS_INLINE void HT_KIND(fetch_around)(const ht_cpu_job *job, int64_t t) {
  const int32_t *number = job->neighbour + HT_TILE_NEIGHBOURS * t;
  HT_KIND(fetch_squares)(job, number[14], 0, 0, HT_TILE_SIDE);
  HT_KIND(fetch_squares)(job, number[16], 1, 0, HT_TILE_SIDE);
  HT_KIND(fetch_squares)(job, t, 2, 2, 2);
  HT_KIND(fetch_squares)(job, number[22], 2, 0, 2);
}

/* Finds the force of the job's step on the nodes of a tile: [3][64]. */
static void HT_KIND(find_force)(const ht_cpu_job *job, int64_t t, HT_REAL *force) {
  const uint64_t *wall = HT_KIND(walls_of)(job, t);
  if (t + 2 < job->tiles) HT_KIND(fetch_around)(job, t + 2);
  if (!job->corrected[t]) {
    memset(force, 0, 3 * HT_TILE_NODES * sizeof *force);
    return;
  }
  HT_KIND(force_x)(job, t, wall, force);
  HT_KIND(force_y)(job, t, wall, force + HT_TILE_NODES);
  HT_KIND(force_z)(job, t, wall, force + 2 * HT_TILE_NODES);
}

/* The walls of a tile on the CPU, for one kind of storage; included by cpu_tile.h with its names.
 * Half-way walls are masks of 64 bits for each direction, applied while a tile is pulled;
 * interpolated ones (wall_links.h) then change what these have brought, link by link: the few links
 * of a plane are too few for vectors of planes. */

/* Half-way bounce-back (Ladd, J. Fluid Mech. 271 (1994) 285): the value from a wall is the one that
 * left along the opposite direction. So solid nodes, all of whose directions come from walls, stay
 * 0. Replaces the rows that were pulled where `walls` has the lane's bit. */
HT_ALWAYS_INLINE void HT_KIND(bounce_rows)(uint32_t walls, const HT_STORED *left,
                                           HT_KIND(rows) * rows) {
#ifdef __AVX512F__
  ht_replace_lanes(left, walls, sizeof(HT_STORED), rows);
#else
  const HT_KIND(bits) lane = {HT_LANES(HT_BIT)};
  HT_KIND(bits) bounced, from_wall = ((HT_UINT)walls & lane) == lane;
  memcpy(&bounced, left, sizeof bounced);
  *rows = (HT_KIND(rows))((bounced & from_wall) | ((HT_KIND(bits)) * rows & ~from_wall));
#endif
}

/* ---- interpolated walls ---- */

#if HT_IS_HALF
#define HT_LANE_UINT                   uint32_t
#define HT_VALUE(stored)               ht_half_load(stored)
#define HT_LOAD(stored, count, value)  ht_half_load_many(stored, count, value)
#define HT_STORE(value, count, stored) ht_half_store_many(value, count, stored)
#else
#define HT_LANE_UINT                   HT_UINT
#define HT_VALUE(stored)               (stored)
#define HT_LOAD(stored, count, value)  memcpy(value, stored, (count) * sizeof(HT_STORED))
#define HT_STORE(value, count, stored) memcpy(stored, value, (count) * sizeof(HT_STORED))
#endif

/* A value by its place, see cpu_walls.h. */
#define HT_AT(place) part[(place) >> HT_CPU_PART][(place)&HT_CPU_PLACE]

/* The slips of a tile's links follow their targets, from the values that half-way walls brought. */
static void HT_KIND(follow_slips)(const ht_cpu_walls *walls, const ht_cpu_wall_tile *tile,
                                  const HT_STORED *source, const HT_STORED *const part[4]) {
  const HT_STORED *block = part[HT_CPU_BLOCK];
  HT_REAL *slip = walls->slip;
  for (int64_t i = tile->first; i < tile->first + tile->links; i++) {
    const ht_cpu_slip_rule *rule = &walls->rule[i];
    const int own = walls->link[i].own;
    __builtin_prefetch(rule + HT_CPU_RULES_FETCHED);
    __builtin_prefetch(source + rule[HT_CPU_RULES_AHEAD].near_leaving);
    HT_REAL f = HT_VALUE(block[own]), in = HT_VALUE(block[HT_CPU_OPPOSITE(own)]);
    HT_REAL out = HT_VALUE(HT_AT(rule->leaving)), near = HT_VALUE(source[rule->near_leaving]);
    HT_REAL asked = (HT_REAL)ht_half_to_float(rule->here) * (out - f) +
                    (HT_REAL)ht_half_to_float(rule->near) * (near - in) +
                    (HT_REAL)ht_half_to_float(rule->across) * (in - f);
    slip[i] = HT_FOLLOW_SLIP(slip[i], asked);
  }
}

/* Values of eight links. */
typedef HT_STORED HT_KIND(stored8) __attribute__((vector_size(8 * sizeof(HT_STORED))));
typedef HT_REAL HT_KIND(real8) __attribute__((vector_size(8 * sizeof(HT_REAL))));

/* Interpolates the links i to i + 7; adds what they add to *sum. */
HT_ALWAYS_INLINE void HT_KIND(interpolate_eight)(const ht_cpu_walls *walls, int64_t i,
                                                 const HT_STORED *const part[4], HT_STORED *block,
                                                 HT_KIND(real8) * sum) {
  typedef float weights __attribute__((vector_size(8 * sizeof(float))));
  const ht_cpu_link *link = &walls->link[i];
  weights weight;
  HT_KIND(real8) slip, f, other;
#define HT_OWN(k)   block[link[k].own]
#define HT_OTHER(k) HT_AT(link[k].other)
#define HT_EACH(of) {of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)}
  HT_KIND(stored8) own = HT_EACH(HT_OWN), others = HT_EACH(HT_OTHER);
  HT_LOAD((const HT_STORED *)&own, 8, (HT_REAL *)&f);
  HT_LOAD((const HT_STORED *)&others, 8, (HT_REAL *)&other);
  memcpy(&weight, walls->weight + i, sizeof weight);
  memcpy(&slip, (const HT_REAL *)walls->slip + i, sizeof slip);
  const HT_KIND(real8) change =
      __builtin_convertvector(weight, HT_KIND(real8)) * (other - f) + slip;
  *sum += change;
  f += change;
  HT_STORE((const HT_REAL *)&f, 8, (HT_STORED *)&own);
#pragma GCC unroll 8
  for (int k = 0; k < 8; k++) HT_OWN(k) = own[k];
#undef HT_EACH
#undef HT_OTHER
#undef HT_OWN
}

/* Link i alone: what it adds. */
HT_ALWAYS_INLINE HT_REAL HT_KIND(interpolate_one)(const ht_cpu_walls *walls, int64_t i,
                                                  const HT_STORED *const part[4],
                                                  HT_STORED *block) {
  const ht_cpu_link *link = &walls->link[i];
  const HT_REAL f = HT_VALUE(block[link->own]), other = HT_VALUE(HT_AT(link->other));
  const HT_REAL change =
      (HT_REAL)walls->weight[i] * (other - f) + ((const HT_REAL *)walls->slip)[i];
#if HT_IS_HALF
  block[link->own] = ht_half_store(f + change);
#else
  block[link->own] = f + change;
#endif
  return change;
}

/* All links of a tile: what they add. */
static double HT_KIND(interpolate_links)(const ht_cpu_walls *walls, const ht_cpu_wall_tile *tile,
                                         const HT_STORED *const part[4], HT_STORED *block) {
  HT_KIND(real8) eight = {0};
  HT_REAL one = 0;
  int64_t i = tile->first, end = tile->first + tile->links;
  for (; i + 8 <= end; i += 8) {
    __builtin_prefetch(&walls->link[i + HT_CPU_LINKS_FETCHED]);
    __builtin_prefetch(&walls->weight[i + HT_CPU_LINKS_FETCHED]);
    __builtin_prefetch((const HT_REAL *)walls->slip + i + HT_CPU_LINKS_FETCHED);
    HT_KIND(interpolate_eight)(walls, i, part, block, &eight);
  }
  for (; i < end; i++) one += HT_KIND(interpolate_one)(walls, i, part, block);
  double sum = (double)one;
  for (int k = 0; k < 8; k++) sum += (double)eight[k];
  return sum;
}

/* Vector of the arithmetic, with as many numbers as a vector of the pull has values. */
typedef HT_REAL HT_KIND(reals) __attribute__((vector_size(4 * HT_ROWS * sizeof(HT_REAL))));
typedef HT_LANE_UINT HT_KIND(real_bits) __attribute__((vector_size(4 * HT_ROWS * sizeof(HT_REAL))));

/* The mass that links added two steps ago, from the values at rest. */
static void HT_KIND(take_mass)(const ht_cpu_walls *walls, const ht_cpu_wall_tile *tile,
                               HT_STORED rest[64]) {
  const HT_KIND(real_bits) lane = {HT_LANES(HT_BIT)};
  const HT_KIND(reals) share = (HT_REAL)ht_cpu_wall_share(walls, tile) - (HT_KIND(reals)){0};
  HT_REAL value[64];
  HT_LOAD(rest, 64, value);
  for (int n = 0; n < 64; n += 4 * HT_ROWS) {
    const HT_KIND(real_bits) takes = ((HT_LANE_UINT)(tile->nodes >> n) & lane) == lane;
    HT_KIND(reals) v;
    memcpy(&v, value + n, sizeof v);
    v -= (HT_KIND(reals))((HT_KIND(real_bits))share & takes);
    memcpy(value + n, &v, sizeof v);
  }
  HT_STORE(value, 64, rest);
}

/* The links of tile t, which was pulled into `block`. */
static void HT_KIND(interpolate)(const ht_cpu_job *job, int64_t t, HT_STORED *block) {
  const ht_cpu_walls *walls = job->walls;
  const int32_t number = walls->slot[t];
  const ht_cpu_wall_tile *tile = &walls->tile[number];
  const ht_cpu_parts own = ht_cpu_parts_of(HT_DIRECTIONS, job->tiles, t);
  const HT_STORED *source = job->source;
  const HT_STORED *const part[4] = {block, source + own.main, source + own.up, source + own.down};
  __builtin_prefetch(tile + 1);
  __builtin_prefetch(tile[1].beside + 8);
  __builtin_prefetch(tile[1].beside + 24);
  if (walls->follow) HT_KIND(follow_slips)(walls, tile, source, part);
  walls->given[number] = HT_KIND(interpolate_links)(walls, tile, part, block) * tile->part;
  HT_KIND(take_mass)(walls, tile, block);
}
#undef HT_LANE_UINT
#undef HT_VALUE
#undef HT_LOAD
#undef HT_STORE
#undef HT_AT

/* The walls of a tile on the CPU, for one kind of storage; included by cpu_tile.h with its names.
 * Half-way walls are masks of 64 bits for each direction; interpolated ones (wall_links.h) change
 * what these have brought, plane by plane: the coefficients of a plane's links are spread over its
 * 16 nodes, 0 where there is no link, so that the arithmetic is on whole vectors. */

/* Half-way bounce-back (Ladd, J. Fluid Mech. 271 (1994) 285): the value from a wall is the one that
 * left along the opposite direction. So solid nodes, all of whose directions come from walls, stay
 * 0. */
HT_ALWAYS_INLINE void HT_KIND(bounce_plane)(uint64_t walls, const HT_STORED *own, HT_STORED *out) {
  const HT_KIND(bits) lane = {HT_LANES(HT_BIT)};
  for (int n = 0; n < HT_PLANE; n += 4 * HT_ROWS) {
    HT_KIND(bits) bounced, pulled, from_wall = ((HT_UINT)(walls >> n) & lane) == lane;
    memcpy(&bounced, own + n, sizeof bounced);
    memcpy(&pulled, out + n, sizeof pulled);
    pulled = (bounced & from_wall) | (pulled & ~from_wall);
    memcpy(out + n, &pulled, sizeof pulled);
  }
}

static void HT_KIND(bounce)(const uint64_t wall[HT_DIRECTIONS], const HT_STORED *source,
                            const ht_cpu_parts *own, HT_STORED block[HT_DIRECTIONS][64]) {
  static const HT_STORED solid[HT_PLANE];
  for (int z = 0; z < 4; z++) {
    uint64_t fluid = (wall[0] >> 16 * z) & 0xffff;
    if (!fluid) continue;
    for (int q = 1; q < HT_DIRECTIONS; q++) {
      uint64_t walls = (wall[q] >> 16 * z) & 0xffff;
      if (!walls) continue;
      const HT_STORED *left = source + ht_cpu_plane(own, ht_opposite(q), z);
      HT_KIND(bounce_plane)(walls, walls & fluid ? left : solid, block[q] + 16 * z);
    }
  }
}

/* ---- interpolated walls ---- */

/* 16 stored values for the arithmetic, without a copy where they need no conversion; and back. */
HT_ALWAYS_INLINE const HT_REAL *HT_KIND(as_real)(const HT_STORED *values, HT_REAL room[16]) {
#if HT_IS_HALF
  ht_half_load_many(values, HT_PLANE, room);
  return room;
#else
  (void)room;
  return values;
#endif
}
HT_ALWAYS_INLINE void HT_KIND(store_plane)(const HT_REAL values[16], HT_STORED *to) {
#if HT_IS_HALF
  ht_half_store_many(values, HT_PLANE, to);
#else
  memcpy(to, values, HT_PLANE * sizeof *to);
#endif
}

#if HT_IS_HALF
#define HT_VALUE(stored) ht_half_load(stored)
#else
#define HT_VALUE(stored) (stored)
#endif

/* The links of a plane whose slip follows its target; i: the first of them. */
static void HT_KIND(follow_plane)(const ht_cpu_walls *walls, uint32_t links, int64_t i,
                                  const HT_STORED *source, const HT_STORED *coming,
                                  const HT_STORED *leaving, const HT_STORED *own) {
  HT_REAL *slip = walls->slip;
  for (; links; links &= links - 1, i++) {
    const int n = __builtin_ctz(links);
    const ht_cpu_slip_rule *rule = &walls->rule[i];
    HT_REAL f = HT_VALUE(own[n]), in = HT_VALUE(coming[n]), out = HT_VALUE(leaving[n]);
    HT_REAL near = HT_VALUE(source[walls->near_leaving[i]]);
    HT_REAL asked = (HT_REAL)rule->here * (out - f) + (HT_REAL)rule->near * (near - in) +
                    (HT_REAL)rule->across * (in - f);
    slip[i] = HT_FOLLOW_SLIP(slip[i], asked);
  }
}

/* Vectors of the arithmetic, as wide as a register. */
enum { HT_KIND(lanes) = HT_REGISTER / sizeof(HT_REAL) };
typedef HT_REAL HT_KIND(reals) __attribute__((vector_size(HT_REGISTER)));

/* Of each lane the first where `is`, else the second. */
#define HT_LANE_SIGNS __typeof__((HT_KIND(reals)){0} < 0)
HT_ALWAYS_INLINE HT_KIND(reals)
    HT_KIND(choose)(HT_LANE_SIGNS is, HT_KIND(reals) first, HT_KIND(reals) second) {
  return (HT_KIND(reals))((is & (HT_LANE_SIGNS)first) | (~is & (HT_LANE_SIGNS)second));
}

/* Interpolates the links of a plane, the first of which is i; adds what they add to *sum. */
HT_ALWAYS_INLINE void HT_KIND(link_plane)(const ht_cpu_walls *walls, uint32_t links, int64_t i,
                                          const HT_STORED *coming, const HT_STORED *leaving,
                                          HT_STORED *own, HT_KIND(reals) * sum) {
  _Alignas(64) HT_REAL weight[16], slip[16], after[16], room[3][16];
  const HT_REAL *in = HT_KIND(as_real)(coming, room[0]);
  const HT_REAL *out = HT_KIND(as_real)(leaving, room[1]);
  const HT_REAL *own_real = HT_KIND(as_real)(own, room[2]);
  HT_NODE(ht_spread_weights)(walls->weight + i, links, weight);
  HT_NODE(ht_spread)((const HT_REAL *)walls->slip + i, links, slip);
#pragma GCC unroll 8
  for (int n = 0; n < 16; n += HT_KIND(lanes)) {
    HT_KIND(reals) w, s, f, a, b;
    memcpy(&w, weight + n, sizeof w);
    memcpy(&s, slip + n, sizeof s);
    memcpy(&f, own_real + n, sizeof f);
    memcpy(&a, in + n, sizeof a);
    memcpy(&b, out + n, sizeof b);
    HT_KIND(reals) other = HT_KIND(choose)(w < 0, b, a);
    HT_KIND(reals) change = HT_KIND(choose)(w < 0, -w, w) * (other - f) + s;
    *sum += change;
    change += f;
    memcpy(after + n, &change, sizeof change);
  }
  HT_KIND(store_plane)(after, own);
}

/* The mass that the links of the last step added, from the values at rest. */
static void HT_KIND(take_mass)(const ht_cpu_walls *walls, const ht_cpu_wall_tile *tile,
                               HT_STORED rest[64]) {
  const HT_REAL share = (HT_REAL)ht_cpu_wall_share(walls, tile);
  for (int z = 0; z < 4; z++) {
    const uint32_t nodes = (uint32_t)(tile->nodes >> 16 * z) & 0xffff;
    _Alignas(64) HT_REAL room[16], after[16];
    if (!nodes) continue;
    const HT_REAL *before = HT_KIND(as_real)(rest + 16 * z, room);
#pragma GCC ivdep
    for (int n = 0; n < 16; n++) after[n] = before[n] - share * (HT_REAL)(int)((nodes >> n) & 1);
    HT_KIND(store_plane)(after, rest + 16 * z);
  }
}

/* The walls of a tile with links, which was pulled into `block`. */
static void HT_KIND(interpolate)(const ht_cpu_job *job, int32_t number, const ht_cpu_parts *parts,
                                 HT_STORED *block) {
  static const HT_STORED solid[HT_PLANE];
  const ht_cpu_walls *walls = job->walls;
  const ht_cpu_wall_tile *tile = &walls->tile[number];
  const HT_STORED *source = job->source;
  const HT_STORED *const part[3] = {source + parts->main, source + parts->up, source + parts->down};
  HT_KIND(reals) sum = {0};
  int64_t i = tile->first;
  for (const ht_cpu_plane_walls *plane = walls->plane + tile->first_plane; plane->walls; plane++) {
    const ht_cpu_wall_plane *at = &walls->at[plane->number];
    const HT_STORED *back = part[at->back.part] + at->back.plane;
    HT_STORED *own = block + at->own;
    HT_KIND(bounce_plane)(plane->walls, plane->fluid ? back : solid, own);
    if (!plane->links) continue;
    const HT_STORED *leaving = part[at->leaving.part] + at->leaving.plane;
    const HT_STORED *coming = block + at->coming;
    if (walls->follow) HT_KIND(follow_plane)(walls, plane->links, i, source, coming, leaving, own);
    HT_KIND(link_plane)(walls, plane->links, i, coming, leaving, own, &sum);
    i += __builtin_popcount(plane->links);
  }
  HT_KIND(take_mass)(walls, tile, block);
  double added = 0;
  for (int n = 0; n < HT_KIND(lanes); n++) added += (double)sum[n];
  walls->given[number] = added * tile->part;
}
#undef HT_LANE_SIGNS
#undef HT_VALUE

/* Density, velocity and stress of every node for the host, over the blocks of blocks.h: what
 * node_fields.c finds from a download, with the same formulas in double. The values that arrive at
 * a node are those of the run's precision. Three launches: the mass that the links of interpolated
 * walls add; what each tile takes of it (ht_share_mass); the fields, those of the ports' nodes
 * last.
 */
#ifndef HT_BLOCK_FIELDS_CUH
#define HT_BLOCK_FIELDS_CUH

#include "solver/cuda/blocks/block_kernels.cuh"

/* Numbers of a node. Of a block: density [64], velocity [64][3], stress [64][6], as ht_visit_tile
 * is shown them. */
enum { HT_FIELDS = 10, HT_BLOCK_FIELDS = HT_FIELDS * HT_TILE_NODES };

/* Data that a node's fields depend on besides its values. */
struct ht_fields_rule {
  double omega;        /* where it is the same everywhere */
  const double *table; /* else of local rates (relax_table.h), in double in every precision */
  const float *keep;   /* [blocks][64] of a sponge; NULL: there is none */
  double push[3];      /* half of the acceleration by a body force */
};

/* The blocks whose fields are found, and where they go. */
struct ht_fields_piece {
  uint32_t first, count;
  double *values; /* [count][HT_BLOCK_FIELDS] */
};

/* Fields on the device; zeroed: not made so far. The masses are those of a reading, as a step has
 * them. */
typedef struct {
  int64_t blocks;                 /* whose fields are found at a time */
  double *d_values;               /* [blocks][HT_BLOCK_FIELDS] */
  unsigned long long *d_given[2]; /* [tiles with links + 1]; of one reading and, 0, of the next */
  int is_second;                  /* of d_given: that of the next reading */
  double *d_taken;                /* [tiles with links] */
  uint32_t *d_port_place;         /* [ports] */
  double *d_rate;                 /* of ht_fields_rule; NULL: the same omega everywhere */
} ht_device_fields;

/* Stores the fields of the node at `place`; 0 for a solid one. */
template <class R, int model>
HT_INLINE void ht_store_fields(const R *arrived, bool is_fluid, uint32_t place,
                               const ht_fields_rule &rule, const ht_fields_piece &piece) {
  constexpr int Q = HT_MODEL_DIRECTIONS(model);
  double g[Q], rho, u[3], sigma[6];
#pragma unroll
  for (int q = 0; q < Q; q++) g[q] = is_fluid ? (double)arrived[q] : 0;
  double omega = rule.table ? local_rate_f64(g, model, rule.table) : rule.omega;
  if (rule.keep) omega = damped_rate_f64(omega, (double)rule.keep[place]);
  velocity_f64(g, model, &rho, u);
  stress_of_f64(g, model, omega, sigma);
  const uint32_t n = place % HT_TILE_NODES;
  double *block = piece.values + (int64_t)(place / HT_TILE_NODES - piece.first) * HT_BLOCK_FIELDS;
  block[n] = rho;
  for (int a = 0; a < 3; a++)
    block[HT_TILE_NODES + 3 * n + a] = u[a] + (is_fluid ? rule.push[a] : 0);
  for (int k = 0; k < 6; k++) block[4 * HT_TILE_NODES + 6 * n + k] = sigma[k];
}

/* ---- interpolated walls ---- */

/* The addresses that a node pulls from, half-way at walls, those of its own values, and its links
 * by opposite pairs of directions. */
template <int Q> struct ht_node_sources {
  uint32_t from[Q], self[Q];
  uint32_t word;        /* bit 0: the node is fluid */
  uint32_t code[Q / 2]; /* 0: none */
  int number[Q / 2];    /* of the link */
};

/* Finds the sources of a node of a block that is not plain, by all lanes of a warp. */
template <class S, int Q>
HT_INLINE void ht_find_sources(const ht_device_blocks &all, const ht_lane &at, int near,
                               int block_kind, uint32_t own, ht_node_sources<Q> &node) {
  const uint32_t lower = (1u << at.lane) - 1;
  int first = ht_first_link(near, at.k0);
  node.word = ht_find_addresses<S, Q>(all, at, near, block_kind, own, at.k0, node.from);
  ht_own_addresses<S, Q>(at, own, block_kind < 0, at.k0, node.self);
#pragma unroll
  for (int j = 0; j < Q / 2; j++) {
    const int q = 2 * j + 1, p = q + 1;
    uint32_t code = 0;
    if (first >= 0) {
      if (node.from[q] >= HT_LINK_CODES) code = node.from[q], node.from[q] = node.self[p];
      if (node.from[p] >= HT_LINK_CODES) code = node.from[p], node.from[p] = node.self[q];
      const uint32_t have = __ballot_sync(~0u, code != 0);
      node.number[j] = first + __popc(have & lower);
      first += __popc(have);
    }
    node.code[j] = code;
  }
}

/* Returns the value that the link of pair j, which has one, brings in place of `before`; as
 * replace_values() of wall_links.c. */
template <class S, int Q>
HT_INLINE double ht_linked_value(const S *source, const ht_device_walls &walls,
                                 const ht_node_sources<Q> &node, int j, double before) {
  typedef typename ht_stored<S>::real R;
  const int q = 2 * j + 1, p = q + 1;
  const uint32_t code = node.code[j], is_second = code & HT_LINK_SECOND;
  const uint32_t coming = is_second ? node.from[q] : node.from[p];
  const uint32_t leaving = is_second ? node.self[p] : node.self[q];
  const double other = (double)ht_load(source + (code & HT_LINK_FAR ? leaving : coming));
  const double weight = (double)ht_half_to_float((ht_half)(code & HT_LINK_WEIGHT));
  return before + weight * (other - before) + (double)((const R *)walls.slip)[node.number[j]];
}

/* One thread per node, one warp per half block. walls.given: 0 before. */
template <class S, int Q>
__global__ void __launch_bounds__(HT_STEP_THREADS)
    ht_find_added_mass(const S *source, ht_device_blocks all) {
  const uint32_t b = (blockIdx.x * HT_STEP_THREADS + threadIdx.x) / HT_TILE_NODES;
  if (b >= all.blocks) return;
  const ht_lane at = ht_lane_make(1);
  const int near = __ldg(all.row + (int64_t)b * HT_BLOCK_ROW + at.lane);
  const int block_kind = __shfl_sync(~0u, near, HT_BLOCK_KIND);
  if (__shfl_sync(~0u, near, HT_BLOCK_MASKS) < 0) return; /* no links: the whole warp */
  ht_node_sources<Q> node;
  ht_find_sources<S, Q>(all, at, near, block_kind, b * HT_TILE_VALUES(Q), node);
  double added = 0;
#pragma unroll
  for (int j = 0; j < Q / 2; j++) {
    if (!node.code[j]) continue;
    const uint32_t own =
        node.code[j] & HT_LINK_SECOND ? node.from[2 * j + 2] : node.from[2 * j + 1];
    const double before = (double)ht_load(source + own);
    added += ht_linked_value<S, Q>(source, all.walls, node, j, before) - before;
  }
  ht_give_mass(all.walls, ht_find_tile(all.walls, block_kind, at, near), added);
}

/* The values that arrive at a node of a block that is not plain. Returns whether it is fluid. */
template <class S, class R, int Q>
HT_INLINE bool ht_arrive_listed(const S *source, const ht_device_blocks &all, const ht_lane &at,
                                int near, int block_kind, uint32_t own, R g[Q]) {
  ht_node_sources<Q> node;
  ht_find_sources<S, Q>(all, at, near, block_kind, own, node);
#pragma unroll
  for (int q = 0; q < Q; q++) g[q] = ht_load(source + node.from[q]);
  if (!all.walls.list_tile) return node.word & 1;
#pragma unroll
  for (int j = 0; j < Q / 2; j++) {
    const int q = 2 * j + 1, p = q + 1;
    if (!node.code[j]) continue;
    const bool is_second = node.code[j] & HT_LINK_SECOND;
    const R before = is_second ? g[p] : g[q];
    const R value = (R)ht_linked_value<S, Q>(source, all.walls, node, j, (double)before);
    if (is_second)
      g[p] = value;
    else
      g[q] = value;
  }
  const double taken = ht_taken(all.walls, ht_find_tile(all.walls, block_kind, at, near));
  g[0] = (R)((double)g[0] - taken);
  return node.word & 1;
}

/* ---- fields ---- */

/* One thread per node, one warp per half block. The nodes of ports get the values of walls. */
template <class S, int model>
__global__ void __launch_bounds__(HT_STEP_THREADS)
    ht_find_fields(const S *source, ht_device_blocks all, ht_fields_rule rule,
                   ht_fields_piece piece) {
  typedef typename ht_stored<S>::real R;
  constexpr int Q = HT_MODEL_DIRECTIONS(model);
  const uint32_t i = (blockIdx.x * HT_STEP_THREADS + threadIdx.x) / HT_TILE_NODES;
  if (i >= piece.count) return;
  const uint32_t b = piece.first + i, own = b * HT_TILE_VALUES(Q);
  const ht_lane at = ht_lane_make(1);
  const int near = __ldg(all.row + (int64_t)b * HT_BLOCK_ROW + at.lane);
  const int block_kind = __shfl_sync(~0u, near, HT_BLOCK_KIND);
  R g[1][Q];
  bool is_fluid = true;
  if (block_kind == HT_KIND_PLAIN)
    ht_gather_plain<S, R, 1, Q>(source, at, near, g);
  else
    is_fluid = ht_arrive_listed<S, R, Q>(source, all, at, near, block_kind, own, g[0]);
  const uint32_t place = b * HT_TILE_NODES + (uint32_t)(at.lane + 32 * at.k0);
  ht_store_fields<R, model>(g[0], is_fluid, place, rule, piece);
}

/* Finds the fields of the ports' nodes, at `place` (blocks.h), after ht_find_fields(): one warp per
 * port and lane per direction, then one thread per port. */
template <class S, int model>
__global__ void __launch_bounds__(HT_STEP_THREADS)
    ht_find_port_fields(const S *source, ht_device_ports ports, const uint32_t *place,
                        const double *coefficient, ht_fields_rule rule, ht_fields_piece piece) {
  typedef typename ht_stored<S>::real R;
  constexpr int Q = HT_MODEL_DIRECTIONS(model);
  __shared__ ht_port_room<R, Q, PORT_WARPS> room;
  const uint32_t warp = threadIdx.x / 32, q = threadIdx.x % 32, mine = threadIdx.x;
  const int64_t first = (int64_t)blockIdx.x * PORT_WARPS, p = first + warp;
  if (p < ports.count) {
    const ht_port_lane of = ht_find_port_lane<Q>(ports, p, q);
    const ht_port_asked asked = ht_ask_by_warp(ports, p, q, coefficient);
    const R inside = ht_follow_inner<S, R>(source, ports, of, q, ht_load(source + of.inside));
    if (q == 0) room.prescribed[warp] = asked;
    if (q < Q) room.inner[warp][q] = inside, room.arriving[warp][q] = ht_load(source + of.from);
  }
  __syncthreads();
  if (mine >= PORT_WARPS || first + mine >= ports.count) return;
  const uint32_t here = place[first + mine];
  if (here / HT_TILE_NODES - piece.first >= piece.count) return;
  ht_set_port(ports.node + first + mine, room.prescribed[mine], model, room.inner[mine],
              room.arriving[mine]);
  ht_store_fields<R, model>(room.arriving[mine], true, here, rule, piece);
}

#endif

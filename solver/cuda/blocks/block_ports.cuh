/* Before a step: the values of the ports' nodes, and what interpolated walls take back. Private to
 * solver/cuda/.
 *
 * A warp a port, a lane a direction: the addresses, and the values there, come in a few loads at a
 * time. Then a thread a port sets and relaxes the values, in shared memory. */
#ifndef HT_BLOCK_PORTS_CUH
#define HT_BLOCK_PORTS_CUH

#include "block_kernels.cuh"

enum { PORTS_A_GROUP = 8, PREPARE_THREADS = 32 * PORTS_A_GROUP };

/* Of a port's node. */
template <int model> HT_INLINE void ht_relax_port(float *g, int is_rebuilt, ht_rate rate) {
  float omega = (float)rate.omega;
  if constexpr (HT_MODEL_IS_LOCAL(model))
    omega = local_rate_f32(g, model, (const float *)rate.table);
  relax_port_f32(g, HT_MODEL_GLOBAL(model), is_rebuilt, omega);
}
template <int model> HT_INLINE void ht_relax_port(double *g, int is_rebuilt, ht_rate rate) {
  double omega = rate.omega;
  if constexpr (HT_MODEL_IS_LOCAL(model))
    omega = local_rate_f64(g, model, (const double *)rate.table);
  relax_port_f64(g, HT_MODEL_GLOBAL(model), is_rebuilt, omega);
}

/* Addresses of a port's node: where its values come from, those of the node inside, its own: places
 * in [3][directions]. Negative: ~place among the values of the ports, [ports][directions]. */
enum { HT_PORT_FROM = 0, HT_PORT_INSIDE, HT_PORT_OWN, HT_PORT_ADDRESSES };

HT_INLINE void ht_set_port(const ht_port_node *port, ht_port_asked asked, int model,
                           const float *inside, float *g) {
  set_port_f32(port, asked, model, inside, g);
}
HT_INLINE void ht_set_port(const ht_port_node *port, ht_port_asked asked, int model,
                           const double *inside, double *g) {
  set_port_f64(port, asked, model, inside, g);
}

/* A link of the node inside a port: its number; the value that it blends in: an address, or a place
 * in `known`; the weight's size; what its slip follows. */
struct ht_inner_link {
  uint32_t link, other, from_known;
  float weight;
  ht_slip_link slip;
};

/* The links of the nodes inside: the ports' condition sees what the step will make of them. */
struct ht_inner_links {
  const uint32_t *word;      /* [ports] bit q: direction q comes from an interpolated wall */
  const uint32_t *first;     /* [ports] of its links */
  const int32_t *tile;       /* [ports] its tile's number among those with links; -1: none */
  const ht_inner_link *link; /* in the order of the directions */
};

struct ht_device_ports {
  const ht_port_node *node; /* [count] */
  const int64_t *addresses; /* [count][HT_PORT_ADDRESSES][directions] */
  const double *shape;      /* of the modes, see ht_lattice_tables */
  int64_t count;
  ht_inner_links inner;
  ht_device_walls walls;
  int slips_follow; /* in this step */
};

/* The value at an address, of a port's node from `known`. */
template <class S>
HT_INLINE typename ht_stored<S>::real ht_load_port(const S *source, const S *known,
                                                   int64_t address) {
  return ht_load(address < 0 ? known + ~address : source + address);
}

/* What a lane reads of the constant tables, before it waits for the launches before. */
struct ht_port_lane {
  int64_t from, inside, own; /* addresses, along the lane's direction */
  int32_t tile;              /* of the node inside: its number among those with links; -1: none */
  ht_share_part share;
  int follows; /* 1: an interpolated wall of that node */
  ht_inner_link link;
};

template <int Q>
HT_INLINE ht_port_lane ht_find_port_lane(const ht_device_ports &ports, const ht_share_tables &share,
                                         int64_t p, uint32_t lane) {
  const int64_t *at = ports.addresses + HT_PORT_ADDRESSES * Q * p + (lane < Q ? lane : 0);
  ht_port_lane found = {
      at[HT_PORT_FROM * Q], at[HT_PORT_INSIDE * Q], at[HT_PORT_OWN * Q], -1, {-1, 1}, 0, {}};
  if (!ports.walls.list_tile) return found;
  found.tile = ports.inner.tile[p];
  found.share = ht_share_find(share, found.tile, lane);
  const uint32_t word = ports.inner.word[p];
  found.follows = lane > 0 && (word >> lane) & 1;
  if (!found.follows) return found;
  const uint32_t before = (uint32_t)__popc(word & ((1u << lane) - 2));
  found.link = ports.inner.link[ports.inner.first[p] + before];
  return found;
}

/* What arrives at the node inside along the lane's direction: `inside` half-way, then as the step
 * will have it. Every lane of the warp takes part. */
template <class S, class R>
HT_INLINE R ht_follow_inner(const S *source, const S *known, const ht_device_ports &ports,
                            const ht_share_tables &share, const ht_port_lane &of, uint32_t lane,
                            R inside) {
  if (of.tile >= 0) {
    const double taken = ht_share_total(share, of.share);
    if (lane == 0) inside -= (R)taken;
  }
  if (!of.follows) return inside;
  const R other = ht_load((of.link.from_known ? known : source) + of.link.other);
  R slip = ((const R *)ports.walls.slip)[of.link.link];
  if (ports.slips_follow) slip = HT_FOLLOW_SLIP(slip, ht_read_asked_slip(source, of.link.slip));
  return inside + ((R)of.link.weight * (other - inside) + slip);
}

/* What a port is asked for, by its warp. */
HT_INLINE ht_port_asked ht_ask_by_warp(const ht_device_ports &ports, int64_t p, uint32_t lane,
                                       const double *coefficient) {
  ht_port_asked asked = ht_port_ask_part(ports.node + p, coefficient, ports.shape, (int)lane, 32);
  asked.speed = ht_warp_total(asked.speed);
  for (int a = 0; a < 2; a++) asked.slope[a] = ht_warp_total(asked.slope[a]);
  return asked;
}

/* The values that a port's node has next, in place of those that arrive there. */
template <int model, class R, int Q>
HT_INLINE void ht_renew_port(const ht_port_node *port, ht_port_asked asked, ht_rate rate,
                             const R inner[Q], R arriving[Q]) {
  R g[Q], inside[Q];
#pragma unroll
  for (int q = 0; q < Q; q++) g[q] = arriving[q], inside[q] = inner[q];
  ht_set_port(port, asked, model, inside, g);
  ht_relax_port<model>(g, !ht_port_bounces(port, asked), rate);
  if constexpr (Q == HT_Q27)
    if (port->keep < 1) ht_damp(g, port->keep);
#pragma unroll
  for (int q = 0; q < Q; q++) arriving[q] = g[q];
}

/* Copies the last result for the ports' nodes (`known`) over the values that the blocks wrote
 * there, and computes the next from the values before the step overwrites them. The prescribed
 * values are read first: they were copied before the first of the launches that overlap. */
template <class S, int model>
HT_INLINE void ht_step_ports(S *source, const S *known, S *next, const ht_device_ports &ports,
                             const ht_share_tables &share, const double *coefficient,
                             ht_rate rate) {
  typedef typename ht_stored<S>::real R;
  constexpr int Q = HT_MODEL_DIRECTIONS(model);
  __shared__ R arriving[PORTS_A_GROUP][Q], inner[PORTS_A_GROUP][Q];
  __shared__ ht_port_asked prescribed[PORTS_A_GROUP];
  const uint32_t warp = threadIdx.x / 32, q = threadIdx.x % 32;
  const int64_t first = (int64_t)blockIdx.x * PORTS_A_GROUP, p = first + warp;
  ht_port_lane of = {};
  if (p < ports.count) {
    const ht_port_asked asked = ht_ask_by_warp(ports, p, q, coefficient);
    if (q == 0) prescribed[warp] = asked;
    of = ht_find_port_lane<Q>(ports, share, p, q);
  }
  ht_let_next_begin();
  ht_wait_for_launch_before();
  if (p < ports.count) {
    R inside = q < Q ? ht_load_port(source, known, of.inside) : (R)0;
    inside = ht_follow_inner<S, R>(source, known, ports, share, of, q, inside);
    if (q < Q) {
      inner[warp][q] = inside;
      arriving[warp][q] = ht_load_port(source, known, of.from);
      source[of.own] = known[Q * p + q];
    }
  }
  __syncthreads();
  const uint32_t mine = threadIdx.x;
  if (mine < PORTS_A_GROUP && first + mine < ports.count)
    ht_renew_port<model, R, Q>(ports.node + first + mine, prescribed[mine], rate, inner[mine],
                               arriving[mine]);
  __syncthreads();
  if (p < ports.count && q < Q) ht_store(next + Q * p + q, arriving[warp][q]);
}

/* Before a step: the ports in the first groups, the walls in the others. */
template <class S, int model>
__global__ void __launch_bounds__(PREPARE_THREADS)
    ht_prepare_step(S *source, const S *known, S *next, ht_device_ports ports,
                    ht_share_tables share, const double *coefficient, ht_rate rate) {
  const unsigned groups = (unsigned)((ports.count + PORTS_A_GROUP - 1) / PORTS_A_GROUP);
  if (blockIdx.x < groups)
    ht_step_ports<S, model>(source, known, next, ports, share, coefficient, rate);
  else
    ht_share_by_group(share, blockIdx.x - groups);
}

/* Between the ports' own values and those of their blocks. */
template <class S>
__global__ void ht_copy_ports(S *values, S *known, const int64_t *addresses, int directions,
                              int64_t count, int from_blocks) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  ht_let_next_begin();
  ht_wait_for_launch_before();
  if (i >= directions * count) return;
  int64_t p = i / directions, q = i % directions;
  S *there = values + addresses[(HT_PORT_ADDRESSES * p + HT_PORT_OWN) * directions + q];
  if (from_blocks)
    known[i] = *there;
  else
    *there = known[i];
}

/* As port_flow() of backend_cpu.c. */
template <class S>
__global__ void ht_port_flows(const S *values, const S *known, const ht_port_node *ports,
                              const int64_t *addresses, int directions, int64_t count,
                              double *flow) {
  int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= count) return;
  double sum = 0;
  const int64_t *at = addresses + HT_PORT_ADDRESSES * directions * p;
  for (int q = 1; q < directions; q++)
    if ((ports[p].flow_links >> q) & 1)
      sum += (double)ht_load(values + at[HT_PORT_OWN * directions + q]) -
             (double)ht_load_port(values, known, at[HT_PORT_FROM * directions + ht_opposite(q)]);
  flow[p] = sum;
}

#endif

/* Finds, during a step, the values that the ports' nodes have after it. Private to solver/cuda/.
 *
 * Only nodes that pull from a port's node read its values, which lie next to the blocks (blocks.h).
 * So the ports read the state before the step and write that after it as the blocks do, in groups
 * of the same launch. What the blocks find for a port's node is never read.
 *
 * A warp reads a port, or one after the other, with a lane per direction: the addresses, and the
 * values there, come in a few loads at a time. Then one thread per port sets and relaxes the
 * values, in shared memory. */
#ifndef HT_BLOCK_PORTS_CUH
#define HT_BLOCK_PORTS_CUH

#include "solver/cuda/blocks/block_relax.cuh"
#include "solver/cuda/blocks/block_walls.cuh"

/* Ports that a warp finds: one after the other in a large lattice, where groups whose other warps
 * wait for one would take the place of blocks (measured); else one. */
enum { PORT_WARPS = HT_STEP_THREADS / 32, PORTS_A_WARP = 4, PORTS_FROM_BLOCKS = 4096 };

/* Relaxes a port's node. */
template <int model> HT_INLINE void ht_relax_port(float *g, int is_rebuilt, const ht_rate &rate) {
  float omega = (float)rate.omega;
  if constexpr (HT_MODEL_IS_LOCAL(model))
    omega = local_rate_f32(g, model, (const float *)rate.table);
  relax_port_f32(g, HT_MODEL_GLOBAL(model), is_rebuilt, omega);
}
template <int model> HT_INLINE void ht_relax_port(double *g, int is_rebuilt, const ht_rate &rate) {
  double omega = rate.omega;
  if constexpr (HT_MODEL_IS_LOCAL(model))
    omega = local_rate_f64(g, model, (const double *)rate.table);
  relax_port_f64(g, HT_MODEL_GLOBAL(model), is_rebuilt, omega);
}

/* Addresses of a port's node: where its values come from, those of the node inside, its own in the
 * blocks: places in [3][directions]. */
enum { HT_PORT_FROM = 0, HT_PORT_INSIDE, HT_PORT_OWN, HT_PORT_ADDRESSES };

HT_INLINE void ht_set_port(const ht_port_node *port, ht_port_asked asked, int model,
                           const float *inside, float *g) {
  set_port_f32(port, asked, model, inside, g);
}
HT_INLINE void ht_set_port(const ht_port_node *port, ht_port_asked asked, int model,
                           const double *inside, double *g) {
  set_port_f64(port, asked, model, inside, g);
}

/* A link of the node inside a port: its number; the address of the value that it blends in; the
 * weight's size; what its slip follows. */
struct ht_inner_link {
  uint32_t link, other;
  float weight;
  ht_slip_link slip;
};

/* The links of the nodes inside: the ports' condition sees what the step will make of them. */
struct ht_inner_links {
  const uint32_t *word;      /* [ports] bit q: direction q comes from an interpolated wall */
  const uint32_t *first;     /* [ports] of its links */
  const int32_t *tile;       /* [ports] its tile's number among those with links; -1: none */
  const ht_inner_link *link; /* in the order of the directions */
  void *slip;                /* of each of these, a copy: the step changes the links' own */
  int64_t count;             /* of these */
};

struct ht_device_ports {
  const ht_port_node *node;  /* [count] */
  const uint32_t *addresses; /* [count][HT_PORT_ADDRESSES][directions] */
  const double *shape;       /* of the modes, see ht_lattice_tables */
  int64_t count;
  int a_warp;            /* in a step: 1 or PORTS_A_WARP */
  uint32_t first_beside; /* of blocks.h */
  ht_inner_links inner;
  ht_device_walls walls;
  int slips_follow; /* in this step */
};

/* Data that a lane reads of the constant tables, before it waits for the launches before. */
struct ht_port_lane {
  uint32_t from, inside; /* addresses, along the lane's direction */
  int32_t tile;          /* of the node inside: its number among those with links; -1: none */
  int follows;           /* 1: an interpolated wall of that node */
  uint32_t place;        /* of the link among the inner ones */
  ht_inner_link link;
};

template <int Q>
HT_INLINE ht_port_lane ht_find_port_lane(const ht_device_ports &ports, int64_t p, uint32_t lane) {
  const uint32_t *at = ports.addresses + HT_PORT_ADDRESSES * Q * p + (lane < Q ? lane : 0);
  ht_port_lane found = {at[HT_PORT_FROM * Q], at[HT_PORT_INSIDE * Q], -1, 0, 0, {}};
  if (!ports.walls.list_tile) return found;
  found.tile = ports.inner.tile[p];
  const uint32_t word = ports.inner.word[p];
  found.follows = lane > 0 && (word >> lane) & 1;
  if (!found.follows) return found;
  found.place = ports.inner.first[p] + (uint32_t)__popc(word & ((1u << lane) - 2));
  found.link = ports.inner.link[found.place];
  return found;
}

/* Returns the value that arrives at the node inside along the lane's direction: `inside` is the
 * half-way value, the result is as the step has it. */
template <class S, class R>
HT_INLINE R ht_follow_inner(const S *source, const ht_device_ports &ports, const ht_port_lane &of,
                            uint32_t lane, R inside) {
  if (of.tile >= 0 && lane == 0) inside -= (R)ports.walls.taken[of.tile];
  if (!of.follows) return inside;
  const R other = ht_load(source + of.link.other);
  R slip = ((const R *)ports.inner.slip)[of.place];
  if (ports.slips_follow) {
    slip = HT_FOLLOW_SLIP(slip, ht_read_asked_slip(source, of.link.slip));
    ((R *)ports.inner.slip)[of.place] = slip;
  }
  return inside + ((R)of.link.weight * (other - inside) + slip);
}

/* Finds the prescribed values of a port, by its warp. */
HT_INLINE ht_port_asked ht_ask_by_warp(const ht_device_ports &ports, int64_t p, uint32_t lane,
                                       const double *coefficient) {
  ht_port_asked asked = ht_port_ask_part(ports.node + p, coefficient, ports.shape, (int)lane, 32);
  asked.speed = ht_warp_total(asked.speed);
  for (int a = 0; a < 2; a++) asked.slope[a] = ht_warp_total(asked.slope[a]);
  return asked;
}

/* The values that a port's node has next, in place of those that arrive there. */
template <int model, class R, int Q>
HT_INLINE void ht_renew_port(const ht_port_node *port, ht_port_asked asked, const ht_rate &rate,
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

/* Room of a group that finds ports. */
template <class R, int Q, int PORTS> struct ht_port_room {
  R arriving[PORTS][Q], inner[PORTS][Q];
  ht_port_asked prescribed[PORTS];
};

/* That of a step's, in dynamic shared memory. */
template <class R, int Q> using ht_step_room = ht_port_room<R, Q, PORT_WARPS * PORTS_A_WARP>;

/* A group of ports: their next values from the state before the step. The prescribed values are
 * read first: they were copied before the first of the launches that overlap. */
template <class S, int model>
HT_INLINE void ht_step_ports(const S *source, S *target, const ht_device_ports &ports,
                             const double *coefficient, unsigned group, const ht_rate &rate) {
  typedef typename ht_stored<S>::real R;
  constexpr int Q = HT_MODEL_DIRECTIONS(model);
  extern __shared__ double ht_dynamic_room[];
  ht_step_room<R, Q> &room = *(ht_step_room<R, Q> *)ht_dynamic_room;
  const int warp = threadIdx.x / 32, q = threadIdx.x % 32, mine = threadIdx.x;
  const int own = warp * ports.a_warp, all = PORT_WARPS * ports.a_warp;
  const int64_t first = (int64_t)group * all, left = ports.count - first;
  for (int i = own; i < own + ports.a_warp; i++) {
    ht_port_lane of = {};
    if (i < left) {
      const ht_port_asked asked = ht_ask_by_warp(ports, first + i, q, coefficient);
      if (q == 0) room.prescribed[i] = asked;
      of = ht_find_port_lane<Q>(ports, first + i, q);
    }
    ht_let_next_begin();
    ht_wait_for_launch_before();
    if (i < left && q < Q) {
      const R inside = ht_load(source + of.inside);
      room.inner[i][q] = ht_follow_inner<S, R>(source, ports, of, q, inside);
      room.arriving[i][q] = ht_load(source + of.from);
    }
  }
  __syncthreads();
  if (mine < all && mine < left)
    ht_renew_port<model, R, Q>(ports.node + first + mine, room.prescribed[mine], rate,
                               room.inner[mine], room.arriving[mine]);
  __syncthreads();
  for (int i = own; i < own + ports.a_warp; i++)
    if (i < left && q < Q)
      ht_store(target + ht_address_beside(ports.first_beside, Q, first + i, q),
               room.arriving[i][q]);
}

/* Work done next to the blocks of a step, by the launch's first groups: the ports' nodes, then the
 * shares of the walls' mass. */
struct ht_beside_blocks {
  unsigned port_groups, groups; /* the first of them have ports */
  ht_device_ports ports;
  ht_share_tables share;
  const double *coefficient;
};

/* A function of its own: the registers of a step's kernel are those that its blocks need. */
template <class S, int model>
static __noinline__ __device__ void
ht_step_beside(const S *source, S *target, const ht_beside_blocks &beside, const ht_rate &rate) {
  if (blockIdx.x < beside.port_groups)
    ht_step_ports<S, model>(source, target, beside.ports, beside.coefficient, blockIdx.x, rate);
  else
    ht_share_by_group(beside.share, blockIdx.x - beside.port_groups);
}

/* Copies between the ports' own values and those of their blocks; before steps also the slips. */
template <class S>
__global__ void ht_copy_ports(S *values, ht_device_ports ports, int directions, int from_blocks) {
  typedef typename ht_stored<S>::real R;
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  ht_let_next_begin();
  ht_wait_for_launch_before();
  if (from_blocks && i < ports.inner.count)
    ((R *)ports.inner.slip)[i] = ((const R *)ports.walls.slip)[ports.inner.link[i].link];
  if (i >= directions * ports.count) return;
  const int64_t p = i / directions;
  const int q = (int)(i % directions);
  S *beside = values + ht_address_beside(ports.first_beside, directions, p, q);
  S *there = values + ports.addresses[(HT_PORT_ADDRESSES * p + HT_PORT_OWN) * directions + q];
  if (from_blocks)
    *beside = *there;
  else
    *there = *beside;
}

/* Finds the flow of each port node, as port_flow() of backend_cpu.c. */
template <class S>
__global__ void ht_port_flows(const S *values, ht_device_ports ports, int directions,
                              double *flow) {
  int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= ports.count) return;
  double sum = 0;
  const uint32_t *at = ports.addresses + HT_PORT_ADDRESSES * directions * p;
  for (int q = 1; q < directions; q++)
    if ((ports.node[p].flow_links >> q) & 1)
      sum += (double)ht_load(values + at[HT_PORT_OWN * directions + q]) -
             (double)ht_load(values + at[HT_PORT_FROM * directions + ht_opposite(q)]);
  flow[p] = sum;
}

#endif

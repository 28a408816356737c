/* The functions of a backend (CPU, CUDA) and the tables that it works from. Private to solver/.
 *
 * At this interface distribution functions are [tiles][directions][64], node x + 4 y + 16 z of a
 * tile; each backend chooses its own storage. A step pulls, applies walls, interpolates the values
 * of tables->wall_link, collides and writes. It treats port nodes as walls and computes them apart,
 * with their condition. The nodes of a sponge are damped after their collision (damp() of
 * cumulant.h). Where tables->corrected, a step finds the force of diagonal.h, too, and keeps what
 * the next three need of the squares of the velocities, which are 0 at first and after `upload`.
 * Last, where tables->forced, a sweep adds the body force to all fluid nodes (body_force.h). */
#ifndef HT_BACKEND_H
#define HT_BACKEND_H

#include "solver/lattice/interface.h"
#include "solver/lattice/lattice_setup.h"
#include "core/formats/state_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A link whose wall is not half-way: see wall_links.h. Places in [tiles][directions][64]. */
typedef struct {
  int64_t slot;         /* f_p(x), of the value that is replaced before a step */
  int64_t leaving;      /* f_q(x) */
  int64_t near_coming;  /* f_p(x + c_q) */
  int64_t near_leaving; /* f_q(x + c_q); -1: no slip */
  float weight;         /* of f_p(x + c_q), > -1 to 1; below 0: its size that of f_q(x) */
  /* The target of the slip: here (f[leaving] - f[slot]) + near (f[near_leaving] - f[near_coming])
   * + across (f[near_coming] - f[slot]). All four fit into half precision. */
  float here, near, across;
} ht_wall_link;

/* A tile with such links. The mass that they add is taken, in equal parts, from the values of
 * direction 0 of its nodes and those of the neighbouring tiles with links. */
typedef struct {
  int64_t tile, first, links; /* wall_link[first .. first + links - 1] */
  uint64_t nodes;             /* bit of each node that takes part: fluid, no ht_port_node; not 0 */
  int32_t sharing;            /* their number, with those of the tiles around */
  int32_t beside[HT_TILE_NEIGHBOURS]; /* numbers of itself and of those around; -1: none */
} ht_wall_tile;

/* A node of a sponge: after its collision it keeps a part of its deviation, see damp() of
 * cumulant.h. */
typedef struct {
  int64_t node; /* tile * 64 + local */
  float keep;
} ht_sponge_node;

/* Kinds of data that cross from one rank to another after each step, and their places: values in
 * [tiles][directions][64]; the mass that the walls of a tile have added, by number of wall tile;
 * what the next step needs of diagonal.h's squares (CPU: those of the last one; CUDA: w of the
 * next), in [tiles][3][64]. */
typedef enum { HT_CROSS_VALUES = 0, HT_CROSS_MASS, HT_CROSS_SQUARES, HT_CROSS_KINDS } ht_cross_kind;

typedef struct {
  ht_cross_kind kind;
  int64_t first, count; /* in `place` */
  int64_t offset;       /* of its first byte in a buffer */
} ht_border_section;

/* The border of a part with its peers, one peer's sections after the other's. */
typedef struct {
  int sections;
  ht_border_section *section;
  int64_t places, bytes; /* bytes: of a buffer */
  int64_t *place;
} ht_border;

/* Exchange with a peer: places in the buffers of the borders. */
typedef struct {
  int32_t rank;
  int64_t send, send_size, receive, receive_size;
} ht_part_peer;

typedef struct {
  const ht_tiling *tiling;
  int64_t own_tiles; /* the first of them, which are stepped and watched. The others are the border
                        of a rank's part: their values come from other ranks (border, below) */
  const ht_border *send; /* of such a part: what others read of it; NULL: a whole lattice */
  int on_gpu;            /* 1: the ranks' parts are of the CUDA backend; else of the CPU's */
  double omega;          /* 1 / tau, where it is the same everywhere */
  double *rate;          /* else omega of a node, see relax_table.h; NULL: the same everywhere */
  float *rate_single;    /* the same in single precision */
  double cumulant[HT_CUMULANT_RATES]; /* of the model cumulant: every rate, see cumulant.h */
  ht_precision precision;
  int model;      /* see model.h */
  int directions; /* of the model's velocity set: 19 or 27 */
  ht_step_kind step_kind;
  const int32_t
      *neighbour; /* [tiles][27] as the tiling's, periodic along the setup's periodic axes */
  int threads;
  int compact; /* see ht_lattice_setup */
  int64_t ramp_steps;
  uint32_t *links; /* [tiles][64] bit q: direction q comes from a wall (or the node is solid);
                      bit 0: the node is fluid */
  int ports;
  int64_t port_nodes;
  ht_port_node *port_node;            /* [port_nodes], sorted by node, each node once */
  int64_t wall_links, half_way_links; /* interpolated; half-way because the gap has one node */
  ht_wall_link *wall_link;            /* [wall_links], sorted by slot */
  int64_t sponge_nodes;
  ht_sponge_node *sponge_node; /* [sponge_nodes], sorted by node; those of ports have port_node.keep
                                  instead */
  int64_t shapes;
  double *shape;          /* [shapes] of each port in turn [modes - 1][nodes][HT_MODE_VALUES] */
  uint64_t *corrected;    /* [tiles] bit n: the force of diagonal.h acts at node n; NULL: nowhere */
  double diagonal_factor; /* of that force */
  const uint64_t *outer;  /* [tiles] bit n: another level sets node n after each step; NULL: none */
  const uint64_t *own;    /* [tiles] bit n: node n is this level's alone; NULL: all are */
  const uint64_t *balanced; /* [tiles] bit n: node n gives back what interfaces gain; as `own` */
  int forced;               /* 1: a body force acts */
  double acceleration[3];   /* of it */
  int columns;              /* coefficients of a step: the ramp's share, then those of `drive` */
  ht_drive drive;
  void *drive_user;
  int64_t wall_tiles;
  ht_wall_tile *wall_tile; /* [wall_tiles], sorted by tile */
} ht_lattice_tables;

/* Data read of a few nodes: places in [tiles][directions][64], of fluid nodes; numbers of wall
 * links, for their slips. */
typedef struct {
  int64_t values, links;
  int64_t *place; /* [values] */
  int64_t *link;  /* [links] */
} ht_marked_values;

/* Bytes of a tile's values at this interface. */
static inline size_t ht_tile_bytes(const ht_lattice_tables *tables) {
  return (size_t)HT_TILE_VALUES(tables->directions) *
         (tables->precision == HT_FP64 ? sizeof(double) : sizeof(float));
}

/* Bytes of a place: a value as it is stored; double; single precision, or double in fp64. */
static inline int64_t ht_cross_bytes(ht_precision precision, ht_cross_kind kind) {
  if (kind == HT_CROSS_VALUES) return precision == HT_FP16 ? 2 : precision == HT_FP64 ? 8 : 4;
  return kind == HT_CROSS_MASS || precision == HT_FP64 ? 8 : 4;
}

/* Bytes of a section: up to a multiple of 8. */
static inline int64_t ht_cross_list_bytes(ht_precision precision, ht_cross_kind kind,
                                          int64_t places) {
  return (places * ht_cross_bytes(precision, kind) + 7) / 8 * 8;
}

/* Makes values of the wanted tiles, of the interface's type and zeros before. */
typedef struct {
  void (*fill)(void *user, const int32_t *place, void *values);
  void *user;
  const int32_t *place; /* [tiles] number of each in `values`; -1: not wanted; NULL: all */
  int has_walls;        /* 1: walls are interpolated in these values */
} ht_filler;

/* Looks at the tiles [first, first + count), each once, in any order and from several threads. */
typedef struct {
  int64_t first, count;
  int has_viscosity; /* 1: their viscosity is wanted, too */
  ht_visit_tile visit;
  void *user;
} ht_visitor;

/* Message of a rank to a peer, so that the two exchange without their hosts; each backend's own. */
typedef struct {
  char bytes[256];
} ht_offer;

typedef struct {
  double difference2, speed2; /* sum |u - u_last|^2, sum |u|^2 */
  double max_speed2;          /* NaN where any value is not finite */
} ht_backend_change;

/* The functions of a backend, in lattice units. Unless a comment says otherwise, each returns
 * HT_ERR_DEVICE where the device fails and HT_ERR_MEMORY where memory is short. coefficient:
 * [columns] of the present step. */
typedef struct {
  /* ---- REQUIRED ---- */

  /* Allocates a state, fluid at rest. `tables` is borrowed until destroy. device: its name. */
  ht_status (*create)(const ht_lattice_tables *tables, void **state, char device[128]);
  /* Frees a state; NULL: nothing. */
  void (*destroy)(void *state);
  /* Does the steps first, first + 1, ... first + count - 1, with those of finer levels (couple). */
  ht_status (*step)(void *state, int64_t first, int64_t count);
  /* Measures the change of the velocity since the last call (0 at first). */
  ht_status (*watch)(void *state, ht_backend_change *change);
  /* Measures the volume a step through the link plane between each port node and the node inside,
   * positive inward: [port_nodes]. */
  ht_status (*port_flow)(void *state, double *flow);
  /* Takes the new values of tables->port_node and of tables->shape. */
  ht_status (*reload_ports)(void *state);
  /* Takes the new tables->acceleration; called only where tables->forced. */
  ht_status (*reload_force)(void *state);
  /* Sums c g over all fluid nodes, as the last step has written them. */
  ht_status (*momentum)(void *state, double momentum[3]);
  /* Shows the present fields, after `step`, of the wanted tiles. A later call with the same step
   * may show the fields of the earlier one; one without tiles prepares for that. */
  ht_status (*visit)(void *state, int64_t step, const double *coefficient,
                     const ht_visitor *visitor);
  /* Replaces the values, after `step`, by as many calls of `filler` as the backend has places. The
   * slips at walls stay. */
  ht_status (*fill)(void *state, int64_t step, const ht_filler *filler);
  /* Chooses `count` fluid nodes (tile * 64 + local) in place of those chosen before. */
  ht_status (*mark)(void *state, int64_t count, const int64_t *node);
  /* Reads the present fields of these nodes: [count]. */
  ht_status (*read_marked)(void *state, const double *coefficient, ht_lattice_fields *fields);
  /* Moves all that the next step and the next `watch` need to a stream, or from it: bit for bit, in
   * the backend's own storage. A load needs a state of the same tables and the same kind of device;
   * the tables' own values (ports) are the caller's. These are the values as stored, the velocities
   * of the last `watch`, the slips and the mass at walls, and what diagonal.h needs of the steps
   * before; values that a step finds again are not moved. HT_ERR_FORMAT: of other tables. */
  ht_status (*transfer)(void *state, ht_state *stream);
  /* Measures the memory of the device in use, registers, occupancy. */
  void (*measure_cost)(const void *state, ht_lattice_cost *cost);

  /* ---- OPTIONAL: a device that finds fields while it steps (both or NULL) ---- */

  /* Keeps the fields of the present state, after `step`, for show(). `stays`: 1: does not wait for
   * them, and the next steps may begin. Of a rank's part, all ranks call it (host_image.h). */
  ht_status (*keep)(void *state, int64_t step, int stays);
  /* Shows the kept fields of the wanted tiles, without the viscosity; may be called by another
   * thread. Until then no values are moved to or from the host but those of read_marked(). */
  ht_status (*show)(void *state, const ht_visitor *visitor);

  /* ---- OPTIONAL: parts of a lattice on several ranks (all six or NULL) ---- */

  /* Measures the change of each own tile: [own_tiles]; ht_change_sum() of these is what `watch`
   * gives. */
  ht_status (*watch_tiles)(void *state, ht_backend_change *of_tile);
  /* Sets what pack() sends and unpack() receives, and the peers' shares of it; borrowed until
   * destroy. */
  ht_status (*border)(void *state, const ht_border *send, const ht_border *receive,
                      const ht_part_peer *peer, int64_t peers);
  /* Begins a step with the tiles that pack() sends of; step_rest() does the others, while that
   * travels. */
  ht_status (*step_edge)(void *state, int64_t step);
  ht_status (*step_rest)(void *state);
  /* Packs to a buffer of the border's bytes, after step_edge() or new values; unpacks from one,
   * after step_rest() or new values. */
  ht_status (*pack)(void *state, void *bytes);
  ht_status (*unpack)(void *state, const void *bytes);

  /* ---- OPTIONAL: parts that exchange without their hosts (all six or NULL) ---- */

  /* Gives the message for each peer: [peers]. */
  ht_status (*offer)(void *state, ht_offer *offer);
  /* Links with the peers by their offers: from now on step() exchanges what crosses, and so does
   * exchange(), after new values. A failure leaves the state as it was. */
  ht_status (*link)(void *state, const ht_offer *offer);
  /* Names a link by a library that all ranks join (NCCL); one of them passes the name on to all.
   * NULL: tells only whether it can be used here. */
  ht_status (*name)(ht_offer *name);
  /* Links by that library instead. */
  ht_status (*join)(void *state, const ht_offer *name, int rank, int ranks);
  /* Exchanges the present border. */
  ht_status (*exchange)(void *state);
  /* Ends the link; then the peers wait for each other before destroy. */
  void (*unlink)(void *state);

  /* ---- OPTIONAL: levels (all four or NULL) ---- */

  /* Couples two states of this backend and one precision, fp32 or fp64, by their interface, which
   * is borrowed until decouple(); so are the states. A step of the coarse one then is all of
   * interface.h, and the fine one has no steps of its own: step s has its steps 2 s and 2 s + 1. */
  ht_status (*couple)(void *coarse, void *fine, const ht_interface *lists, void **coupling);
  /* Frees it; NULL: nothing. */
  void (*decouple)(void *coupling);
  /* Moves what the next exchanges need to a stream, or from it; the levels' values are theirs. */
  ht_status (*transfer_levels)(void *coupling, ht_state *stream);
  /* Returns the mass that is owed, in nodes of the fine level. */
  ht_status (*owed_levels)(void *coupling, double *mass);

  /* ---- OPTIONAL: a backend of several ranks ---- */

  /* Returns why their GPUs exchange by the host; "": they do not. Owned by the state. */
  const char *(*by_host)(const void *state);
  /* 1: needs no links and walls of the tables after create(): each rank has those of its part. */
  int drops_walls;
} ht_backend;

extern const ht_backend ht_backend_cpu;
extern const ht_backend ht_backend_cuda;
/* One of the first two on each rank, see solver/ranks/. */
extern const ht_backend ht_backend_ranks;
extern const ht_backend ht_backend_gpu_ranks;

/* Marks the own tiles of a part that others read of, its edge: is_edge[own_tiles], zeros before. */
void ht_border_mark(const ht_lattice_tables *tables, const ht_border *send, uint8_t *is_edge);

/* Adds the changes in the order of the tiles, so that the sum does not depend on threads or
 * ranks. */
void ht_change_sum(const ht_backend_change *of_tile, int64_t tiles, ht_backend_change *change);

/* Shows the tables that a lattice of this setup would have, without its device and its values. What
 * `look` returns, or a failure as ht_lattice_create(). */
ht_status ht_lattice_look(const ht_lattice_setup *setup,
                          ht_status (*look)(void *user, const ht_lattice_tables *tables),
                          void *user);

/* Number of the port node at a node (tile * 64 + local); -1: there is none. */
int64_t ht_find_port_node(const ht_lattice_tables *tables, int64_t node);

/* The fluid node `distance` (-4 to 4) nodes along an axis from another; -1: there is none. */
int64_t ht_node_along(const ht_lattice_tables *tables, int64_t node, int axis, int distance);

/* Tells whether a node is an outer one of a level. */
static inline int ht_is_outer(const ht_lattice_tables *tables, int64_t node) {
  return tables->outer && (int)(tables->outer[node / HT_TILE_NODES] >> (node % HT_TILE_NODES) & 1);
}

/* Share of the inflow at a step: a half cosine from 0 to 1 over the ramp, so that the start emits
 * little sound. */
double ht_inflow_share(int64_t step, int64_t ramp_steps);

/* All coefficients of a step: [columns]. */
void ht_drive_fill(const ht_lattice_tables *tables, int64_t step, double *coefficient);

#ifdef __cplusplus
}
#endif
#endif

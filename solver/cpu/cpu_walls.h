/* Interpolated walls on the CPU, see wall_links.h: the tables of a tile's links in the order in
 * which its step takes them, and a few links outside of it. Private to solver/cpu/.
 *
 * A tile's step interpolates after it has pulled the tile: with half-way bounce-back f_p(x) arrives
 * from the wall, and f_p(x + c_q) from the other side. So no value in memory changes. */
#ifndef HT_CPU_WALLS_H
#define HT_CPU_WALLS_H

#include "solver/lattice/backend.h"
#include "solver/kernels/half.h"

/* Location of a tile's value: its block, or a part of a copy; the upper bits of a place. */
enum { HT_CPU_BLOCK, HT_CPU_MAIN, HT_CPU_UP, HT_CPU_DOWN };
enum { HT_CPU_PART = 12, HT_CPU_PLACE = (1 << HT_CPU_PART) - 1 };

/* The place in a block of the opposite direction of the same node. */
#define HT_CPU_OPPOSITE(place) (64 * ht_opposite((place) / 64) + (place) % 64)

/* A link. In the block half-way bounce-back has left f_p(x) where direction q comes from the wall,
 * and the pull f_p(x + c_q) where direction p does. */
typedef struct {
  uint16_t own;   /* place of what arrives along q, in the block */
  uint16_t other; /* place of f_p(x + c_q), or of f_q(x) in a copy */
} ht_cpu_link;

/* The target of a slip, see ht_wall_link; all coefficients 0: no slip. They fit into half
 * precision. */
typedef struct {
  int64_t near_leaving; /* place in a copy, any of the lattice's where there is no slip */
  ht_half here, near, across;
  uint16_t leaving; /* place of f_q(x) */
} ht_cpu_slip_rule;

/* A tile with links. */
typedef struct {
  int64_t first, links;               /* its first link, and their number */
  uint64_t nodes;                     /* those that share the mass */
  double part;                        /* 1 / the number of nodes that share the mass of its links */
  int32_t beside[HT_TILE_NEIGHBOURS]; /* as in ht_wall_tile; wall_tiles where there is none */
} ht_cpu_wall_tile;

/* A link of the node inside of a port: the port's condition needs the value that arrives. */
typedef struct {
  int64_t link;
  int q; /* the direction that arrives */
} ht_cpu_inner_link;

/* Number of links before its turn at which a link, a rule and the value of `near_leaving` are
 * prefetched. */
enum { HT_CPU_LINKS_FETCHED = 192, HT_CPU_RULES_FETCHED = 64, HT_CPU_RULES_AHEAD = 24 };

/* Links in the order of ht_lattice_tables.wall_link: by tile, p, node. */
typedef struct {
  int32_t *slot; /* [tiles] number in `tile`; -1: no links */
  ht_cpu_wall_tile *tile;
  ht_cpu_link *link;      /* [links] */
  float *weight;          /* [links] of the other value, 0 to 1 */
  void *slip;             /* [links] float, or double in fp64 */
  ht_cpu_slip_rule *rule; /* [links + HT_CPU_RULES_AHEAD] */
  /* [wall_tiles + 1] mass a sharing node, of this step, of the last one and of that before, which
   * this step takes; the last is 0 */
  double *given, *given_last, *given_before;
  int follow;           /* 1: the slip is followed in this step */
  int64_t *inner_first; /* [port_nodes + 1] in `inner`, of each port's node */
  ht_cpu_inner_link *inner;
  int32_t *inner_tile; /* [port_nodes] number in `tile` of the node inside; -1: none */
} ht_cpu_walls;

/* All of tables->wall_link; nothing where there are none. HT_ERR_MEMORY. The caller frees. */
ht_status ht_cpu_walls_build(const ht_lattice_tables *tables, ht_cpu_walls *walls);
void ht_cpu_walls_free(ht_cpu_walls *walls);

/* Prepares for step number `step`. */
void ht_cpu_walls_begin(ht_cpu_walls *walls, int64_t step);

/* The slip of link i. */
double ht_cpu_wall_slip(const ht_lattice_tables *tables, const ht_cpu_walls *walls, int64_t i);

/* Interpolates, after the tiles' step, the values `inside` that arrive at the node inside of port
 * node p; left: that node's own values. Both [directions]. */
void ht_cpu_walls_reach_port(const ht_lattice_tables *tables, const ht_cpu_walls *walls, int64_t p,
                             const double *left, double *inside);

/* Memory of a link. */
int64_t ht_cpu_wall_link_bytes(const ht_lattice_tables *tables);

#endif

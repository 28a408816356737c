/* Interpolated walls on the CPU, see wall_links.h: the tables of a tile's links in the order in
 * which its step takes them, and a few links outside of it. Private to solver/cpu/.
 *
 * A tile's step interpolates after it has pulled the tile: with half-way bounce-back f_p(x) arrives
 * from the wall, and f_p(x + c_q) from the other side. So no value in memory changes. */
#ifndef HT_CPU_WALLS_H
#define HT_CPU_WALLS_H

#include "backend.h"

/* Planes (16 nodes of one z) of the values that come from a wall: number 4 (p - 1) + z. */
enum { HT_CPU_PLANES = 4 * (HT_Q_MOST - 1) };

/* A plane of a tile in a copy: `part` 0, 1, 2: main, up, down of ht_cpu_parts. */
typedef struct {
  int32_t part, plane;
} ht_cpu_plane_place;

/* Where such a plane finds its values: f_p(x), which comes back, and f_q(x) in a copy; what arrives
 * along q from the wall, and along p from x + c_q, in a tile's block. */
typedef struct {
  ht_cpu_plane_place back, leaving;
  int32_t own, coming;
} ht_cpu_wall_plane;

/* A plane with walls; bit n: node n of its 16. */
typedef struct {
  uint16_t number;
  uint16_t walls; /* 0 only after the last plane of a tile */
  uint16_t links; /* those of them that are interpolated */
  uint16_t fluid; /* 0: these walls are those of solid nodes alone */
} ht_cpu_plane_walls;

/* A tile with links. */
typedef struct {
  int64_t first;                      /* its first link */
  int64_t first_plane;                /* of its ht_cpu_plane_walls: all of its walls */
  uint64_t nodes;                     /* those that share the mass */
  double part;                        /* 1 / the number of nodes that share the mass of its links */
  int32_t beside[HT_TILE_NEIGHBOURS]; /* as in ht_wall_tile; wall_tiles where there is none */
} ht_cpu_wall_tile;

/* A link of the node inside of a port: the port's condition needs the value that arrives. */
typedef struct {
  int64_t link;
  int q; /* the direction that arrives */
} ht_cpu_inner_link;

/* For the target of a slip, see ht_wall_link. */
typedef struct {
  float here, near, across;
} ht_cpu_slip_rule;

/* Links in the order of ht_lattice_tables.wall_link: by tile, p, node. weight and slip have a
 * plane's entries more than links, so that whole planes are read. */
typedef struct {
  int32_t *slot; /* [tiles] number in `tile`; -1: no links */
  ht_cpu_wall_tile *tile;
  ht_cpu_plane_walls *plane; /* tile by tile */
  ht_cpu_wall_plane at[HT_CPU_PLANES];
  float *weight;          /* of ht_wall_link */
  void *slip;             /* float, or double in fp64 */
  int64_t *near_leaving;  /* [links] place in a copy, any of the lattice's where there is no slip */
  ht_cpu_slip_rule *rule; /* [links] all 0: no slip */
  double *given_last, *given; /* [wall_tiles + 1] mass a sharing node, of the last step and of this
                                 one; the last is 0 */
  int follow;                 /* 1: the slip is followed in this step */
  int64_t *inner_first;       /* [port_nodes + 1] in `inner`, of each port's node */
  ht_cpu_inner_link *inner;
  int32_t *inner_tile; /* [port_nodes] number in `tile` of the node inside; -1: none */
} ht_cpu_walls;

/* All of tables->wall_link; nothing where there are none. HT_ERR_MEMORY. The caller frees. */
ht_status ht_cpu_walls_build(const ht_lattice_tables *tables, ht_cpu_walls *walls);
void ht_cpu_walls_free(ht_cpu_walls *walls);

/* Before step number `step`. */
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

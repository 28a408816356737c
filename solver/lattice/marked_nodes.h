/* A few nodes whose fields are read without the rest of the lattice: the values that their fields
 * are made of. Private to solver/.
 *
 * The fields of a node are those of the values that arrive at it, at a port's node with its
 * condition, which also takes what arrives at the node inside. Of interpolated walls
 * (wall_links.h) it needs the links of the tiles of these nodes, and for the mass that these
 * tiles give those of the tiles around them. */
#ifndef HT_MARKED_NODES_H
#define HT_MARKED_NODES_H

#include "solver/lattice/backend.h"

/* Zeroed: none. All arrays are owned. */
typedef struct {
  int64_t nodes;
  int64_t *node;            /* [nodes] tile * 64 + local, as they were given */
  ht_marked_values of;      /* what the backend reads, each value and link once */
  int64_t tiles, own_tiles; /* tiles with links; the first of them have a node of these */
  int32_t *tile;            /* [tiles] numbers among those with links */
  double *read;             /* [of.values + of.links] room */
} ht_marked_nodes;

/* Lists what the fields of `count` fluid nodes need. also: [also_tiles] further tiles with links,
 * by number, whose mass others ask for. HT_ERR_MEMORY; free it anyway. */
ht_status ht_marked_nodes_find(const ht_lattice_tables *tables, int64_t count, const int64_t *node,
                               int64_t also_tiles, const int64_t *also, ht_marked_nodes *marked);
void ht_marked_nodes_free(ht_marked_nodes *marked);

/* Puts marked->read, from the backend, into `values` ([tiles][directions][64], float, or double in
 * fp64) and `slip` ([wall_links]), and replaces the values at walls; `given`: room for
 * [wall_tiles]. Then the mass is shared out, when given[] of a rank's border has come. Other values
 * are undefined afterwards. */
void ht_marked_nodes_place(const ht_lattice_tables *tables, const ht_marked_nodes *marked,
                           double *slip, double *given, void *values);
void ht_marked_nodes_share(const ht_lattice_tables *tables, const ht_marked_nodes *marked,
                           const double *given, void *values);

#endif

/* Density, velocity and stress of a node from the values that arrive at it, and the values from
 * these. Private to solver/. */
#ifndef HT_NODE_FIELDS_H
#define HT_NODE_FIELDS_H

#include "solver/lattice/backend.h"
#include "solver/lattice/node_state.h"

/* Data that nodes are read from. */
typedef struct {
  const ht_lattice_tables *tables;
  const void *values;        /* [tiles][directions][64], float, or double in fp64; walls applied */
  const double *coefficient; /* [columns] of the ports */
} ht_node_reader;

/* Returns ht_lattice_mass(). */
double ht_node_mass(const ht_lattice_tables *tables, double density);

/* Fields of a node at place `out` of the arrays: of the state after the last step, propagated and
 * with its boundaries applied. 0 where it is solid. */
void ht_node_read(const ht_node_reader *reader, int64_t tile, int local, int64_t out,
                  ht_lattice_fields *fields);

/* Reads the fields of a tile, [64]; whole arrays of one tile. */
void ht_tile_read(const ht_node_reader *reader, int64_t tile, ht_lattice_fields *fields);

/* The inverse: the values, where the next step pulls them, of the states of all nodes; has_stress
 * 0: in equilibrium. place: [tiles] number in `values` of each tile that is wanted, -1: it is not;
 * NULL: all, as they are. Walls are not undone. Reads tiling, neighbours and sponge of the tables,
 * not their walls. */
void ht_nodes_spread(const ht_lattice_tables *tables, ht_node_source source, void *user,
                     int has_stress, const int32_t *place, void *values);

#endif

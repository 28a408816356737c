/* The state that a node begins with. */
#ifndef HT_NODE_STATE_H
#define HT_NODE_STATE_H

#include <stdint.h>

/* Lattice units, as in ht_lattice_fields. */
typedef struct {
  double density, velocity[3], stress[6];
} ht_node_state;

/* Gives the state of a fluid node, tile * 64 + local; `state` is at rest before. Called for several
 * nodes at a time, and for some of them more than once. */
typedef void (*ht_node_source)(void *user, int64_t node, ht_node_state *state);

#endif

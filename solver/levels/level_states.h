/* The states that one level gives to the interface of two. Private to solver/levels/. */
#ifndef HT_LEVEL_STATES_H
#define HT_LEVEL_STATES_H

#include "solver/lattice/interface.h"
#include "solver/levels/level_region.h"

/* The voxels with a margin of two around the box, so that a state beside it has a place. */
typedef struct {
  const ht_level_region *region;
  int is_coarse;   /* 1: outer nodes of the finer level have states, too: those of the blocks */
  int32_t *number; /* [nz + 4][ny + 4][nx + 4] of each state; HT_STATE_NONE */
  ht_level_states *states;
} ht_state_map;

enum { HT_STATE_NONE = -1 };

/* Begins a map without states. HT_ERR_MEMORY. */
ht_status ht_state_map_begin(const ht_level_region *region, int is_coarse, ht_level_states *states,
                             ht_state_map *map);
void ht_state_map_free(ht_state_map *map);

/* Asks for the state at a place. HT_ERR_USAGE where neither of the two levels has it. */
ht_status ht_state_map_want(ht_state_map *map, const int at[3]);

/* Numbers all states that were asked for, and those that they are extrapolated from; fills the
 * map's ht_level_states. Blocks in the order of the
 * tiles. HT_ERR_USAGE: nothing to extrapolate
 * from, HT_ERR_MEMORY. */
ht_status ht_state_map_number(ht_state_map *map, const ht_tiling *tiling);

/* The number of the state at a place. */
int32_t ht_state_map_at(const ht_state_map *map, const int at[3]);

#endif

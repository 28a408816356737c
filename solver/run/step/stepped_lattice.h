/* The lattice of a run, which may have levels of several spacings. Private to solver/. */
#ifndef HT_STEPPED_LATTICE_H
#define HT_STEPPED_LATTICE_H

#include "solver/run/step/solve_run.h"

/* The lattice of one spacing. */
typedef struct {
  ht_lattice *lattice;
  const ht_tiling *tiling;
  const uint64_t *nodes; /* [tiles] bits: those whose flow it is */
  double volume;         /* of a node, that of a coarsest one 1 */
} ht_stepped_level;

/* Fills the levels of a run, from the coarsest; returns their number. */
int ht_stepped_levels(const ht_solve_run *run, ht_stepped_level level[HT_LEVELS_MOST]);

/* Does steps of the coarsest level. HT_ERR_DEVICE. */
ht_status ht_stepped_advance(ht_solve_run *run, int64_t steps);

/* Measures the change of the velocity a step and the largest speed: those of the level where each
 * is largest. HT_ERR_DEVICE. */
ht_status ht_stepped_watch(ht_solve_run *run, ht_lattice_monitor *seen);

/* Keeps the present state (ht_lattice_keep), and reads it into the results' flow. */
ht_status ht_stepped_keep(ht_solve_run *run, int stays);
ht_status ht_stepped_take(ht_solve_run *run, double reference_pa);

/* Returns the node updates of a step. */
double ht_stepped_updates(const ht_solve_run *run);

/* Moves the whole state to a stream, or from it: ht_lattice_transfer(). */
ht_status ht_stepped_transfer(ht_solve_run *run, ht_state *stream);

/* Returns the opening nodes that are read from a level's lattice alone: those of its ports. */
ht_opening_nodes *ht_stepped_openings(ht_solve_run *run, int level);

#endif

/* Tells whether the slow parts of a vessel have come to rest, too. Private to solver/.
 *
 * The change of the whole flow (ht_lattice_watch) is that of its fast parts: in a giant sac the
 * blood moves at some per cent of the vessel's speed, takes ten times as long to come to rest, and
 * hardly counts. So the tiles of 4x4x4 nodes are put into classes by the speed of their mean
 * velocity, each half as fast as the one before, and each class has a change of its own: the
 * largest of these is that of the slow parts. It is found on the host, from the fields that every
 * backend gives. */
#ifndef HT_SLOW_PARTS_H
#define HT_SLOW_PARTS_H

#include "solver/run/step/stepped_lattice.h"

typedef struct {
  int64_t step;
  double change; /* as ht_lattice_monitor.change, of the class that changes most */
} ht_slow_moment;

/* The classes and their looks so far. Zeroed: nothing seen yet. */
typedef struct {
  float *velocity; /* [tiles][3] of all levels: mean of each tile's nodes, lattice units, at `step`;
                      owned */
  int64_t step;
  int64_t next; /* no look before this step */
  int looks;
  double left; /* what will still change: of the class that changes most, of its velocity */
  ht_slow_moment first, last, mark; /* looks; mark: against which the change has to fall */
} ht_slow_parts;

/* Looks at the state after `step` steps, at a check, of which there is one every `every` steps.
 * What will still change is the change a step, times the steps in which it falls to a part of e (as
 * the looks before show; not known: all steps so far). *rests: that is at most `most_left`, or the
 * change does not fall any more (by less than a tenth over half as many steps more), as where blood
 * swirls for ever. 0 also where the state of the check before was not seen, or no look is due:
 * after one that finds no rest the next waits for 5 % more steps, as it costs a GPU as much as some
 * hundred steps. HT_ERR_DEVICE, HT_ERR_MEMORY. */
ht_status ht_slow_parts_look(ht_slow_parts *slow, const ht_stepped_level *level, int levels,
                             int64_t step, int64_t every, double most_left, int *rests);

/* Moves the classes to or from a stream. HT_ERR_MEMORY, and the stream's. */
ht_status ht_slow_parts_move(ht_slow_parts *slow, const ht_stepped_level *level, int levels,
                             ht_state *stream);
void ht_slow_parts_free(ht_slow_parts *slow);

#endif

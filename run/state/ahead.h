/* Products of the vessel that need no flow (export_during_flow.h): the path through it, the surface
 * of its wall, and the paths to its outlets. */
#ifndef HT_AHEAD_H
#define HT_AHEAD_H

#include "core/vessel/vessel_path.h"
#include "core/work/side_work.h"
#include "export/wall/wall.h"
#include "run/state/sac_ways.h"

typedef struct {
  ht_vessel_path path; /* through mask and openings; stations 0: not in memory, or none. Owned */
  ht_surface wall; /* of the domain; its load, if any, is of an arbitrary time; points 0: not made.
                      Owned */
  ht_sac_ways *ways;  /* NULL: not made. Owned */
  ht_side_work *side; /* makes these while a GPU computes; NULL: nothing. Owned */
} ht_ahead;

#endif

/* Paths from the inlet to the outlets, along which a sac is searched for. */
#ifndef HT_SAC_WAYS_H
#define HT_SAC_WAYS_H

#include "core/vessel/volume.h"
#include "core/vessel/openings.h"
#include "core/vessel/vessel_path.h"

enum { HT_SAC_WAYS = 12 };

/* One path, to an outlet of its own. */
typedef struct {
  const ht_mask *mask; /* borrowed */
  ht_openings openings;
  ht_vessel_path path; /* owned */
} ht_sac_way;

/* Paths to the other outlets, the widest first (the run's own path leads to the widest of all). */
typedef struct ht_sac_ways {
  ht_sac_way way[HT_SAC_WAYS];
  int ways;
} ht_sac_ways;

/* Frees the paths; NULL is allowed. */
void ht_sac_ways_free(ht_sac_ways *ways);

#endif

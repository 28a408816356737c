/* Distances inside the vessel, and their summits. Private to segment/. */
#ifndef HT_GEODESIC_H
#define HT_GEODESIC_H

#include "segment/shape/flood.h"

/* Lengths of steps to a face, edge and corner neighbour: tenths of a voxel, rounded. */
enum { HT_STEP_FACE = 10, HT_STEP_EDGE = 14, HT_STEP_CORNER = 17 };

/* Distances inside the vessel from voxels, along paths over the 26 neighbours. */
typedef struct {
  const ht_mask *mask; /* borrowed */
  int32_t *place;      /* [voxels] number in `reached`; -1: not reached. Owned */
  uint8_t *coming;  /* [voxels] of the search: 1 + the distance modulo HT_COMING of a voxel that is
                       to be reached; 0: none. Owned */
  ht_stack reached; /* voxels in the order of their distance; owned */
  int32_t *distance_of; /* [reached] tenths of a voxel; owned */
  int64_t room;         /* of `distance_of` */
} ht_geodesic;

enum { HT_COMING = 128 }; /* above twice the longest step */

/* Allocates the search. HT_ERR_MEMORY. Free with ht_geodesic_free, also after a failure. */
ht_status ht_geodesic_make(const ht_mask *mask, ht_geodesic *geodesic);
void ht_geodesic_free(ht_geodesic *geodesic);

/* Runs Dial's algorithm (Commun. ACM 12 (1969) 632) from `seed` (a vessel voxel) up to `limit`; <
 * 0: none. Replaces earlier results. HT_ERR_MEMORY, also where more than 2^31 voxels are
 * reached. */
ht_status ht_geodesic_from(ht_geodesic *geodesic, int64_t seed, int32_t limit);

/* Place farther from the seed than all around it. */
typedef struct {
  int64_t voxel;
  int32_t prominence; /* tenths of a voxel to go back on the way to a farther summit */
} ht_summit;

/* Finds the most prominent summits of the distances, at most `most`, most prominent first; `count`
 * gets their number. Summits less than `least` prominent are left out. HT_ERR_MEMORY. */
ht_status ht_geodesic_summits(const ht_geodesic *geodesic, int32_t least, int most,
                              ht_summit *summits, int *count);

/* Finds those of a voxel's 26 neighbours that are vessel; returns their number. `step` may be
 * NULL. */
int ht_vessel_neighbours(const ht_mask *mask, int64_t voxel, int64_t next[26], int step[26]);

#endif

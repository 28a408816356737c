/* Places where a vessel is narrower than at its openings. */
#ifndef HT_NARROW_PLACE_H
#define HT_NARROW_PLACE_H

#include "core/vessel/openings.h"
#include "core/vessel/volume.h"

/* Least numbers of nodes across a vessel: with fewer than the first every number is coarse; with
 * fewer than the second the wall shear stress is wrong by more than some per cent
 * (export/README.md). */
enum { HT_FEWEST_NODES_ACROSS = 8, HT_WALL_NODES_ACROSS = 16 };

typedef struct {
  const ht_opening *inlet, *outlet; /* borrowed: openings at the ends of its path */
  double across;                    /* lattice nodes */
} ht_narrow_place;

/* Finds the narrowest place on the path from the main inlet to each outlet, where the vessel is
 * clearly narrower than at both ends. Returns their number; 0 also where memory is short. */
int ht_narrow_places(const ht_mask *mask, const ht_openings *openings,
                     ht_narrow_place place[HT_OPENINGS_MAX]);

#endif

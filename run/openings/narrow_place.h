/* Where a vessel is narrower than at its openings. */
#ifndef HT_NARROW_PLACE_H
#define HT_NARROW_PLACE_H

#include "core/vessel/openings.h"
#include "core/vessel/volume.h"

/* With fewer nodes across a vessel than the first every number is coarse; with fewer than the
 * second the wall shear stress is wrong by more than some per cent (export/README.md). */
enum { HT_FEWEST_NODES_ACROSS = 8, HT_WALL_NODES_ACROSS = 16 };

typedef struct {
  const ht_opening *inlet, *outlet; /* borrowed: on the way between them */
  double across;                    /* lattice nodes */
} ht_narrow_place;

/* The narrowest places on the way from the main inlet to each outlet, of those where the vessel is
 * clearly narrower than at both. Returns their number; 0 also where there is no memory for it. */
int ht_narrow_places(const ht_mask *mask, const ht_openings *openings,
                     ht_narrow_place place[HT_OPENINGS_MAX]);

#endif

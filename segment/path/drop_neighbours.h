/* Removes structures that run alongside the vessel. Private to segment/. */
#ifndef HT_DROP_NEIGHBOURS_H
#define HT_DROP_NEIGHBOURS_H

#include "segment/path/way.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Removes from `vessel` the connected pieces outside the way's tube (its radius and 3/4 of a voxel)
 * that run along it: a vessel that touches it for a stretch, or the blurred rim of a bone. Such a
 * piece
 * - touches the tube in one stretch for more than 2.5 of its own thicknesses, or goes on for one of
 *   them along the way on both sides of that stretch, no farther than two radii from the tube (a
 *   branch goes on to one side, a sac to none; branches that join each other far off touch in
 *   several stretches),
 * - and is wider farther from the tube than where it touches, by a quarter, or two thirds of it are
 *   dimmer than 3/4 of blood (a corner of a vessel that is not round is neither),
 * - and is somewhere farther from the tube than half its radius.
 * `field` and `station` are those of ht_flood_vessel. *parted and *parted_ml rise by what is
 * removed. HT_ERR_MEMORY. */
ht_status ht_drop_neighbours(const ht_volume *field, const ht_way *way, const int32_t *station,
                             ht_mask *vessel, int *parted, double *parted_ml);

#ifdef __cplusplus
}
#endif
#endif

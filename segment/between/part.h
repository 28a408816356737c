/* The vessel is parted from what merely touches it. Private to segment/. */
#ifndef HT_PART_H
#define HT_PART_H

#include "way.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes out of `vessel` what is joined to the way only through a narrow place: a second vessel, a
 * vein or a spongy bone that touches. The distance d to the wall of the inner voxels (field above
 * 1/4: a dimmer place between two vessels is such a wall) has a summit in each of them; a part
 * whose d at the saddle towards the way is less than half of that at its summit is another
 * structure. A branch or a sac has no such saddle at its mouth (a watershed by saddles: Meyer &
 * Beucher, J. Vis. Commun. Image Represent. 1 (1990) 21). Parts less than 1.5 voxels deep stay.
 * *parted: how many structures were taken out, and *parted_ml. `field` and `station` are those of
 * ht_gather. HT_ERR_MEMORY. */
ht_status ht_part(const ht_volume *field, const ht_way *way, const int32_t *station,
                  const ht_progress *progress, ht_mask *vessel, int *parted, double *parted_ml);

#ifdef __cplusplus
}
#endif
#endif

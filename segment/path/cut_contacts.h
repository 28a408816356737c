/* The vessel is parted from what merely touches it. Private to segment/. */
#ifndef HT_CUT_CONTACTS_H
#define HT_CUT_CONTACTS_H

#include "segment/path/way.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes out of `vessel` what is joined to the way only through a narrow place: a second vessel, a
 * vein or a spongy bone that touches. The depth behind the wall has a summit in each part and a
 * saddle between two (a watershed by saddles: Meyer & Beucher, J. Vis. Commun. Image Represent. 1
 * (1990) 21); the wall is where the field falls below 1/4, as it does between two vessels that
 * touch. A part is another structure where its saddle towards the way is less than 0.38 as
 * deep as its summit; or less than three quarters, and the scan is dimmer there, or the part runs
 * past the way, for three times its depth to both sides of the saddle. A branch has no saddle at
 * its mouth, a sac one that is bright and wide. What is dim and beyond the blurred rim of a voxel
 * or so stays where it is not longer than wide: a sac with slow flow; else it is a vein.
 *
 * The depths are measured on voxels so small that the way is some ten of them across, but not less
 * than a third of a voxel.
 * *parted: how many structures were taken out, and *parted_ml. `field` and `station` are those of
 * ht_flood_vessel. HT_ERR_MEMORY, HT_ERR_INTERRUPTED. */
ht_status ht_cut_contacts(const ht_volume *field, const ht_way *way, const int32_t *station,
                          const ht_progress *progress, ht_mask *vessel, int *parted,
                          double *parted_ml);

#ifdef __cplusplus
}
#endif
#endif

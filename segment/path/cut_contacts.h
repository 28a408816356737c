/* Separates the vessel from structures that merely touch it. Private to segment/. */
#ifndef HT_CUT_CONTACTS_H
#define HT_CUT_CONTACTS_H

#include "segment/path/way.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Removes from `vessel` what is joined to the way only through a narrow place: a second vessel, a
 * vein or a spongy bone that touches. The depth below the wall has a summit in each part and a
 * saddle between two (a watershed by saddles: Meyer & Beucher, J. Vis. Commun. Image Represent. 1
 * (1990) 21); the wall is where the field falls below 1/4, as it does between two vessels that
 * touch. A part is another structure where its saddle towards the way is less than 0.38 as deep as
 * its summit. It also is where the saddle is less than three quarters as deep, and the scan is
 * dimmer there, or the part runs past the way, for three times its depth to both sides of the
 * saddle. A branch has no saddle at its mouth; the saddle of a sac is bright and wide. A dim part
 * beyond the blurred rim of a voxel or so stays where it is not longer than wide (a sac with slow
 * flow); else it is a vein.
 *
 * The depths are measured on small voxels, some ten of them across the way, but not smaller than a
 * third of a voxel. *parted: number of structures removed; *parted_ml: their volume. `field` and
 * `station` are those of ht_flood_vessel. HT_ERR_MEMORY, HT_ERR_INTERRUPTED. */
ht_status ht_cut_contacts(const ht_volume *field, const ht_way *way, const int32_t *station,
                          const ht_progress *progress, ht_mask *vessel, int *parted,
                          double *parted_ml);

#ifdef __cplusplus
}
#endif
#endif

/* The intensity at which the vessel ends, and the voxels that may belong to it. */
#ifndef HT_LEVEL_H
#define HT_LEVEL_H

#include "pieces.h"
#include "progress.h"
#include "segment_options.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double lower, upper; /* the vessel's values; its surface is where the value crosses one of them */
  char method[80];     /* for the report */
} ht_level;

/* Chooses the level in the smoothed `region` as the options ask and marks in `vessel` (allocated;
 * the caller frees) the voxels of the piece of vessel to keep. A level that is not given starts as
 * Otsu's. It is then set half-way between the vessel's intensity and that of its surroundings,
 * where a blurred edge lies for any blur. Only voxels of `zone` count (NULL: all). `all` gets the
 * pieces at the level, of which one is kept (the caller frees); it may be NULL. HT_ERR_VESSEL. */
ht_status ht_level_find(const ht_volume *region, ht_mask *zone, const ht_segment_options *options,
                        const ht_progress *progress, ht_level *level, ht_mask *vessel,
                        ht_pieces *all, ht_segment_report *report);

#ifdef __cplusplus
}
#endif
#endif

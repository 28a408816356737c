/* Record of a mask's quality: in manifest.json and summary.json, and as one line. */
#ifndef HT_QUALITY_RECORD_H
#define HT_QUALITY_RECORD_H

#include "segment/quality/quality.h"
#include "run/folder/members.h"
#include <stdio.h>

/* Members of the object "quality". Unknown numbers are NaN; voxel_mm 0: none was measured. */
extern const ht_member ht_quality_members[];

/* Writes "contrast to noise 12 (lowest 8.1), wall 1.3 voxels wide, ...": what was measured. */
void ht_quality_words(const ht_mask_quality *quality, char *text, size_t size);

#endif

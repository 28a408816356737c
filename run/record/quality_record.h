/* Record of a mask's quality: in manifest.json and summary.json, and as one line. */
#ifndef HT_QUALITY_RECORD_H
#define HT_QUALITY_RECORD_H

#include "core/formats/json.h"
#include "segment/quality/quality.h"
#include "run/folder/yaml_file.h"
#include <stdio.h>

/* Writes the member "quality" into the current JSON object; nothing where none was measured. */
void ht_quality_json(ht_json *json, const ht_mask_quality *quality);

/* Reads it from the record's root. Absent or null values become NaN; voxel_mm 0: there is none. */
void ht_quality_read(struct fy_node *root, ht_mask_quality *quality);

/* Writes "contrast to noise 12 (lowest 8.1), wall 1.3 voxels wide, ...": what was measured. */
void ht_quality_words(const ht_mask_quality *quality, char *text, size_t size);

#endif

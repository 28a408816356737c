/* Preset for a scan by its tags and values. A wrong preset is worse than none: where the signs do
 * not agree, or say too little, the answer is none. The rules are in docs/segmentation.md. */
#ifndef HT_PRESET_GUESS_H
#define HT_PRESET_GUESS_H

#include "core/vessel/scan_signs.h"
#include "segment/settings/segment_options.h"
#include "core/vessel/volume.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the preset for a scan with those signs (scan_signs.h; 0: a file without tags), never
 * HT_PRESET_AUTO. Reads the scan's modality, and the values of a CT or of a scan of unknown
 * modality. `why` (400 bytes hold all) gets the reason: "the scan's tags say MR, time of flight,
 * head". */
ht_segment_preset ht_preset_guess(const ht_volume *scan, unsigned signs, char *why, size_t size);

/* Returns 1 where the values look like Hounsfield units: air at -1000 and tissue at 0 to 100. */
int ht_values_are_hounsfield(const ht_volume *scan);

/* Returns 1 where the values show an MR: magnitudes above a noisy dark background. 0 where they may
 * be a CT's: with values below 0, scaled to 0 to 1, clipped, or Hounsfield units from 0 upwards. */
int ht_values_are_mr(const ht_volume *scan);

#ifdef __cplusplus
}
#endif
#endif

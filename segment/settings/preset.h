/* Usual settings for one kind of scan, for segment/ and for the program, which shows them
 * beforehand.
 *
 * A preset fills only automatic settings: a given setting holds. Values without a source are our
 * own choice, with the reason in preset.c and in docs/segmentation.md. */
#ifndef HT_PRESET_H
#define HT_PRESET_H

#include "segment/settings/segment_options.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the options with the preset's values in place of what is automatic; without a preset
 * (none, auto): bias none, no bone, no gaps. `text` (at least 256 bytes) gets the preset's settings
 * as text: "" without one. */
ht_segment_options ht_preset_apply(const ht_segment_options *options, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif

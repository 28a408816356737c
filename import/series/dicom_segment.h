/* Reads a DICOM segmentation (SEG, PS3.3 A.51) as a mask. Private to import/. */
#ifndef HT_DICOM_SEGMENT_H
#define HT_DICOM_SEGMENT_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads one segment of the file at `path`: `wish` is its number or a part of its label; NULL: the
 * only one. Reads binary, fractional (vessel from half of the largest value on) and label map. The
 * grid has the planes of all frames, at the distance that the file gives, or the smallest between
 * two; a plane without a frame is empty. HT_ERR_FORMAT (no segmentation, damaged), HT_ERR_SERIES
 * (several segments: lists them; its planes are no regular grid), HT_ERR_VESSEL (empty),
 * HT_ERR_MEMORY. The caller frees the mask. */
ht_status ht_segmentation_read(const char *path, const char *wish, int *chosen, ht_mask *mask);

/* Tells whether the DICOM file at `path` is a segmentation, readable or not. */
int ht_segmentation_is(const char *path);

#ifdef __cplusplus
}
#endif
#endif

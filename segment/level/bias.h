/* Slow changes of brightness over a scan, for example from the sensitivity of MR coils. Private to
 * segment/. */
#ifndef HT_BIAS_H
#define HT_BIAS_H

#include "segment/voxels/component.h"
#include "core/work/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Smooth field over a box of the scan, on a coarse grid; values NULL: 1 everywhere. */
typedef struct {
  ht_volume field;
  ht_box box;
  int factor[3]; /* voxels of the scan per voxel of the field, along each axis */
} ht_bias;

/* Finds the field in the box, 1 on average over the tissue: N4 (ht_itk_bias) on means over boxes of
 * voxels, from the voxels brighter than air (Otsu). HT_ERR_VESSEL where all values are the same.
 * The caller frees. */
ht_status ht_bias_find(const ht_volume *scan, const ht_box *box, const ht_progress *progress,
                       ht_bias *bias);
void ht_bias_free(ht_bias *bias);

/* Divides the image, which is the part of the scan that begins at voxel first[], by the field. */
void ht_bias_divide(const ht_bias *bias, const int first[3], ht_volume *image);

#ifdef __cplusplus
}
#endif
#endif

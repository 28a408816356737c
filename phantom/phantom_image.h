/* Paints a shape as a scan: tissue, partial volume, the scanner's blur and noise. */
#ifndef HT_PHANTOM_IMAGE_H
#define HT_PHANTOM_IMAGE_H

#include "phantom/phantom_shapes.h"
#include "core/work/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills scan, truth and distance of a phantom whose three images are allocated on one grid. The
 * same seed gives the same bytes for any number of threads. HT_ERR_MEMORY, HT_ERR_INTERRUPTED; the
 * images are then half filled and the caller frees them. */
ht_status ht_phantom_paint(const ht_shape *shape, uint64_t seed, double noise,
                           const ht_progress *progress, ht_phantom *phantom);

#ifdef __cplusplus
}
#endif
#endif

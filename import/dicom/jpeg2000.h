/* Decoder of a JPEG 2000 image, OpenJPEG: Debian's DCMTK has no decoder for it. Private to import/.
 *
 * GDCM, which wraps the same library, is not used: it brings CharLS 2, whose functions have the
 * names of DCMTK's older CharLS, and DCMTK's JPEG-LS then calls the wrong one. */
#ifndef HT_JPEG2000_H
#define HT_JPEG2000_H

#include "core/status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Image by the header around it: one sample per pixel. */
typedef struct {
  int rows, columns;
  int stored;    /* bits of a pixel, 1 to 16 */
  int is_signed; /* two's complement in these bits */
  int lossy; /* 1: the compression may overshoot: values beyond the bits' range are clamped to it.
                0: they are damage */
} ht_jpeg2000_layout;

/* Decodes the `bytes` of a code stream (bare, or in a JP2 box) into pixels[rows][columns], the
 * stored bits of each. HT_ERR_FORMAT where it is damaged, cut, or differs from the layout; do not
 * use the pixels then. HT_ERR_MEMORY. */
ht_status ht_jpeg2000_decode(const uint8_t *stream, size_t bytes, const ht_jpeg2000_layout *layout,
                             uint16_t *pixels);

#ifdef __cplusplus
}
#endif
#endif

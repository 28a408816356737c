/* Checks that a compressed frame has the number of pixels in the DICOM header. DCMTK's decoders
 * leave the rest 0, or drop it, without an error. JPEG 2000 and JPEG-LS report it themselves.
 * Private to import/. */
#ifndef HT_FRAME_SIZE_H
#define HT_FRAME_SIZE_H

#include "core/status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Layout of a frame with one value per pixel, by its header. */
typedef struct {
  int rows, columns, bytes; /* bytes: of a value, 1 or 2 */
} ht_frame_layout;

/* Number of extra bytes of a frame's uncompressed values that are padding, not a sign of another
 * size (PS3.5 8.1.1 allows one at most; some writers put a few). Fewer than in a row and in a
 * column. */
size_t ht_frame_padding(const ht_frame_layout *layout);

/* Block size, bytes, up to which some writers fill uncompressed values with 0. */
enum { HT_FRAME_BLOCK = 512 };

/* Returns 1 where `extra` bytes of 0 after the values of all frames may be such padding: fewer than
 * a block, and not a whole number of rows or columns, which the header would then leave out. */
int ht_frame_may_fill_block(const ht_frame_layout *layout, int frames, size_t extra);

/* Checks the size and precision in the frame header (B.2.2) of a JPEG stream (ISO/IEC 10918-1).
 * HT_ERR_FORMAT where they differ from the layout, or there is none. */
ht_status ht_frame_check_jpeg(const uint8_t *stream, size_t bytes, const ht_frame_layout *layout);

/* Checks the unpacked segments of an RLE frame (PS3.5 G). HT_ERR_FORMAT where they differ from
 * those of the layout. */
ht_status ht_frame_check_rle(const uint8_t *frame, size_t bytes, const ht_frame_layout *layout);

#ifdef __cplusplus
}
#endif
#endif

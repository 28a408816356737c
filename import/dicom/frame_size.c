#include "import/dicom/frame_size.h"

static size_t shorter_side(const ht_frame_layout *layout) {
  return (size_t)(layout->rows < layout->columns ? layout->rows : layout->columns);
}

size_t ht_frame_padding(const ht_frame_layout *layout) {
  size_t line = shorter_side(layout) * (size_t)layout->bytes;
  return line > 2 ? line - 1 : 1;
}

int ht_frame_may_fill_block(const ht_frame_layout *layout, int frames, size_t extra) {
  size_t pixel = (size_t)layout->bytes * (size_t)frames;
  size_t row = pixel * (size_t)layout->columns, column = pixel * (size_t)layout->rows;
  return extra < HT_FRAME_BLOCK && row > 0 && column > 0 && extra % row != 0 && extra % column != 0;
}

/* ---- JPEG ---- */

static unsigned two_bytes(const uint8_t *at) {
  return (unsigned)at[0] << 8 | at[1];
}

/* SOF0 to SOF15; DHT, JPG and DAC lie among them (B.1.1.3). */
static int is_frame_header(unsigned marker) {
  return marker >= 0xffc0 && marker <= 0xffcf && marker != 0xffc4 && marker != 0xffc8 &&
         marker != 0xffcc;
}

/* The frame header after SOI and other segments; NULL where there is none. Markers may be preceded
 * by any number of fill bytes FF (B.1.1.2). */
static const uint8_t *find_frame_header(const uint8_t *stream, size_t bytes) {
  enum { HEADER_BYTES = 10 };
  size_t at = 2;
  while (at < bytes && bytes - at >= HEADER_BYTES && stream[at] == 0xff) {
    unsigned marker = two_bytes(stream + at);
    if (is_frame_header(marker)) return stream + at;
    at += marker == 0xffff ? 1 : 2 + (size_t)two_bytes(stream + at + 2);
  }
  return NULL;
}

ht_status ht_frame_check_jpeg(const uint8_t *stream, size_t bytes, const ht_frame_layout *layout) {
  const uint8_t *header = find_frame_header(stream, bytes);
  if (!header) return ht_fail(HT_ERR_FORMAT, "JPEG data without a frame header");
  unsigned precision = header[4], rows = two_bytes(header + 5), columns = two_bytes(header + 7);
  if (rows != (unsigned)layout->rows || columns != (unsigned)layout->columns)
    return ht_fail(HT_ERR_FORMAT, "JPEG data of %u x %u pixels, the header says %d x %d", columns,
                   rows, layout->columns, layout->rows);
  if ((precision > 8) == (layout->bytes > 1)) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "JPEG data of %u bits, the header says %d allocated", precision,
                 8 * layout->bytes);
}

/* ---- RLE ---- */

static size_t four_bytes(const uint8_t *at) {
  return (size_t)at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
}

/* The number of bytes that a segment unpacks to (G.3.1). */
static size_t unpacked_size(const uint8_t *segment, size_t bytes) {
  size_t size = 0;
  for (size_t at = 0; at < bytes;) {
    int code = (int8_t)segment[at];
    if (code == -128) {
      at++;
    } else if (code < 0) {
      size += at + 1 < bytes ? (size_t)(1 - code) : 0;
      at += 2;
    } else {
      size_t left = bytes - at - 1, length = (size_t)code + 1;
      if (left >= length) size += length; /* else a byte of padding at the end */
      at += 1 + length;
    }
  }
  return size;
}

ht_status ht_frame_check_rle(const uint8_t *frame, size_t bytes, const ht_frame_layout *layout) {
  enum { HEADER_BYTES = 64 };
  size_t pixels = (size_t)layout->rows * (size_t)layout->columns;
  size_t segments = bytes >= HEADER_BYTES ? four_bytes(frame) : 0;
  if (segments != (size_t)layout->bytes)
    return ht_fail(HT_ERR_FORMAT, "RLE data of %zu segments, the header says %d bytes per pixel",
                   segments, layout->bytes);
  for (size_t i = 0; i < segments; i++) {
    size_t begin = four_bytes(frame + 4 + 4 * i);
    size_t end = i + 1 < segments ? four_bytes(frame + 8 + 4 * i) : bytes;
    if (begin < HEADER_BYTES || begin > end || end > bytes)
      return ht_fail(HT_ERR_FORMAT, "RLE segments that lie outside of their frame");
    size_t size = unpacked_size(frame + begin, end - begin);
    if (size < pixels || size - pixels >= shorter_side(layout))
      return ht_fail(HT_ERR_FORMAT, "RLE data of %zu pixels, the header says %d x %d = %zu", size,
                     layout->columns, layout->rows, pixels);
  }
  return HT_OK;
}

/* import/: a JPEG 2000 image: read, and what it claims before memory is set aside for it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "import/dicom/jpeg2000.h"
#include <stdlib.h>
#include <string.h>

/* 8 x 8 pixels of the values 0 to 63 in rows, 16 bits; made with gdcmconv --j2k. */
static const uint8_t plain[] = {
    0xff, 0x4f, 0xff, 0x51, 0x00, 0x29, 0x00, 0x00, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x08,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x08,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x0f, 0x01, 0x01, 0xff, 0x52, 0x00,
    0x0c, 0x00, 0x00, 0x00, 0x01, 0x00, 0x02, 0x04, 0x04, 0x00, 0x01, 0xff, 0x5c, 0x00, 0x0a, 0x40,
    0x80, 0x88, 0x88, 0x90, 0x88, 0x88, 0x90, 0xff, 0x64, 0x00, 0x2a, 0x00, 0x01, 0x43, 0x72, 0x65,
    0x61, 0x74, 0x65, 0x64, 0x20, 0x62, 0x79, 0x20, 0x47, 0x44, 0x43, 0x4d, 0x2f, 0x4f, 0x70, 0x65,
    0x6e, 0x4a, 0x50, 0x45, 0x47, 0x20, 0x76, 0x65, 0x72, 0x73, 0x69, 0x6f, 0x6e, 0x20, 0x32, 0x2e,
    0x35, 0x2e, 0x30, 0xff, 0x90, 0x00, 0x0a, 0x00, 0x00, 0x00, 0x00, 0x00, 0x37, 0x00, 0x01, 0xff,
    0x93, 0xdf, 0xf8, 0x90, 0x50, 0x07, 0x81, 0x57, 0x59, 0x38, 0x1d, 0xc9, 0x0f, 0xe1, 0x97, 0xc0,
    0x00, 0x3a, 0x1c, 0x00, 0x1f, 0x38, 0x30, 0x0c, 0xff, 0x7f, 0x0b, 0x3d, 0x87, 0xc0, 0x00, 0x11,
    0x40, 0x00, 0xf9, 0x01, 0x80, 0x22, 0x17, 0x03, 0x7f, 0xe7, 0xff, 0xd9};

/* 16 x 16 pixels of the values 0 to 255 in rows, 8 bits, in tiles of 8 x 8; made with opj_compress
 * -t 8,8 -n 1. */
static const uint8_t tiled[] = {
    0xff, 0x4f, 0xff, 0x51, 0x00, 0x29, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x10,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x08,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x07, 0x01, 0x01, 0xff, 0x52, 0x00,
    0x0c, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x04, 0x04, 0x00, 0x01, 0xff, 0x5c, 0x00, 0x04, 0x40,
    0x40, 0xff, 0x64, 0x00, 0x25, 0x00, 0x01, 0x43, 0x72, 0x65, 0x61, 0x74, 0x65, 0x64, 0x20, 0x62,
    0x79, 0x20, 0x4f, 0x70, 0x65, 0x6e, 0x4a, 0x50, 0x45, 0x47, 0x20, 0x76, 0x65, 0x72, 0x73, 0x69,
    0x6f, 0x6e, 0x20, 0x32, 0x2e, 0x35, 0x2e, 0x30, 0xff, 0x90, 0x00, 0x0a, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x45, 0x00, 0x01, 0xff, 0x93, 0xdf, 0x81, 0xa0, 0x12, 0x2b, 0x67, 0x15, 0xdf, 0xcc, 0x5e,
    0xa8, 0x5c, 0x31, 0xf3, 0x30, 0x7b, 0x66, 0x00, 0x5e, 0x00, 0x2b, 0x00, 0xa3, 0x32, 0xcb, 0xb9,
    0xab, 0x58, 0x54, 0x0b, 0xa0, 0xa1, 0x81, 0x63, 0xfd, 0x19, 0x09, 0xf2, 0x89, 0xd6, 0xfa, 0xda,
    0x5d, 0x5b, 0x4b, 0xab, 0x63, 0x6f, 0x9b, 0xe6, 0xf9, 0xbe, 0x6f, 0x9b, 0xe6, 0xff, 0x90, 0x00,
    0x0a, 0x00, 0x01, 0x00, 0x00, 0x00, 0x42, 0x00, 0x01, 0xff, 0x93, 0xcf, 0xb4, 0xc4, 0x11, 0x50,
    0x53, 0x1f, 0x02, 0x43, 0x23, 0xfb, 0xe6, 0x63, 0xe8, 0x08, 0x04, 0x00, 0x0a, 0x14, 0x1e, 0x35,
    0x1e, 0xc1, 0xf5, 0x39, 0x13, 0x60, 0x52, 0x0c, 0x0b, 0x47, 0xd8, 0x7f, 0x27, 0xa1, 0xe0, 0x8d,
    0x75, 0x70, 0x9b, 0xe8, 0xd0, 0x84, 0xe5, 0x14, 0x36, 0x1b, 0x0d, 0x86, 0xc3, 0x54, 0x1f, 0xff,
    0x90, 0x00, 0x0a, 0x00, 0x02, 0x00, 0x00, 0x00, 0x3e, 0x00, 0x01, 0xff, 0x93, 0xcf, 0xb4, 0xb4,
    0x3b, 0xb9, 0x0f, 0x1d, 0x40, 0x4b, 0x13, 0xe6, 0x65, 0x2c, 0x87, 0x7f, 0x06, 0x09, 0x00, 0x00,
    0x30, 0x45, 0x8e, 0xc2, 0xe1, 0xab, 0x60, 0x18, 0xf3, 0x5e, 0x7c, 0x83, 0x29, 0xe6, 0xf9, 0x3f,
    0xd3, 0x34, 0xba, 0xb6, 0x9b, 0xed, 0x15, 0x1a, 0x1e, 0x5e, 0x5e, 0x5e, 0x5f, 0xff, 0x90, 0x00,
    0x0a, 0x00, 0x03, 0x00, 0x00, 0x00, 0x42, 0x00, 0x01, 0xff, 0x93, 0xcf, 0xb4, 0xc4, 0x3b, 0xb9,
    0x0f, 0x1d, 0x40, 0x4b, 0x13, 0xe6, 0x65, 0x2c, 0x87, 0x7f, 0x06, 0x09, 0x00, 0x00, 0x8d, 0x68,
    0xbd, 0x4b, 0x28, 0x03, 0x15, 0x90, 0x5d, 0xd7, 0xcd, 0x87, 0xe6, 0xc0, 0xb5, 0xd5, 0xc2, 0x75,
    0xbe, 0xb6, 0x97, 0x56, 0xc6, 0xdf, 0x37, 0xcd, 0xf3, 0x7c, 0xdf, 0x37, 0xcd, 0xff, 0x7f, 0xff,
    0xd9};

enum { MOST_PIXELS = 256, END_AT = 8, BEGIN_AT = 16, TILE_AT = 24, FIRST_TILE_AT = 32 };
enum { VALUES_AT = 40, APART_AT = 43 };
static const ht_jpeg2000_layout of_plain = {8, 8, 16, 0, 0}, of_tiled = {16, 16, 8, 0, 0};

/* Of a copy that ends where the stream does: the sanitizer sees what is read beyond. */
static ht_status decode(const uint8_t *stream, size_t bytes, const ht_jpeg2000_layout *layout,
                        uint16_t pixels[MOST_PIXELS]) {
  uint8_t *copy = malloc(bytes ? bytes : 1);
  assert_non_null(copy);
  memcpy(copy, stream, bytes);
  ht_status status = ht_jpeg2000_decode(copy, bytes, layout, pixels);
  free(copy);
  return status;
}

static void assert_read(const uint8_t *stream, size_t bytes, const ht_jpeg2000_layout *layout) {
  uint16_t pixels[MOST_PIXELS];
  assert_int_equal(decode(stream, bytes, layout, pixels), HT_OK);
  for (int i = 0; i < layout->rows * layout->columns; i++) assert_int_equal(pixels[i], i);
}

static void assert_refused(const uint8_t *stream, size_t bytes, const ht_jpeg2000_layout *layout,
                           const char *message) {
  uint16_t pixels[MOST_PIXELS];
  assert_int_equal(decode(stream, bytes, layout, pixels), HT_ERR_FORMAT);
  if (!strstr(ht_error_message(), message)) fail_msg("\"%s\"", ht_error_message());
}

static void a_bare_code_stream_is_read(void **state) {
  (void)state;
  assert_read(plain, sizeof plain, &of_plain);
  assert_read(tiled, sizeof tiled, &of_tiled);
}

/* Signature, type, header (8 x 8, one value of 16 bits; grey), and the box of the code stream, with
 * its length left open or in eight bytes. */
static const uint8_t boxes[] = {
    0, 0, 0, 12, 'j', 'P', ' ', ' ', 0x0d, 0x0a, 0x87, 0x0a,                                 //
    0, 0, 0, 20, 'f', 't', 'y', 'p', 'j',  'p',  '2',  ' ',  0, 0, 0, 0, 'j', 'p', '2', ' ', //
    0, 0, 0, 45, 'j', 'p', '2', 'h',                                                         //
    0, 0, 0, 22, 'i', 'h', 'd', 'r', 0,    0,    0,    8,    0, 0, 0, 8, 0,   1,   15,  7,
    0, 0, //
    0, 0, 0, 15, 'c', 'o', 'l', 'r', 1,    0,    0,    0,    0, 0, 17};
static const uint8_t open_box[] = {0, 0, 0, 0, 'j', 'p', '2', 'c'};
static const uint8_t long_box[] = {0, 0, 0, 1, 'j', 'p', '2', 'c',
                                   0, 0, 0, 0, 0,   0,   0,   sizeof plain + 16};
/* Before that of the code stream; the second says that it is longer than what follows. */
static const uint8_t other_box[] = {0, 0, 0, 1, 'f', 'r', 'e', 'e', 0, 0, 0, 0, 0, 0, 0, 17, 'x'};
static const uint8_t endless_box[] = {0, 0, 4, 0, 'f', 'r', 'e', 'e'};

enum { MOST_BYTES = sizeof boxes + sizeof other_box + sizeof long_box + sizeof plain };

static size_t append(const void *part, size_t bytes, uint8_t *out, size_t at) {
  memcpy(out + at, part, bytes);
  return at + bytes;
}

/* The stream of plain's size in its boxes; its length. */
static size_t wrap(const uint8_t *stream, const uint8_t *box, size_t box_bytes, uint8_t *out) {
  size_t at = append(boxes, sizeof boxes, out, 0);
  at = append(box, box_bytes, out, at);
  return append(stream, sizeof plain, out, at);
}

static void one_in_a_jp2_box_is_read(void **state) {
  (void)state;
  uint8_t stream[MOST_BYTES], box[sizeof other_box + sizeof open_box];
  assert_read(stream, wrap(plain, open_box, sizeof open_box, stream), &of_plain);
  assert_read(stream, wrap(plain, long_box, sizeof long_box, stream), &of_plain);
  append(open_box, sizeof open_box, box, append(other_box, sizeof other_box, box, 0));
  assert_read(stream, wrap(plain, box, sizeof box, stream), &of_plain);
  append(open_box, sizeof open_box, box, append(endless_box, sizeof endless_box, box, 0));
  assert_refused(stream, wrap(plain, box, sizeof endless_box + sizeof open_box, stream), &of_plain,
                 "damaged JPEG 2000");
}

static void a_cut_one_is_refused(void **state) {
  (void)state;
  uint8_t stream[MOST_BYTES];
  for (size_t bytes = 0; bytes < sizeof plain; bytes++)
    assert_refused(plain, bytes, &of_plain, "damaged JPEG 2000");
  for (size_t bytes = 0; bytes < sizeof tiled; bytes++)
    assert_refused(tiled, bytes, &of_tiled, "damaged JPEG 2000");
  size_t whole = wrap(plain, long_box, sizeof long_box, stream);
  for (size_t bytes = 0; bytes < whole; bytes++)
    assert_refused(stream, bytes, &of_plain, "damaged JPEG 2000");
}

static void put(uint8_t *stream, int at, uint32_t value) {
  for (int i = 0; i < 4; i++) stream[at + i] = (uint8_t)(value >> (24 - 8 * i));
}

/* The same place of both axes. */
static void put_both(uint8_t *stream, int at, uint32_t value) {
  put(stream, at, value);
  put(stream, at + 4, value);
}

/* Farther from the origin by whole blocks of all levels, where it is coded alike. */
static void one_away_from_the_origin_is_read(void **state) {
  (void)state;
  uint8_t stream[sizeof plain];
  memcpy(stream, plain, sizeof plain);
  put_both(stream, END_AT, 4096 + 8);
  put_both(stream, BEGIN_AT, 4096);
  assert_refused(stream, sizeof stream, &of_plain, "damaged JPEG 2000"); /* 513 x 513 tiles */
  put_both(stream, FIRST_TILE_AT, 4096);
  assert_read(stream, sizeof stream, &of_plain);
}

/* One number of 32 bits changed; bare and in its box. */
static void assert_claim_refused(int at, uint32_t value, const char *message) {
  uint8_t stream[sizeof plain], wrapped[MOST_BYTES];
  memcpy(stream, plain, sizeof plain);
  put(stream, at, value);
  assert_refused(stream, sizeof stream, &of_plain, message);
  size_t bytes = wrap(stream, open_box, sizeof open_box, wrapped);
  assert_refused(wrapped, bytes, &of_plain, message);
}

/* OpenJPEG takes 450 MB for the first. */
static void what_it_claims_is_looked_at_first(void **state) {
  (void)state;
  assert_claim_refused(END_AT, 262152, "262152 x 8 pixels, the header says 8 x 8");
  assert_claim_refused(END_AT, 0xffffffff, "x 8 pixels, the header says 8 x 8");
  assert_claim_refused(BEGIN_AT, 4, "4 x 8 pixels, the header says 8 x 8");
  assert_claim_refused(TILE_AT, 1, "damaged JPEG 2000");
  assert_claim_refused(TILE_AT, 0, "damaged JPEG 2000");
  assert_claim_refused(VALUES_AT - 2, 3, "3 values a pixel");
  assert_claim_refused(APART_AT - 3, 0x00010f02, "4 x 8 pixels, the header says 8 x 8");
  assert_claim_refused(APART_AT - 3, 0x00010f00, "damaged JPEG 2000");
}

/* OpenJPEG leaves its pixels 0. */
static void one_without_its_last_tile_is_refused(void **state) {
  (void)state;
  uint8_t stream[sizeof tiled];
  int last = 0;
  for (int i = 0; i < (int)sizeof tiled - 1; i++)
    if (tiled[i] == 0xff && tiled[i + 1] == 0x90) last = i;
  memcpy(stream, tiled, (size_t)last);
  memcpy(stream + last, tiled + sizeof tiled - 2, 2); /* the mark of the end */
  assert_refused(stream, (size_t)last + 2, &of_tiled, "damaged JPEG 2000");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bare_code_stream_is_read),
      cmocka_unit_test(one_in_a_jp2_box_is_read),
      cmocka_unit_test(a_cut_one_is_refused),
      cmocka_unit_test(one_away_from_the_origin_is_read),
      cmocka_unit_test(what_it_claims_is_looked_at_first),
      cmocka_unit_test(one_without_its_last_tile_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

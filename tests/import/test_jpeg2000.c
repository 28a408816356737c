/* import/: a JPEG 2000 image: read, and what it claims before memory is set aside for it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "jpeg2000.h"
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

enum { PIXELS = 64, COLUMNS_AT = 8, TILE_AT = 24, VALUES_AT = 41 };

static ht_status decode(const uint8_t *stream, size_t bytes, uint16_t pixels[PIXELS]) {
  const ht_jpeg2000_layout layout = {8, 8, 16, 0};
  return ht_jpeg2000_decode(stream, bytes, &layout, pixels);
}

static void assert_read(const uint8_t *stream, size_t bytes) {
  uint16_t pixels[PIXELS];
  assert_int_equal(decode(stream, bytes, pixels), HT_OK);
  for (int i = 0; i < PIXELS; i++) assert_int_equal(pixels[i], i);
}

static void assert_refused(const uint8_t *stream, size_t bytes, const char *message) {
  uint16_t pixels[PIXELS];
  assert_int_equal(decode(stream, bytes, pixels), HT_ERR_FORMAT);
  if (!strstr(ht_error_message(), message)) fail_msg("\"%s\"", ht_error_message());
}

static void a_bare_code_stream_is_read(void **state) {
  (void)state;
  assert_read(plain, sizeof plain);
}

/* Signature, type, header (8 x 8, one value of 16 bits; grey) and code stream. */
static const uint8_t boxes[] = {
    0, 0, 0, 12, 'j', 'P', ' ', ' ', 0x0d, 0x0a, 0x87, 0x0a,                                  //
    0, 0, 0, 20, 'f', 't', 'y', 'p', 'j',  'p',  '2',  ' ',  0, 0, 0,  0, 'j', 'p', '2', ' ', //
    0, 0, 0, 45, 'j', 'p', '2', 'h',                                                          //
    0, 0, 0, 22, 'i', 'h', 'd', 'r', 0,    0,    0,    8,    0, 0, 0,  8, 0,   1,   15,  7,
    0, 0,                                                              //
    0, 0, 0, 15, 'c', 'o', 'l', 'r', 1,    0,    0,    0,    0, 0, 17, //
    0, 0, 0, 0,  'j', 'p', '2', 'c'};

static size_t wrap(const uint8_t *stream, size_t bytes, uint8_t *out) {
  memcpy(out, boxes, sizeof boxes);
  memcpy(out + sizeof boxes, stream, bytes);
  return sizeof boxes + bytes;
}

static void one_in_a_jp2_box_is_read(void **state) {
  (void)state;
  uint8_t stream[sizeof boxes + sizeof plain];
  assert_read(stream, wrap(plain, sizeof plain, stream));
}

static void a_cut_one_is_refused(void **state) {
  (void)state;
  uint8_t stream[sizeof boxes + sizeof plain];
  for (size_t bytes = 0; bytes < sizeof plain; bytes++)
    assert_refused(plain, bytes, "damaged JPEG 2000");
  wrap(plain, sizeof plain, stream);
  for (size_t bytes = 0; bytes < sizeof stream; bytes++)
    assert_refused(stream, bytes, "damaged JPEG 2000");
}

/* 16 bits of a 32 bit number, big-endian, changed; bare and in its box. */
static void assert_claim_refused(int at, uint8_t high, uint8_t low, const char *message) {
  uint8_t stream[sizeof plain], wrapped[sizeof boxes + sizeof plain];
  memcpy(stream, plain, sizeof plain);
  stream[at] = high;
  stream[at + 1] = low;
  assert_refused(stream, sizeof stream, message);
  assert_refused(wrapped, wrap(stream, sizeof stream, wrapped), message);
}

/* OpenJPEG takes 450 MB for the first. */
static void what_it_claims_is_looked_at_first(void **state) {
  (void)state;
  assert_claim_refused(COLUMNS_AT, 0, 4, "262152 x 8 pixels, the header says 8 x 8");
  assert_claim_refused(COLUMNS_AT, 0xff, 0xff, "x 8 pixels, the header says 8 x 8");
  assert_claim_refused(TILE_AT + 2, 0, 1, "in 8 tiles");
  assert_claim_refused(TILE_AT + 2, 0, 0, "damaged JPEG 2000");
  assert_claim_refused(VALUES_AT - 1, 0, 3, "3 values a pixel");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bare_code_stream_is_read),
      cmocka_unit_test(one_in_a_jp2_box_is_read),
      cmocka_unit_test(a_cut_one_is_refused),
      cmocka_unit_test(what_it_claims_is_looked_at_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

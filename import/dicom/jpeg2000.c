#include "import/dicom/jpeg2000.h"
#include <math.h>
#include <openjpeg.h>
#include <string.h>

/* ---- The code stream as a stream of OpenJPEG ---- */

typedef struct {
  const uint8_t *byte;
  size_t count, at;
} bytes_in_memory;

static const OPJ_SIZE_T stream_end = (OPJ_SIZE_T)-1;

static OPJ_SIZE_T read_some(void *to, OPJ_SIZE_T wanted, void *user) {
  bytes_in_memory *from = user;
  size_t left = from->count - from->at;
  if (left == 0) return stream_end;
  if (wanted > left) wanted = left;
  memcpy(to, from->byte + from->at, wanted);
  from->at += wanted;
  return wanted;
}

static OPJ_OFF_T skip(OPJ_OFF_T wanted, void *user) {
  bytes_in_memory *from = user;
  if (wanted < 0 || (size_t)wanted > from->count - from->at) return -1;
  from->at += (size_t)wanted;
  return wanted;
}

static OPJ_BOOL seek(OPJ_OFF_T to, void *user) {
  bytes_in_memory *from = user;
  if (to < 0 || (size_t)to > from->count) return OPJ_FALSE;
  from->at = (size_t)to;
  return OPJ_TRUE;
}

static opj_stream_t *open_stream(bytes_in_memory *from) {
  opj_stream_t *stream = opj_stream_default_create(OPJ_TRUE);
  if (!stream) return NULL;
  opj_stream_set_user_data(stream, from, NULL);
  opj_stream_set_user_data_length(stream, from->count);
  opj_stream_set_read_function(stream, read_some);
  opj_stream_set_skip_function(stream, skip);
  opj_stream_set_seek_function(stream, seek);
  return stream;
}

/* ---- The image ---- */

static ht_status damaged(void) {
  return ht_fail(HT_ERR_FORMAT, "damaged JPEG 2000 data");
}

static ht_status check_one_value(unsigned values) {
  if (values == 1) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "JPEG 2000 data with %u values per pixel", values);
}

static ht_status check_pixels(double columns, double rows, const ht_jpeg2000_layout *layout) {
  if (columns == layout->columns && rows == layout->rows) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "JPEG 2000 data of %.0f x %.0f pixels, the header says %d x %d",
                 columns, rows, layout->columns, layout->rows);
}

/* All numbers are big-endian. */
static unsigned two_bytes(const uint8_t *at) {
  return (unsigned)at[0] << 8 | at[1];
}

static uint32_t four_bytes(const uint8_t *at) {
  return (uint32_t)two_bytes(at) << 16 | two_bytes(at + 2);
}

static int is_bare(const uint8_t *stream, size_t bytes) {
  static const uint8_t begin[] = {0xff, 0x4f, 0xff, 0x51};
  return bytes >= sizeof begin && memcmp(stream, begin, sizeof begin) == 0;
}

/* Finds the start of the code stream among JP2 boxes: in "jp2c" (ISO/IEC 15444-1, I.4). `bytes`
 * where there is none. */
static size_t find_code_stream(const uint8_t *stream, size_t bytes) {
  size_t at = 0;
  while (bytes - at >= 16) {
    size_t size = four_bytes(stream + at); /* 1: in the next eight bytes; 0: up to the end */
    if (memcmp(stream + at + 4, "jp2c", 4) == 0) return at + (size == 1 ? 16 : 8);
    if (size == 1 && four_bytes(stream + at + 8) == 0) size = four_bytes(stream + at + 12);
    if (size < 8 || size > bytes - at) return bytes;
    at += size;
  }
  return bytes;
}

/* Tiles whose first part is there (A.4.2: SOT has the length of the part, and its number in the
 * tile). OpenJPEG leaves pixels of missing tiles 0 without an error. */
static double count_tiles(const uint8_t *code, size_t bytes) {
  enum { START_OF_TILE = 0xff90, SOT_BYTES = 12, PART_AT = 10 };
  size_t at = 2, length;
  double tiles = 0;
  for (; bytes - at >= SOT_BYTES && two_bytes(code + at) != START_OF_TILE; at += length) {
    length = 2 + two_bytes(code + at + 2);
    if (length > bytes - at) return 0;
  }
  for (; bytes - at >= SOT_BYTES && two_bytes(code + at) == START_OF_TILE; at += length) {
    tiles += code[at + PART_AT] == 0;
    length = four_bytes(code + at + 6); /* 0: up to the end */
    if (length < SOT_BYTES || length > bytes - at) break;
  }
  return tiles;
}

/* Checks the claims of the first segment SIZ (A.5.1): OpenJPEG allocates some 7 kB for each tile
 * before it reports them. */
static ht_status check_claims(const uint8_t *code, size_t bytes, const ht_jpeg2000_layout *layout) {
  enum { SIZ_BYTES = 45 };
  if (bytes < SIZ_BYTES || !is_bare(code, bytes)) return damaged();
  double size[2], tiles = 1;
  for (int axis = 0; axis < 2; axis++) {
    const uint8_t *at = code + 8 + 4 * axis; /* end, begin, tile's size, first tile's begin */
    double end = four_bytes(at), tile = four_bytes(at + 16), apart = code[43 + axis];
    if (tile == 0 || apart == 0) return damaged();
    size[axis] = ceil(end / apart) - ceil(four_bytes(at + 8) / apart);
    tiles *= ceil((end - four_bytes(at + 24)) / tile);
  }
  HT_TRY(check_one_value(two_bytes(code + 40)));
  HT_TRY(check_pixels(size[0], size[1], layout));
  return tiles == count_tiles(code, bytes) ? HT_OK : damaged();
}

static ht_status check_size(const opj_image_t *image, const ht_jpeg2000_layout *layout) {
  HT_TRY(check_one_value(image->numcomps));
  const opj_image_comp_t *one = image->comps;
  HT_TRY(check_pixels(one->w, one->h, layout));
  /* Unsigned bits may hold the two's complement of a signed header, only if they are all there. */
  int other_sign = one->sgnd != (OPJ_UINT32)layout->is_signed;
  if (one->prec > 16 || (other_sign && (one->sgnd || one->prec != (OPJ_UINT32)layout->stored)))
    return ht_fail(HT_ERR_FORMAT, "JPEG 2000 data of %u bits, %s, the header says %d, %s",
                   one->prec, one->sgnd ? "signed" : "unsigned", layout->stored,
                   layout->is_signed ? "signed" : "unsigned");
  return HT_OK;
}

/* OpenJPEG reports a lack of memory in words only. */
static void keep_lack(const char *message, void *user) {
  ht_status *status = user;
  if (ht_check_reason("a JPEG 2000 image", message) != HT_OK) *status = HT_ERR_MEMORY;
}

static ht_status decode_image(opj_codec_t *codec, opj_stream_t *stream, opj_image_t **image,
                              const ht_jpeg2000_layout *layout) {
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  if (!opj_setup_decoder(codec, &parameters) || !opj_decoder_set_strict_mode(codec, OPJ_TRUE) ||
      !opj_read_header(stream, codec, image))
    return damaged();
  HT_TRY(check_size(*image, layout)); /* before anything of that size is allocated */
  if (!opj_decode(codec, stream, *image) || !opj_end_decompress(codec, stream)) return damaged();
  HT_TRY(check_size(*image, layout));
  return (*image)->comps[0].data ? HT_OK : damaged();
}

/* A value that needs more than the stored bits would become another: the compression overshot, or
 * it is damage. */
static ht_status copy_pixels(const opj_image_comp_t *from, const ht_jpeg2000_layout *layout,
                             uint16_t *pixels) {
  size_t count = (size_t)layout->rows * (size_t)layout->columns;
  int mask = (1 << layout->stored) - 1;
  int most = from->sgnd ? mask >> 1 : mask, least = from->sgnd ? -most - 1 : 0;
  for (size_t i = 0; i < count; i++) {
    int value = from->data[i];
    if (layout->lossy) value = value < least ? least : value > most ? most : value;
    if (value < least || value > most)
      return ht_fail(HT_ERR_FORMAT, "JPEG 2000 data with the value %d, which %d bits do not hold",
                     value, layout->stored);
    pixels[i] = (uint16_t)((unsigned)value & (unsigned)mask);
  }
  return HT_OK;
}

ht_status ht_jpeg2000_decode(const uint8_t *stream, size_t bytes, const ht_jpeg2000_layout *layout,
                             uint16_t *pixels) {
  int no_box = is_bare(stream, bytes);
  size_t begin = no_box ? 0 : find_code_stream(stream, bytes);
  HT_TRY(check_claims(stream + begin, bytes - begin, layout));
  bytes_in_memory from = {stream, bytes, 0};
  opj_image_t *image = NULL;
  opj_stream_t *in = open_stream(&from);
  opj_codec_t *codec = opj_create_decompress(no_box ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
  ht_status lack = HT_OK;
  if (codec) opj_set_error_handler(codec, keep_lack, &lack);
  ht_status status = in && codec ? decode_image(codec, in, &image, layout) : HT_ERR_MEMORY;
  if (status == HT_ERR_MEMORY || lack != HT_OK)
    status = ht_fail(HT_ERR_MEMORY, "not enough memory to decode a JPEG 2000 image");
  if (status == HT_OK) status = copy_pixels(image->comps, layout, pixels);
  opj_image_destroy(image);
  opj_destroy_codec(codec);
  opj_stream_destroy(in);
  return status;
}

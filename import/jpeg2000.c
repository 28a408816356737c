#include "jpeg2000.h"
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

static ht_status check_size(const opj_image_t *image, const ht_jpeg2000_layout *layout) {
  if (image->numcomps != 1)
    return ht_fail(HT_ERR_FORMAT, "JPEG 2000 data with %u values a pixel", image->numcomps);
  const opj_image_comp_t *one = image->comps;
  if (one->w != (OPJ_UINT32)layout->columns || one->h != (OPJ_UINT32)layout->rows)
    return ht_fail(HT_ERR_FORMAT, "JPEG 2000 data of %u x %u pixels, the header says %d x %d",
                   one->w, one->h, layout->columns, layout->rows);
  /* Unsigned bits may hold the two's complement of a signed header, only if they are all there. */
  int other_sign = one->sgnd != (OPJ_UINT32)layout->is_signed;
  if (one->prec > 16 || (other_sign && (one->sgnd || one->prec != (OPJ_UINT32)layout->stored)))
    return ht_fail(HT_ERR_FORMAT, "JPEG 2000 data of %u bits, %s, the header says %d, %s",
                   one->prec, one->sgnd ? "signed" : "unsigned", layout->stored,
                   layout->is_signed ? "signed" : "unsigned");
  return HT_OK;
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

/* A value that needs more than the stored bits would come out as another one. */
static ht_status copy_pixels(const opj_image_comp_t *from, const ht_jpeg2000_layout *layout,
                             uint16_t *pixels) {
  size_t count = (size_t)layout->rows * (size_t)layout->columns;
  int mask = (1 << layout->stored) - 1;
  int most = from->sgnd ? mask >> 1 : mask, least = from->sgnd ? -most - 1 : 0;
  for (size_t i = 0; i < count; i++) {
    int value = from->data[i];
    if (value < least || value > most)
      return ht_fail(HT_ERR_FORMAT, "JPEG 2000 data with the value %d, which %d bits do not hold",
                     value, layout->stored);
    pixels[i] = (uint16_t)((unsigned)value & (unsigned)mask);
  }
  return HT_OK;
}

ht_status ht_jpeg2000_decode(const uint8_t *stream, size_t bytes, const ht_jpeg2000_layout *layout,
                             uint16_t *pixels) {
  static const uint8_t bare[] = {0xff, 0x4f, 0xff, 0x51};
  int is_bare = bytes >= sizeof bare && memcmp(stream, bare, sizeof bare) == 0;
  bytes_in_memory from = {stream, bytes, 0};
  opj_image_t *image = NULL;
  opj_stream_t *in = open_stream(&from);
  opj_codec_t *codec = opj_create_decompress(is_bare ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
  ht_status status = in && codec ? decode_image(codec, in, &image, layout)
                                 : ht_fail(HT_ERR_MEMORY, "no memory to decode a JPEG 2000 image");
  if (status == HT_OK) status = copy_pixels(image->comps, layout, pixels);
  opj_image_destroy(image);
  opj_destroy_codec(codec);
  opj_stream_destroy(in);
  return status;
}

#include "import/surface/formats/vtp_array.h"
#include "core/vessel/volume.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static ht_status damaged(const ht_vtp_coding *coding, const char *why) {
  return ht_fail(HT_ERR_FORMAT, "%s: %s: truncated or damaged; copy or export it again",
                 coding->path, why);
}

/* ---- bytes ---- */

typedef struct {
  unsigned char *at;
  size_t size;
} bytes;

static int digit(char c) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *found = c ? strchr(digits, c) : NULL;
  return found ? (int)(found - digits) : -1;
}

/* One run of base64, up to its padding or `most` bytes; *used: characters of it. */
static ht_status decode(const char *text, size_t length, size_t most, bytes *out, size_t *used) {
  size_t at = 0;
  uint32_t sum = 0;
  int bits = 0;
  out->size = 0;
  HT_TRY(ht_alloc((void **)&out->at, (length / 4 + 1) * 3, 1, "the surface"));
  while (at < length && isspace((unsigned char)text[at])) at++;
  for (; at < length && out->size < most && digit(text[at]) >= 0; at++) {
    sum = sum << 6 | (uint32_t)digit(text[at]);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out->at[out->size++] = (unsigned char)(sum >> bits);
  }
  while (at < length && text[at] == '=') at++;
  *used = at;
  return HT_OK;
}

static uint64_t size_at(const unsigned char *at, int size_bytes) {
  uint64_t value = 0;
  for (int i = size_bytes - 1; i >= 0; i--) value = value << 8 | at[i];
  return value;
}

/* [blocks][block size][last block's size][compressed sizes ...], then the blocks. */
static ht_status inflate_blocks(const ht_vtp_coding *coding, const bytes *head, const bytes *data,
                                bytes *out) {
  size_t each = (size_t)coding->header_bytes, from = 0;
  uint64_t blocks = size_at(head->at, coding->header_bytes);
  uint64_t whole = size_at(head->at + each, coding->header_bytes);
  uint64_t last = size_at(head->at + 2 * each, coding->header_bytes);
  uint64_t full = blocks - (last > 0 && blocks > 0);
  if (whole > (1u << 30) || last > whole || (full && whole > SIZE_MAX / 2 / full))
    return damaged(coding, "impossible sizes of blocks");
  uint64_t total = full * whole + last;
  if (total / 1200 > data->size) return damaged(coding, "more numbers than its bytes can hold");
  HT_TRY(ht_alloc((void **)&out->at, (size_t)total + 1, 1, "the surface"));
  for (uint64_t b = 0; b < blocks; b++) {
    uint64_t packed = size_at(head->at + (3 + b) * each, coding->header_bytes);
    uLongf wanted = b < full ? whole : last, got = wanted;
    if (packed > data->size - from) return damaged(coding, "an array that ends early");
    int code = uncompress(out->at + out->size, &got, data->at + from, (uLong)packed);
    if (code == Z_MEM_ERROR) return ht_check_reason(coding->path, zError(code));
    if (code != Z_OK || got != wanted) return damaged(coding, "an array that does not unpack");
    out->size += wanted;
    from += (size_t)packed;
  }
  return HT_OK;
}

/* The size of the header of compressed blocks; 0: more than `most` bytes. */
static size_t head_size(const ht_vtp_coding *coding, const unsigned char *at, size_t most) {
  size_t each = (size_t)coding->header_bytes;
  if (most < 3 * each) return 0;
  uint64_t blocks = size_at(at, coding->header_bytes);
  return blocks > most / each - 3 ? 0 : (size_t)(3 + blocks) * each;
}

static ht_status unpack_raw(const ht_vtp_coding *coding, const char *text, size_t length,
                            bytes *out) {
  const bytes all = {(unsigned char *)text, length};
  size_t each = (size_t)coding->header_bytes;
  if (coding->compressed) {
    size_t head = head_size(coding, all.at, length);
    if (head == 0) return damaged(coding, "an array that ends early");
    const bytes data = {all.at + head, length - head};
    return inflate_blocks(coding, &all, &data, out);
  }
  if (length < each) return damaged(coding, "an array that ends early");
  uint64_t size = size_at(all.at, coding->header_bytes);
  if (size > length - each) return damaged(coding, "an array that ends early");
  HT_TRY(ht_alloc((void **)&out->at, (size_t)size + 1, 1, "the surface"));
  memcpy(out->at, all.at + each, (size_t)size);
  out->size = (size_t)size;
  return HT_OK;
}

/* The compressed blocks' header is base64 of its own. */
static ht_status unpack_base64(const ht_vtp_coding *coding, const char *text, size_t length,
                               bytes *out) {
  bytes head = {NULL, 0}, data = {NULL, 0};
  size_t used = 0, each = (size_t)coding->header_bytes;
  ht_status status;
  if (!coding->compressed) {
    HT_TRY(decode(text, length, SIZE_MAX, &data, &used));
    status = unpack_raw(coding, (const char *)data.at, data.size, out);
    free(data.at);
    return status;
  }
  status = decode(text, length, each, &head, &used);
  uint64_t blocks = status == HT_OK && head.size == each ? size_at(head.at, (int)each) : UINT64_MAX;
  if (status == HT_OK && blocks > length) status = damaged(coding, "an array that ends early");
  free(head.at);
  head.at = NULL;
  size_t wanted = status == HT_OK ? (size_t)(3 + blocks) * each : 0;
  if (status == HT_OK) status = decode(text, length, wanted, &head, &used);
  if (status == HT_OK && head.size != wanted) status = damaged(coding, "an array that ends early");
  if (status == HT_OK) status = decode(text + used, length - used, SIZE_MAX, &data, &used);
  if (status == HT_OK) status = inflate_blocks(coding, &head, &data, out);
  free(head.at);
  free(data.at);
  return status;
}

/* ---- numbers ---- */

static const struct {
  const char *name;
  int size;
  char kind; /* i, u, f */
} types[] = {{"Int8", 1, 'i'},    {"UInt8", 1, 'u'},  {"Int16", 2, 'i'}, {"UInt16", 2, 'u'},
             {"Int32", 4, 'i'},   {"UInt32", 4, 'u'}, {"Int64", 8, 'i'}, {"UInt64", 8, 'u'},
             {"Float32", 4, 'f'}, {"Float64", 8, 'f'}};
enum { TYPES = sizeof types / sizeof *types };

static double number_of(const unsigned char *at, int type) {
  uint64_t raw = size_at(at, types[type].size);
  if (types[type].kind == 'u') return (double)raw;
  if (types[type].kind == 'i') {
    int shift = 64 - 8 * types[type].size;
    return (double)((int64_t)(raw << shift) >> shift);
  }
  if (types[type].size == 8) {
    double value;
    memcpy(&value, &raw, sizeof value);
    return value;
  }
  uint32_t half = (uint32_t)raw;
  float value;
  memcpy(&value, &half, sizeof value);
  return (double)value;
}

static ht_status convert(const ht_vtp_coding *coding, const bytes *from, int type, double **value,
                         int64_t *count) {
  size_t each = (size_t)types[type].size;
  if (from->size % each) return damaged(coding, "an array that ends within a number");
  *count = (int64_t)(from->size / each);
  HT_TRY(ht_alloc((void **)value, (size_t)*count + 1, sizeof **value, "the surface"));
  for (int64_t i = 0; i < *count; i++) (*value)[i] = number_of(from->at + (size_t)i * each, type);
  return HT_OK;
}

static ht_status read_text(const ht_vtp_coding *coding, const ht_vtp_array *array, double **value,
                           int64_t *count) {
  const char *at = array->text, *end = at + array->size;
  *count = 0;
  HT_TRY(ht_alloc((void **)value, array->size / 2 + 1, sizeof **value, "the surface"));
  for (;;) {
    char *next;
    while (at < end && isspace((unsigned char)*at)) at++;
    if (at >= end) return HT_OK;
    (*value)[*count] = strtod(at, &next); /* a '<' follows the text */
    if (next == at || next > end) return damaged(coding, "a word where a number belongs");
    ++*count;
    at = next;
  }
}

ht_status ht_vtp_numbers(const ht_vtp_coding *coding, const ht_vtp_array *array, double **value,
                         int64_t *count) {
  bytes out = {NULL, 0};
  int type = 0;
  *value = NULL;
  while (type < TYPES && strcmp(types[type].name, array->type) != 0) type++;
  if (type == TYPES) return damaged(coding, "an array of an unknown type");
  ht_status status;
  if (array->format == HT_VTP_TEXT) {
    status = read_text(coding, array, value, count);
  } else if (array->format == HT_VTP_BASE64) {
    status = unpack_base64(coding, array->text, array->size, &out);
  } else if (!coding->appended || array->offset > coding->appended_size) {
    status = damaged(coding, "an array that is not in the file");
  } else {
    const char *from = coding->appended + array->offset;
    size_t left = coding->appended_size - (size_t)array->offset;
    status = coding->appended_base64 ? unpack_base64(coding, from, left, &out)
                                     : unpack_raw(coding, from, left, &out);
  }
  if (status == HT_OK && array->format != HT_VTP_TEXT)
    status = convert(coding, &out, type, value, count);
  free(out.at);
  if (status != HT_OK) free(*value);
  if (status != HT_OK) *value = NULL;
  return status;
}

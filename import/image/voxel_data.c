#include "import/image/voxel_data.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

int ht_voxel_data_claims_more(const char *path, double bytes, char problem[128]) {
  struct stat file;
  if (stat(path, &file) != 0 || bytes <= 1032.0 * (double)file.st_size) return 0;
  snprintf(problem, 128,
           "damaged: its header claims more voxels than a file of %lld bytes can hold",
           (long long)file.st_size);
  return 1;
}

static void trim(char *text) {
  size_t length = strlen(text);
  while (length && isspace((unsigned char)text[length - 1])) text[--length] = 0;
}

/* "Key = value" -> key and value; NULL where there is no such sign. */
char *ht_header_split(char *line, char sign) {
  char *value = strchr(line, sign);
  if (!value) return NULL;
  *value++ = 0;
  while (isspace((unsigned char)*value)) value++;
  trim(line);
  trim(value);
  return value;
}

/* Bytes before the voxels, or -1: they end the file. Too large a number stays too large. */
long ht_header_offset(const char *value) {
  return (long)fmin(1e15, fmax(-1, strtod(value, NULL)));
}

/* Voxels in a second file are looked for in the header's folder, unless the name has another. */
ht_status ht_voxel_file_beside(const char *path, const char *name, ht_voxel_file *place) {
  if (ht_path_beside(place->data, path, name) == HT_OK) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "%s: the name of its data file is too long", path);
}

ht_status ht_header_other_unit(const char *path, const char *unit) {
  return ht_fail(HT_ERR_FORMAT, "%s: its lengths are in \"%.20s\": save it in mm", path, unit);
}

static ht_status truncated(const char *path, const ht_voxel_file *place, double expected) {
  const char *beside = strcmp(path, place->data) ? place->data : "";
  return ht_fail(HT_ERR_FORMAT,
                 "%s: truncated or damaged: its voxels need %.0f bytes, which are not there%s%s%s; "
                 "copy or export it again",
                 path, expected, *beside ? " in '" : "", beside, *beside ? "'" : "");
}

/* More bytes than voxels: the header states another size than the image has, or bytes before its
 * voxels are mistaken for them. */
static ht_status too_many(const char *path, double there, double expected) {
  return ht_fail(HT_ERR_FORMAT,
                 "%s: its header states %.0f bytes of voxels, and there are %.0f: its size or the "
                 "place where its voxels begin is wrong; export the image again",
                 path, expected, there);
}

/* Inflates a zlib or gzip stream of at most `left` bytes from here; its length, or -1 where it is
 * not whole. */
static double inflated_bytes(FILE *file, z_stream *stream, double left, int *code) {
  enum { BLOCK = 1 << 12 };
  unsigned char in[BLOCK], out[BLOCK];
  double bytes = 0;
  *code = Z_OK;
  while (*code == Z_OK) {
    if (stream->avail_in == 0) {
      stream->next_in = in;
      stream->avail_in = (uInt)fread(in, 1, left < BLOCK ? (size_t)left : BLOCK, file);
      if (stream->avail_in == 0) return -1;
      left -= stream->avail_in;
    }
    stream->next_out = out;
    stream->avail_out = BLOCK;
    *code = inflate(stream, Z_NO_FLUSH);
    bytes += BLOCK - stream->avail_out;
  }
  return *code == Z_STREAM_END ? bytes : -1;
}

static ht_status check_compressed(const char *path, const ht_voxel_file *place, FILE *file,
                                  double expected) {
  enum { ZLIB_OR_GZIP = 15 + 32 };
  z_stream stream = {0};
  if (inflateInit2(&stream, ZLIB_OR_GZIP) != Z_OK)
    return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to read the file", path);
  int code = Z_OK;
  double bytes = inflated_bytes(file, &stream, place->stored, &code) - place->skip;
  inflateEnd(&stream);
  if (code == Z_MEM_ERROR) return ht_check_reason(path, zError(code));
  if (bytes > expected + place->spare + HT_SPARE_BYTES) return too_many(path, bytes, expected);
  return bytes >= expected ? HT_OK : truncated(path, place, expected);
}

ht_status ht_voxel_data_check(const char *path, const ht_voxel_file *place, double expected) {
  struct stat info;
  long begin = place->begin > 0 ? place->begin : 0; /* -1: the voxels end the file */
  FILE *file =
      stat(place->data, &info) == 0 && S_ISREG(info.st_mode) ? fopen(place->data, "rb") : NULL;
  if (!file)
    return ht_fail(
        HT_ERR_FORMAT,
        "%s: its voxels are not there: '%s', which its header names, is no file that can be "
        "read: copy it there (several data files are not read: save it as .mha)",
        path, place->data);
  ht_status status = HT_OK;
  double there = (double)info.st_size - (double)begin;
  double least = !place->compressed ? expected : isfinite(place->stored) ? place->stored : 1;
  if (expected > 0 && there < least)
    status = truncated(path, place, expected);
  else if (expected > 0 && !place->compressed && place->begin >= 0 &&
           there > expected + place->spare + HT_SPARE_BYTES)
    status = too_many(path, there, expected);
  else if (expected > 0 && place->compressed && fseek(file, begin, SEEK_SET) == 0)
    status = check_compressed(path, place, file, expected);
  fclose(file);
  return status;
}

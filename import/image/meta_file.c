#define _POSIX_C_SOURCE 200809L
#include "meta_file.h"
#include "meta_header.h"
#include "voxel_number.h"
#include "voxel_size.h"
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- Is it a scan? ---- */

__attribute__((format(printf, 2, 3))) static int refuse(ht_image_info *info, const char *format,
                                                        ...);

static int refuse(ht_image_info *info, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(info->problem, sizeof info->problem, format, arguments);
  va_end(arguments);
  info->status = HT_ERR_FORMAT;
  return 1;
}

static double volumes_of(const ht_meta_header *header) {
  return header->dimensions > 3 ? header->size[3] : 1;
}

static double voxels_of(const ht_meta_header *header) {
  return header->size[0] * header->size[1] * header->size[2];
}

/* Of the voxels of all images. */
static double bytes_of(const ht_meta_header *header) {
  return voxels_of(header) * volumes_of(header) * ht_number_bytes(header->type);
}

static int check_values(const ht_meta_header *header, ht_image_info *info) {
  if (header->channels != 1 || !ht_number_bytes(header->type))
    return refuse(info,
                  "it has several values a voxel (%d), or of an unknown type: a scan has one "
                  "number",
                  header->channels);
  if (volumes_of(header) <= INT_MAX) info->volumes = (int)volumes_of(header);
  for (int a = 4; a < header->dimensions; a++)
    if (header->size[a] > 1)
      return refuse(info,
                    "it has %d dimensions, %.0f images along the last: save the one to use as an "
                    "image of its own",
                    header->dimensions, header->size[a]);
  if (header->dimensions < 3 || header->size[2] < 2)
    return refuse(info, "it has one slice only: a volume needs at least 2");
  return 0;
}

static int fill_grid(const ht_meta_header *header, ht_image_info *info) {
  ht_grid grid = ht_grid_make(1, 1, 1);
  for (int a = 0; a < 3; a++) {
    if (header->size[a] > INT_MAX)
      return refuse(info, "it claims more than 2^31 voxels along an axis");
    grid.dim[a] = (int)header->size[a];
    grid.spacing_mm[a] = header->spacing_mm[a];
    grid.origin_mm[a] = header->origin_mm[a];
    for (int r = 0; r < 3; r++) grid.direction[r][a] = header->axes[a * header->dimensions + r];
  }
  if (ht_grid_check(&grid) != HT_OK || ht_scan_size_check(&grid) != HT_OK)
    return refuse(info, "%s", ht_error_message());
  info->grid = grid;
  memcpy(info->dim, grid.dim, sizeof info->dim);
  return 0;
}

/* Before memory for its voxels is asked for. */
static void check_claim(const ht_meta_header *header, ht_image_info *info) {
  char problem[128];
  if (!ht_voxel_data_claims_more(header->file.data, bytes_of(header), problem)) return;
  info->grid.dim[0] = 0;
  refuse(info, "%s", problem);
}

ht_status ht_meta_info(const char *path, ht_image_info *info) {
  ht_meta_header header;
  HT_TRY(ht_meta_header_read(path, &header));
  HT_TRY(ht_voxel_data_check(path, &header.file, 0));
  if (!check_values(&header, info) && !fill_grid(&header, info)) check_claim(&header, info);
  return HT_OK;
}

ht_status ht_meta_check_voxels(const char *path) {
  ht_meta_header header;
  HT_TRY(ht_meta_header_read(path, &header));
  return ht_voxel_data_check(path, &header.file, bytes_of(&header));
}

/* ---- The voxels ---- */

enum { BLOCK = 1 << 16 };

/* The bytes of the voxels, one block after the other. */
typedef struct {
  FILE *file;
  int compressed;
  z_stream unpack;
  double left; /* compressed bytes that may still be read */
  unsigned char in[BLOCK];
  uint64_t block[BLOCK / sizeof(uint64_t)]; /* aligned for every type */
} voxel_source;

static int refill(voxel_source *from) {
  size_t most = from->left < BLOCK ? (size_t)from->left : BLOCK;
  from->unpack.next_in = from->in;
  from->unpack.avail_in = (uInt)fread(from->in, 1, most, from->file);
  from->left -= from->unpack.avail_in;
  return from->unpack.avail_in > 0;
}

/* The next bytes into the block; 0 where they are not there. */
static int take(voxel_source *from, size_t bytes) {
  if (!from->compressed) return fread(from->block, 1, bytes, from->file) == bytes;
  from->unpack.next_out = (unsigned char *)from->block;
  from->unpack.avail_out = (uInt)bytes;
  while (from->unpack.avail_out > 0) {
    if (from->unpack.avail_in == 0 && !refill(from)) return 0;
    int code = inflate(&from->unpack, Z_NO_FLUSH);
    if (code != Z_OK && !(code == Z_STREAM_END && from->unpack.avail_out == 0)) return 0;
  }
  return 1;
}

/* `first` is the number of the first wanted voxel: those before it are read and dropped. */
static ht_status read_numbers(const char *path, const ht_meta_header *header, voxel_source *from,
                              int64_t first, int64_t count, float *values) {
  const int bytes = ht_number_bytes(header->type);
  for (int64_t done = 0; done < first + count;) {
    int64_t end = done < first ? first : first + count;
    int now = (int)(end - done < BLOCK / bytes ? end - done : BLOCK / bytes);
    if (!take(from, (size_t)now * (size_t)bytes))
      return ht_fail(HT_ERR_FORMAT,
                     "%s: truncated or damaged: its voxels end early; copy or export it again",
                     path);
    if (header->swapped) ht_number_swap((unsigned char *)from->block, bytes, now);
    for (int i = 0; done >= first && i < now; i++)
      values[done - first + i] = (float)ht_number_at(header->type, from->block, i);
    done += now;
  }
  return HT_OK;
}

/* -1: the voxels of all images end the file. */
static int seek(const ht_meta_header *header, FILE *file) {
  if (header->file.begin >= 0) return fseek(file, header->file.begin, SEEK_SET);
  if (header->file.compressed) return fseek(file, 0, SEEK_SET);
  return fseek(file, -(long)bytes_of(header), SEEK_END);
}

static ht_status read_source(const char *path, int volume, const ht_meta_header *header,
                             voxel_source *from, float *values) {
  enum { ZLIB_OR_GZIP = 15 + 32 };
  int64_t count = (int64_t)voxels_of(header);
  from->compressed = header->file.compressed;
  from->left = header->file.stored;
  from->file = fopen(header->file.data, "rb");
  if (!from->file || seek(header, from->file) != 0)
    return ht_fail(HT_ERR_FORMAT, "%s: its voxels cannot be read", path);
  if (from->compressed && inflateInit2(&from->unpack, ZLIB_OR_GZIP) != Z_OK)
    return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to read the file", path);
  ht_status status = read_numbers(path, header, from, volume * count, count, values);
  if (from->compressed) inflateEnd(&from->unpack);
  return status;
}

ht_status ht_meta_read_voxels(const char *path, int volume, float *values) {
  ht_meta_header header;
  voxel_source *from;
  HT_TRY(ht_meta_header_read(path, &header));
  HT_TRY(ht_alloc((void **)&from, 1, sizeof *from, "reading the image"));
  ht_status status = read_source(path, volume, &header, from, values);
  if (from->file) fclose(from->file);
  free(from);
  return status;
}

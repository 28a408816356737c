#define _POSIX_C_SOURCE 200809L
#include "import/image/stored_image.h"
#include "import/image/voxel_number.h"
#include "import/common/voxel_size.h"
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

static double volumes_of(const ht_stored_image *stored) {
  return stored->dimensions > 3 ? stored->size[3] : 1;
}

static double voxels_of(const ht_stored_image *stored) {
  return stored->size[0] * stored->size[1] * stored->size[2];
}

/* Bytes of the voxels of all images. */
static double bytes_of(const ht_stored_image *stored) {
  return voxels_of(stored) * volumes_of(stored) * ht_number_bytes(stored->type);
}

static int check_values(const ht_stored_image *stored, ht_image_info *info) {
  if (stored->channels != 1 || !ht_number_bytes(stored->type))
    return refuse(info,
                  "it has several values per voxel (%d), or of an unknown type: a scan has one "
                  "number",
                  stored->channels);
  if (volumes_of(stored) <= INT_MAX) info->volumes = (int)volumes_of(stored);
  for (int a = 4; a < stored->dimensions; a++)
    if (stored->size[a] > 1)
      return refuse(info,
                    "it has %d dimensions, %.0f images along the last: save the one to use as an "
                    "image of its own",
                    stored->dimensions, stored->size[a]);
  if (stored->dimensions < 3 || stored->size[2] < 1)
    return refuse(info, "it has one slice only: a volume needs at least 2");
  return 0;
}

static int fill_grid(const ht_stored_image *stored, ht_image_info *info) {
  ht_grid grid = ht_grid_make(1, 1, 1);
  for (int a = 0; a < 3; a++) {
    if (stored->size[a] > INT_MAX)
      return refuse(info, "it claims more than 2^31 voxels along an axis");
    grid.dim[a] = (int)stored->size[a];
    grid.spacing_mm[a] = stored->spacing_mm[a];
    grid.origin_mm[a] = stored->origin_mm[a];
    for (int r = 0; r < 3; r++) grid.direction[r][a] = stored->axes[a * stored->dimensions + r];
  }
  if (ht_grid_check(&grid) != HT_OK || ht_scan_size_check(&grid) != HT_OK)
    return refuse(info, "%s", ht_error_message());
  info->grid = grid;
  memcpy(info->dim, grid.dim, sizeof info->dim);
  return 0;
}

/* Checks the claimed size before memory for the voxels is allocated. */
static void check_claim(const ht_stored_image *stored, ht_image_info *info) {
  char problem[128];
  if (!ht_voxel_data_claims_more(stored->file.data, bytes_of(stored), problem)) return;
  info->grid.dim[0] = 0;
  refuse(info, "%s", problem);
}

ht_status ht_stored_info(const char *path, const ht_stored_image *stored, ht_image_info *info) {
  HT_TRY(ht_voxel_data_check(path, &stored->file, 0));
  if (!check_values(stored, info) && !fill_grid(stored, info)) check_claim(stored, info);
  return HT_OK;
}

ht_status ht_stored_check_voxels(const char *path, const ht_stored_image *stored) {
  return ht_voxel_data_check(path, &stored->file, bytes_of(stored));
}

/* ---- The voxels ---- */

enum { BLOCK = 1 << 16 };

/* The bytes of the voxels, one block after the other. */
typedef struct {
  FILE *file;
  int compressed;
  z_stream unpack;
  double left; /* compressed bytes that may still be read */
  int code;    /* of zlib */
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

/* Reads the next bytes into the block; 0 where they are not there. */
static int take(voxel_source *from, size_t bytes) {
  if (!from->compressed) return fread(from->block, 1, bytes, from->file) == bytes;
  from->unpack.next_out = (unsigned char *)from->block;
  from->unpack.avail_out = (uInt)bytes;
  while (from->unpack.avail_out > 0) {
    if (from->unpack.avail_in == 0 && !refill(from)) return 0;
    int code = from->code = inflate(&from->unpack, Z_NO_FLUSH);
    if (code != Z_OK && !(code == Z_STREAM_END && from->unpack.avail_out == 0)) return 0;
  }
  return 1;
}

/* The numbers of `stored` that are wanted: every `step`th from number `first` on. */
typedef struct {
  int64_t first, step, count;
} wanted;

static wanted find_wanted(const ht_stored_image *stored, int volume) {
  int64_t count = (int64_t)voxels_of(stored);
  if (stored->interleaved) return (wanted){volume, (int64_t)volumes_of(stored), count};
  return (wanted){volume * count, 1, count};
}

static ht_status ended_early(const char *path, const voxel_source *from) {
  if (from->code == Z_MEM_ERROR) return ht_check_reason(path, zError(from->code));
  return ht_fail(HT_ERR_FORMAT,
                 "%s: truncated or damaged: its voxels end early; copy or export it again", path);
}

/* Reads numbers; those before the first wanted one, and between two, are read and dropped. */
static ht_status read_numbers(const char *path, const ht_stored_image *stored, voxel_source *from,
                              const wanted *of, float *values) {
  const int bytes = ht_number_bytes(stored->type);
  int64_t next = of->first, end = of->first + (of->count - 1) * of->step + 1;
  for (int64_t done = 0; done < end;) {
    int now = (int)(end - done < BLOCK / bytes ? end - done : BLOCK / bytes);
    if (!take(from, (size_t)now * (size_t)bytes)) return ended_early(path, from);
    if (stored->swapped) ht_number_swap((unsigned char *)from->block, bytes, now);
    for (; next < done + now; next += of->step)
      *values++ = (float)ht_number_at(stored->type, from->block, (int)(next - done));
    done += now;
  }
  return HT_OK;
}

/* -1: the voxels of all images end the file. */
static int seek(const ht_stored_image *stored, FILE *file) {
  if (stored->file.begin >= 0) return fseek(file, stored->file.begin, SEEK_SET);
  if (stored->file.compressed) return fseek(file, 0, SEEK_SET);
  return fseek(file, -(long)bytes_of(stored), SEEK_END);
}

/* Drops the bytes before the voxels that are compressed with them. */
static int skip(voxel_source *from, double bytes) {
  for (; bytes > 0; bytes -= BLOCK)
    if (!take(from, bytes < BLOCK ? (size_t)bytes : BLOCK)) return 0;
  return 1;
}

static ht_status read_source(const char *path, const ht_stored_image *stored, int volume,
                             voxel_source *from, float *values) {
  enum { ZLIB_OR_GZIP = 15 + 32 };
  wanted of = find_wanted(stored, volume);
  from->compressed = stored->file.compressed;
  from->left = stored->file.stored;
  from->file = ht_file_open(stored->file.data);
  if (!from->file || seek(stored, from->file) != 0)
    return ht_fail(HT_ERR_FORMAT, "%s: its voxels cannot be read", path);
  if (from->compressed && inflateInit2(&from->unpack, ZLIB_OR_GZIP) != Z_OK)
    return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to read the file", path);
  ht_status status = skip(from, stored->file.skip) ? read_numbers(path, stored, from, &of, values)
                                                   : ended_early(path, from);
  if (from->compressed) inflateEnd(&from->unpack);
  return status;
}

ht_status ht_stored_read_voxels(const char *path, const ht_stored_image *stored, int volume,
                                float *values) {
  voxel_source *from;
  HT_TRY(ht_alloc((void **)&from, 1, sizeof *from, "reading the image"));
  ht_status status = read_source(path, stored, volume, from, values);
  if (from->file) fclose(from->file);
  free(from);
  return status;
}

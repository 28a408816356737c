#define _POSIX_C_SOURCE 200809L /* fseeko: files over 2 GB */
#include "vtk_file.h"
#include "volume.h"
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Before compression; large enough to make its header negligible, small enough for the cache.
 */
static const int64_t block_bytes = 1 << 18;
/* Fields of a flow hardly compress better at a higher level; 1 is 4 times as fast as 6. */
static const int compression_level = 1;

static const char *byte_order(void) {
  const uint16_t one = 1;
  uint8_t first;
  memcpy(&first, &one, 1);
  return first ? "LittleEndian" : "BigEndian";
}

ht_status ht_vtk_open(const char *path, const char *kind, ht_vtk_file *file) {
  memset(file, 0, sizeof *file);
  HT_TRY(ht_output_open(path, &file->output));
  fprintf(file->output.stream,
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" "
          "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n<%s",
          kind, byte_order(), kind);
  return HT_OK;
}

void ht_vtk_text(ht_vtk_file *file, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(file->output.stream, format, arguments);
  va_end(arguments);
}

void ht_vtk_data_array(ht_vtk_file *file, const ht_vtk_array *array) {
  FILE *stream = file->output.stream;
  assert(file->arrays < HT_VTK_ARRAYS_MAX);
  fprintf(stream, "<DataArray type=\"%s\" ", array->type);
  if (array->name) fprintf(stream, "Name=\"%s\" ", array->name);
  fprintf(stream, "NumberOfComponents=\"%d\" format=\"appended\" offset=\"", array->components);
  file->offset_at[file->arrays] = ftell(stream);
  /* Filled in when the arrays before it have been compressed; blanks may follow the quote. */
  fprintf(stream, "0\"%*s/>\n", 20, "");
  file->array[file->arrays++] = *array;
}

static int64_t width_of(const char *type) {
  if (!strcmp(type, "UInt8")) return 1;
  if (!strcmp(type, "Int64")) return 8;
  assert(!strcmp(type, "Float32") || !strcmp(type, "Int32"));
  return 4;
}

typedef struct {
  uint8_t *plain, *packed;
  uint64_t *sizes; /* [3 + blocks]: the array's header */
  uint64_t blocks, header_bytes;
  uLong packed_max;
} packing;

static void packing_free(packing *pack) {
  free(pack->plain);
  free(pack->packed);
  free(pack->sizes);
}

static ht_status packing_make(const ht_vtk_array *array, packing *pack) {
  int64_t bytes = array->values * width_of(array->type);
  memset(pack, 0, sizeof *pack);
  pack->blocks = (uint64_t)((bytes + block_bytes - 1) / block_bytes);
  pack->header_bytes = 8 * (3 + pack->blocks);
  pack->packed_max = compressBound((uLong)block_bytes);
  HT_TRY(ht_alloc((void **)&pack->plain, (size_t)block_bytes, 1, "the file's buffer"));
  HT_TRY(ht_alloc((void **)&pack->packed, pack->packed_max, 1, "the file's buffer"));
  HT_TRY(ht_alloc((void **)&pack->sizes, 3 + pack->blocks, 8, "the file's buffer"));
  pack->sizes[0] = pack->blocks;
  pack->sizes[1] = (uint64_t)block_bytes;
  pack->sizes[2] = (uint64_t)(bytes % block_bytes); /* 0: the last block is a whole one */
  return HT_OK;
}

static ht_status write_block(ht_vtk_file *file, const ht_vtk_array *array, packing *pack,
                             uint64_t block) {
  int64_t width = width_of(array->type), whole = block_bytes / width;
  int64_t first = (int64_t)block * whole, left = array->values - first;
  int64_t count = left < whole ? left : whole;
  const uint8_t *plain = pack->plain;
  uLongf size = pack->packed_max;
  if (array->fill)
    array->fill(array->source, first, count, pack->plain);
  else
    plain = (const uint8_t *)array->source + first * width;
  if (compress2(pack->packed, &size, plain, (uLong)(count * width), compression_level) != Z_OK)
    return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to compress", file->output.path);
  pack->sizes[3 + block] = size;
  fwrite(pack->packed, 1, size, file->output.stream);
  return HT_OK;
}

/* The header's numbers are known after the blocks, so its room is written first. */
static ht_status write_array(ht_vtk_file *file, const ht_vtk_array *array) {
  FILE *stream = file->output.stream;
  packing pack;
  off_t start = ftello(stream);
  ht_status status = packing_make(array, &pack);
  if (status == HT_OK) fwrite(pack.sizes, 1, pack.header_bytes, stream);
  for (uint64_t b = 0; status == HT_OK && b < pack.blocks && !ferror(stream); b++)
    status = write_block(file, array, &pack, b);
  if (status == HT_OK && !ferror(stream)) {
    fseeko(stream, start, SEEK_SET);
    fwrite(pack.sizes, 1, pack.header_bytes, stream);
    fseeko(stream, 0, SEEK_END);
  }
  packing_free(&pack);
  return status;
}

static ht_status write_arrays(ht_vtk_file *file) {
  FILE *stream = file->output.stream;
  off_t start = ftello(stream);
  for (int a = 0; a < file->arrays; a++) {
    long long offset = (long long)(ftello(stream) - start);
    HT_TRY(write_array(file, &file->array[a]));
    if (ferror(stream)) return HT_OK; /* ht_output_commit reports it */
    fseeko(stream, file->offset_at[a], SEEK_SET);
    fprintf(stream, "%lld\"", offset);
    fseeko(stream, 0, SEEK_END);
  }
  return HT_OK;
}

ht_status ht_vtk_close(ht_vtk_file *file, const char *kind) {
  ht_vtk_text(file, "</%s>\n<AppendedData encoding=\"raw\">\n_", kind);
  ht_status status = write_arrays(file);
  if (status != HT_OK) {
    ht_output_abandon(&file->output);
    return status;
  }
  ht_vtk_text(file, "\n</AppendedData>\n</VTKFile>\n");
  return ht_output_commit(&file->output);
}

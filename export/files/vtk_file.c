#define _POSIX_C_SOURCE 200809L /* fseeko: files over 2 GB */
#include "export/files/vtk_file.h"
#include "export/files/pack_blocks.h"
#include "core/vessel/volume.h"
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* zlib's level. Fields of a flow hardly compress better at a higher one; 1 is 4 times as fast as 6.
 */
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
  /* The offset is filled in once the arrays before it have been compressed; blanks may follow the
   * quote. */
  fprintf(stream, "0\"%*s/>\n", 20, "");
  file->array[file->arrays++] = *array;
}

static int64_t width_of(const char *type) {
  if (!strcmp(type, "UInt8")) return 1;
  if (!strcmp(type, "Int64")) return 8;
  assert(!strcmp(type, "Float32") || !strcmp(type, "Int32"));
  return 4;
}

static void fill_bytes(const void *source, int64_t first, int64_t count, uint8_t *out) {
  const ht_vtk_array *array = source;
  int64_t width = width_of(array->type);
  if (array->fill)
    array->fill(array->source, first / width, count / width, out);
  else
    memcpy(out, (const uint8_t *)array->source + first, (size_t)count);
}

/* An array on its way into the file. */
typedef struct {
  FILE *stream;
  uint64_t *sizes; /* [3 + blocks]: the array's header */
  uint64_t blocks;
} packing;

static int put_block(void *user, const ht_packed_block *block) {
  packing *pack = user;
  pack->sizes[3 + pack->blocks++] = block->size;
  fwrite(block->bytes, 1, block->size, pack->stream);
  return ferror(pack->stream);
}

/* Writes an array. The header's numbers are known only after the blocks, so its space is written
 * first. */
static ht_status pack_array(const ht_vtk_array *array, packing *pack, uint64_t blocks) {
  const ht_pack_input input = {.bytes = array->values * width_of(array->type),
                               .fill = fill_bytes,
                               .source = array,
                               .packing = HT_PACK_ZLIB,
                               .level = compression_level};
  const size_t header_bytes = 8 * (3 + blocks);
  off_t start = ftello(pack->stream);
  pack->sizes[0] = blocks;
  pack->sizes[1] = HT_PACK_BLOCK;
  pack->sizes[2] = (uint64_t)input.bytes % HT_PACK_BLOCK; /* 0: the last block is a whole one */
  fwrite(pack->sizes, 1, header_bytes, pack->stream);
  HT_TRY(ht_pack_blocks(&input, put_block, pack));
  if (ferror(pack->stream)) return HT_OK; /* ht_output_commit reports it */
  fseeko(pack->stream, start, SEEK_SET);
  fwrite(pack->sizes, 1, header_bytes, pack->stream);
  fseeko(pack->stream, 0, SEEK_END);
  return HT_OK;
}

static ht_status write_array(ht_vtk_file *file, const ht_vtk_array *array) {
  packing pack = {.stream = file->output.stream};
  int64_t bytes = array->values * width_of(array->type);
  uint64_t blocks = (uint64_t)((bytes + HT_PACK_BLOCK - 1) / HT_PACK_BLOCK);
  HT_TRY(ht_alloc((void **)&pack.sizes, 3 + blocks, 8, "the file's buffer"));
  ht_status status = pack_array(array, &pack, blocks);
  free(pack.sizes);
  return status == HT_OK ? HT_OK : ht_fail_in(status, file->output.path);
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

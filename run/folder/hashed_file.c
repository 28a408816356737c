#define _POSIX_C_SOURCE 200809L
#include "run/folder/hashed_file.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "flow.bin, wall_cycle.bin and beat.bin are little-endian"
#endif

enum { DIGEST = 32 };

static void hex_to_bytes(const char hex[HT_HASH_TEXT], unsigned char bytes[DIGEST]) {
  for (int i = 0; i < DIGEST; i++) {
    char two[3] = {hex[2 * i], hex[2 * i + 1], 0};
    bytes[i] = (unsigned char)strtoul(two, NULL, 16);
  }
}

ht_status ht_hashed_create(const char *path, ht_hashed_output *file) {
  file->hash = NULL;
  HT_TRY(ht_output_open(path, &file->output));
  file->hash = ht_hash_begin();
  if (file->hash) return HT_OK;
  ht_output_abandon(&file->output);
  return ht_fail(HT_ERR_MEMORY, "not enough memory");
}

void ht_hashed_put(ht_hashed_output *file, const void *bytes, size_t size) {
  fwrite(bytes, 1, size, file->output.stream);
  ht_hash_add(file->hash, bytes, size);
}

ht_status ht_hashed_commit(ht_hashed_output *file, ht_status status) {
  char hex[HT_HASH_TEXT];
  unsigned char digest[DIGEST];
  ht_hash_end(file->hash, status == HT_OK ? hex : NULL);
  if (status != HT_OK) {
    ht_output_abandon(&file->output);
    return status;
  }
  hex_to_bytes(hex, digest);
  fwrite(digest, 1, sizeof digest, file->output.stream);
  return ht_output_commit(&file->output);
}

ht_status ht_hashed_open(const char *path, ht_hashed_input *file) {
  *file = (ht_hashed_input){ht_file_open(path), NULL, path};
  if (!file->stream)
    return ht_fail(HT_ERR_NOT_FOUND,
                   "%s: cannot open: %s: run `hemotile solve` on the folder first", path,
                   ht_file_reason());
  file->hash = ht_hash_begin();
  if (file->hash) return HT_OK;
  fclose(file->stream);
  return ht_fail(HT_ERR_MEMORY, "not enough memory");
}

ht_status ht_hashed_expect(ht_hashed_input *file, double bytes) {
  struct stat info;
  long at = ftell(file->stream);
  if (at >= 0 && fstat(fileno(file->stream), &info) == 0 &&
      bytes <= (double)info.st_size - (double)at - DIGEST)
    return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "%s: the file ends too early: run `hemotile solve` again",
                 file->path);
}

ht_status ht_hashed_get(ht_hashed_input *file, void *bytes, size_t size) {
  if (fread(bytes, 1, size, file->stream) != size)
    return ht_fail(HT_ERR_FORMAT, "%s: the file ends too early: run `hemotile solve` again",
                   file->path);
  ht_hash_add(file->hash, bytes, size);
  return HT_OK;
}

ht_status ht_hashed_close(ht_hashed_input *file, ht_status status) {
  char hex[HT_HASH_TEXT] = "";
  unsigned char stored[DIGEST], computed[DIGEST];
  ht_hash_end(file->hash, hex);
  size_t got = status == HT_OK ? fread(stored, 1, sizeof stored, file->stream) : 0;
  fclose(file->stream);
  if (status != HT_OK) return status;
  hex_to_bytes(hex, computed);
  if (got == sizeof stored && memcmp(stored, computed, sizeof stored) == 0) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "%s: damaged (its checksum differs): run `hemotile solve` again",
                 file->path);
}

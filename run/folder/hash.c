#define _GNU_SOURCE
#include "run/folder/hash.h"
#include "core/disk/file.h"
#include "run/process/interrupt.h"
#include "core/vessel/volume.h"
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 18, DEPTH = 16 };

struct ht_hash {
  EVP_MD_CTX *context;
};

ht_hash *ht_hash_begin(void) {
  ht_hash *hash = malloc(sizeof *hash);
  if (!hash) return NULL;
  hash->context = EVP_MD_CTX_new();
  if (hash->context && EVP_DigestInit_ex(hash->context, EVP_sha256(), NULL)) return hash;
  ht_hash_end(hash, NULL);
  return NULL;
}

void ht_hash_add(ht_hash *hash, const void *bytes, size_t size) {
  EVP_DigestUpdate(hash->context, bytes, size);
}

void ht_hash_end(ht_hash *hash, char hex[HT_HASH_TEXT]) {
  unsigned char digest[EVP_MAX_MD_SIZE] = {0};
  if (!hash) return;
  if (hex) {
    EVP_DigestFinal_ex(hash->context, digest, NULL);
    for (int i = 0; i < 32; i++) snprintf(hex + 2 * i, 3, "%02x", digest[i]);
  }
  EVP_MD_CTX_free(hash->context);
  free(hash);
}

static ht_status add_stream(FILE *file, const char *path, ht_hash *hash) {
  char *buffer;
  HT_TRY(ht_alloc((void **)&buffer, CHUNK, 1, "reading a file"));
  ht_status status = HT_OK;
  for (size_t got; status == HT_OK && (got = fread(buffer, 1, CHUNK, file)) > 0;) {
    ht_hash_add(hash, buffer, got);
    if (ht_interrupt_asked()) status = ht_fail(HT_ERR_INTERRUPTED, "stopped as asked");
  }
  if (status == HT_OK && ferror(file))
    status = ht_fail(HT_ERR_NOT_FOUND, "%s: cannot read: %s", path, strerror(errno));
  free(buffer);
  return status;
}

/* Opens only regular files: a pipe or a device may have no end, and opening one may wait for
 * ever. */
static ht_status open_regular(const char *path, FILE **file) {
  struct stat info;
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0)
    return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot open: %s", path, strerror(errno));
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(descriptor);
    return ht_fail(HT_ERR_FORMAT, "%s: this is no file but a folder, pipe or device", path);
  }
  *file = fdopen(descriptor, "rb");
  if (*file) return HT_OK;
  close(descriptor);
  return ht_fail(HT_ERR_MEMORY, "not enough memory");
}

ht_status ht_hash_file(const char *path, char hex[HT_HASH_TEXT]) {
  FILE *file;
  hex[0] = 0;
  HT_TRY(open_regular(path, &file));
  ht_hash *hash = ht_hash_begin();
  ht_status status =
      hash ? add_stream(file, path, hash) : ht_fail(HT_ERR_MEMORY, "not enough memory");
  ht_hash_end(hash, status == HT_OK ? hex : NULL);
  fclose(file);
  return status;
}

static int by_text(const void *a, const void *b) {
  return strcmp(a, b);
}

static ht_status hash_sorted(char (*each)[HT_HASH_TEXT], int count, char hex[HT_HASH_TEXT]) {
  ht_hash *hash = ht_hash_begin();
  if (!hash) return ht_fail(HT_ERR_MEMORY, "not enough memory");
  if (count) qsort(each, (size_t)count, HT_HASH_TEXT, by_text);
  for (int i = 0; i < count; i++) {
    ht_hash_add(hash, each[i], HT_HASH_TEXT - 1);
    ht_hash_add(hash, "\n", 1);
  }
  ht_hash_end(hash, hex);
  return HT_OK;
}

ht_status ht_hash_files(const ht_path_list *files, char hex[HT_HASH_TEXT]) {
  char(*each)[HT_HASH_TEXT];
  hex[0] = 0;
  HT_TRY(ht_alloc((void **)&each, (size_t)files->count + 1, sizeof *each, "the list of files"));
  ht_status status = HT_OK;
  for (int i = 0; i < files->count && status == HT_OK; i++)
    status = ht_hash_file(files->path[i], each[i]);
  if (status == HT_OK) status = hash_sorted(each, files->count, hex);
  free(each);
  return status;
}

ht_status ht_hash_path(const char *path, char hex[HT_HASH_TEXT]) {
  ht_path_list files = {0};
  if (!ht_folder_exists(path)) return ht_hash_file(path, hex);
  ht_status status = ht_path_list_folder(path, DEPTH, &files);
  if (status == HT_OK) status = ht_hash_files(&files, hex);
  ht_path_list_free(&files);
  return status;
}

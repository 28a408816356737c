#define _GNU_SOURCE
#include "hash.h"
#include "interrupt.h"
#include "volume.h"
#include <errno.h>
#include <ftw.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 18 };

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

ht_status ht_hash_file(const char *path, char hex[HT_HASH_TEXT]) {
  hex[0] = 0;
  FILE *file = fopen(path, "rb");
  if (!file) return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot open: %s", path, strerror(errno));
  ht_hash *hash = ht_hash_begin();
  ht_status status =
      hash ? add_stream(file, path, hash) : ht_fail(HT_ERR_MEMORY, "not enough memory");
  ht_hash_end(hash, status == HT_OK ? hex : NULL);
  fclose(file);
  return status;
}

/* nftw() has no user pointer. */
static struct {
  char (*hex)[HT_HASH_TEXT];
  int count, capacity;
  ht_status status;
} listing;

static int add_file(const char *path, const struct stat *info, int type, struct FTW *at) {
  (void)info, (void)at;
  if (type != FTW_F) return 0;
  if (listing.count == listing.capacity) {
    int capacity = listing.capacity ? 2 * listing.capacity : 256;
    void *larger = realloc(listing.hex, (size_t)capacity * HT_HASH_TEXT);
    if (!larger) {
      listing.status = ht_fail(HT_ERR_MEMORY, "not enough memory for the list of files");
      return 1;
    }
    listing.hex = larger;
    listing.capacity = capacity;
  }
  listing.status = ht_hash_file(path, listing.hex[listing.count]);
  if (listing.status != HT_OK) return 1;
  listing.count++;
  return 0;
}

static int by_text(const void *a, const void *b) {
  return strcmp(a, b);
}

ht_status ht_hash_path(const char *path, char hex[HT_HASH_TEXT], int *files) {
  hex[0] = 0;
  memset(&listing, 0, sizeof listing);
  if (nftw(path, add_file, 16, FTW_PHYS) < 0 && listing.status == HT_OK)
    listing.status = ht_fail(HT_ERR_NOT_FOUND, "%s: cannot read: %s", path, strerror(errno));
  struct stat info;
  int is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
  *files = is_folder ? listing.count : 1;
  if (listing.status == HT_OK && !is_folder) listing.status = ht_hash_file(path, hex);
  ht_hash *hash = listing.status == HT_OK && is_folder ? ht_hash_begin() : NULL;
  if (listing.status == HT_OK && is_folder && !hash)
    listing.status = ht_fail(HT_ERR_MEMORY, "not enough memory");
  if (hash) {
    if (listing.count) qsort(listing.hex, (size_t)listing.count, HT_HASH_TEXT, by_text);
    for (int i = 0; i < listing.count; i++) {
      ht_hash_add(hash, listing.hex[i], 64);
      ht_hash_add(hash, "\n", 1);
    }
    ht_hash_end(hash, hex);
  }
  free(listing.hex);
  listing.hex = NULL;
  return listing.status;
}

/* SHA-256 of files and texts, for the manifest. */
#ifndef HT_HASH_H
#define HT_HASH_H

#include "core/disk/path_list.h"
#include "core/status.h"
#include <stddef.h>

enum { HT_HASH_TEXT = 65 }; /* 64 hex digits and the end */

/* Hashes a file's bytes. HT_ERR_NOT_FOUND; HT_ERR_FORMAT where it is no regular file. */
ht_status ht_hash_file(const char *path, char hex[HT_HASH_TEXT]);

/* Hashes the sorted list of the SHA-256 of these files (hex digits and a new line each), so that
 * names and their order do not matter. */
ht_status ht_hash_files(const ht_path_list *files, char hex[HT_HASH_TEXT]);

/* Hashes a file as ht_hash_file, or all files in a folder as ht_hash_files. */
ht_status ht_hash_path(const char *path, char hex[HT_HASH_TEXT]);

/* A hash that grows piece by piece. */
typedef struct ht_hash ht_hash;
ht_hash *ht_hash_begin(void);
void ht_hash_add(ht_hash *hash, const void *bytes, size_t size);
/* Frees the hash; hex may be NULL. */
void ht_hash_end(ht_hash *hash, char hex[HT_HASH_TEXT]);

#endif

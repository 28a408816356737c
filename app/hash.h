/* SHA-256 of what was read, for the manifest. */
#ifndef HT_HASH_H
#define HT_HASH_H

#include "status.h"
#include <stddef.h>

enum { HT_HASH_TEXT = 65 }; /* 64 hex digits and the end */

/* Of a file's bytes. HT_ERR_NOT_FOUND. */
ht_status ht_hash_file(const char *path, char hex[HT_HASH_TEXT]);

/* Of a file as above; of a folder: the SHA-256 of the sorted list of the SHA-256 of all files in
 * it (hex digits and a new line each), so that names and their order do not matter. `files` gets
 * their number. */
ht_status ht_hash_path(const char *path, char hex[HT_HASH_TEXT], int *files);

/* Incremental. */
typedef struct ht_hash ht_hash;
ht_hash *ht_hash_begin(void);
void ht_hash_add(ht_hash *hash, const void *bytes, size_t size);
/* Frees the hash; hex may be NULL. */
void ht_hash_end(ht_hash *hash, char hex[HT_HASH_TEXT]);

#endif

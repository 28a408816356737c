/* Binary files of a case folder that end with the SHA-256 of all bytes before it: flow.bin,
 * wall_cycle.bin, wall_moments.bin, beat.bin. Little-endian, as the machine. */
#ifndef HT_HASHED_FILE_H
#define HT_HASHED_FILE_H

#include "core/disk/file.h"
#include "run/folder/hash.h"

typedef struct {
  ht_output output;
  ht_hash *hash;
} ht_hashed_output;

/* Creates the file. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_hashed_create(const char *path, ht_hashed_output *file);
void ht_hashed_put(ht_hashed_output *file, const void *bytes, size_t size);
/* Completes the file where `status` is HT_OK; else removes it and returns `status`. */
ht_status ht_hashed_commit(ht_hashed_output *file, ht_status status);

typedef struct {
  FILE *stream;
  ht_hash *hash;
  const char *path; /* borrowed */
} ht_hashed_input;

/* Returns HT_ERR_FORMAT unless at least `bytes` follow before the checksum. Call it before memory
 * is allocated for a size that the header claims. */
ht_status ht_hashed_expect(ht_hashed_input *file, double bytes);

/* Opens the file. HT_ERR_NOT_FOUND, HT_ERR_MEMORY. */
ht_status ht_hashed_open(const char *path, ht_hashed_input *file);
/* Reads `size` bytes. HT_ERR_FORMAT: the file ends too early. */
ht_status ht_hashed_get(ht_hashed_input *file, void *bytes, size_t size);
/* Closes the file. With `status` HT_OK it checks the checksum first: HT_ERR_FORMAT. */
ht_status ht_hashed_close(ht_hashed_input *file, ht_status status);

#endif

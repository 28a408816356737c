/* The bytes of a file's array, made and compressed in blocks on all cores, written in their order.
 * The result does not depend on the number of cores. Private to export/. */
#ifndef HT_PACK_BLOCKS_H
#define HT_PACK_BLOCKS_H

#include "core/status.h"
#include <stddef.h>
#include <stdint.h>

/* Bytes of a block before compression: enough to make its header negligible, few enough for the
 * cache. */
enum { HT_PACK_BLOCK = 1 << 18 };

typedef enum {
  HT_PACK_NOT,     /* left as they are */
  HT_PACK_ZLIB,    /* each block a zlib stream of its own */
  HT_PACK_DEFLATE, /* all blocks one raw deflate stream (RFC 1951) that is not ended yet */
} ht_packing;

typedef struct {
  int64_t bytes;
  /* Writes bytes [first, first + count) to `out`; `first` is that of a block. Called on several
   * cores at a time. */
  void (*fill)(const void *source, int64_t first, int64_t count, uint8_t *out);
  const void *source;
  ht_packing packing;
  int level; /* zlib's */
} ht_pack_input;

typedef struct {
  const uint8_t *bytes;
  size_t size;       /* after compression */
  size_t plain;      /* before */
  unsigned long crc; /* CRC-32 of the bytes before, of HT_PACK_DEFLATE */
} ht_packed_block;

/* Writes a block. Returns nonzero if the stream has failed, as on a full disk; ht_output_commit
 * reports it. */
typedef int (*ht_put_block)(void *user, const ht_packed_block *block);

/* Passes each block to `put`, in order; stops once `put` has failed, and returns HT_OK.
 * HT_ERR_MEMORY. */
ht_status ht_pack_blocks(const ht_pack_input *input, ht_put_block put, void *user);

#endif

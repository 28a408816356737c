#include "export/files/pack_blocks.h"
#include "core/work/jobs.h"
#include "core/vessel/volume.h"
#include <stdlib.h>
#include <zlib.h>

/* Number of blocks in memory at a time. */
enum { BATCH = 16 };

typedef struct {
  const ht_pack_input *input;
  int64_t first; /* byte of the batch */
  uint8_t *plain, *packed;
  size_t room; /* of a packed block */
  ht_packed_block block[BATCH];
  int failed[BATCH];
} batch;

/* Compresses a block. A flush ends it at a whole byte, so that the next one can follow. */
static int compress_block(const ht_pack_input *input, const uint8_t *plain, uint8_t *packed,
                          size_t room, ht_packed_block *block) {
  int alone = input->packing == HT_PACK_ZLIB;
  z_stream stream = {.next_in = (Bytef *)(uintptr_t)plain, .avail_in = (uInt)block->plain};
  if (deflateInit2(&stream, input->level, Z_DEFLATED, alone ? 15 : -15, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    return 1;
  stream.next_out = packed;
  stream.avail_out = (uInt)room;
  int code = deflate(&stream, alone ? Z_FINISH : Z_SYNC_FLUSH);
  block->bytes = packed;
  block->size = room - stream.avail_out;
  deflateEnd(&stream);
  if (!alone) block->crc = crc32(0, plain, (uInt)block->plain);
  return code != (alone ? Z_STREAM_END : Z_OK) || stream.avail_out == 0;
}

static void make_block(void *user, int n) {
  batch *b = user;
  const ht_pack_input *input = b->input;
  int64_t first = b->first + (int64_t)n * HT_PACK_BLOCK, left = input->bytes - first;
  uint8_t *plain = b->plain + (size_t)n * HT_PACK_BLOCK, *packed = b->packed + (size_t)n * b->room;
  ht_packed_block *block = &b->block[n];
  *block = (ht_packed_block){.bytes = plain};
  block->size = block->plain = (size_t)(left < HT_PACK_BLOCK ? left : HT_PACK_BLOCK);
  input->fill(input->source, first, (int64_t)block->plain, plain);
  b->failed[n] =
      input->packing != HT_PACK_NOT && compress_block(input, plain, packed, b->room, block);
}

static ht_status pack_batch(batch *b, int blocks, ht_put_block put, void *user, int *stopped) {
  HT_TRY(ht_jobs_spread(blocks, make_block, b));
  for (int n = 0; n < blocks && !*stopped; n++) {
    if (b->failed[n]) return ht_fail(HT_ERR_MEMORY, "not enough memory to compress");
    *stopped = put(user, &b->block[n]);
  }
  return HT_OK;
}

ht_status ht_pack_blocks(const ht_pack_input *input, ht_put_block put, void *user) {
  batch b = {.input = input, .room = compressBound(HT_PACK_BLOCK) + 64};
  ht_status status = HT_OK;
  int stopped = 0;
  int64_t blocks = (input->bytes + HT_PACK_BLOCK - 1) / HT_PACK_BLOCK;
  size_t held = (size_t)(blocks < BATCH ? blocks : BATCH);
  HT_TRY_DONE(ht_alloc((void **)&b.plain, held + 1, HT_PACK_BLOCK, "the file's buffer"));
  HT_TRY_DONE(ht_alloc((void **)&b.packed, held + 1, b.room, "the file's buffer"));
  for (int64_t n = 0; n < blocks && status == HT_OK && !stopped; n += BATCH) {
    b.first = n * HT_PACK_BLOCK;
    status = pack_batch(&b, (int)(blocks - n < BATCH ? blocks - n : BATCH), put, user, &stopped);
  }
done:
  free(b.plain);
  free(b.packed);
  return status;
}

/* checkpoint_1.bin, checkpoint_2.bin: the state of a run of the solver, from which another run goes
 * on. Each is written whole under a temporary name; the older one of the two is replaced.
 *
 * Little-endian, as the machine:
 *   8 bytes   "HTCHKP01"
 *   uint64    length of the header
 *   header    JSON: whose state it is (ht_checkpoint_head)
 *   state     pieces, each of a uint64 number of bytes and that many bytes, in the order of the
 *             solver's parts (state_stream.h); a part begins with a piece of 24 bytes, its name
 *   32 bytes  SHA-256 of all before
 */
#ifndef HT_CHECKPOINT_FILE_H
#define HT_CHECKPOINT_FILE_H

#include "run/folder/hashed_file.h"
#include "core/formats/state_stream.h"

/* Settings, mask, and the domain made from them that identify the case of a checkpoint. */
typedef struct {
  char hemotile[64], commit[64]; /* version and commit of the program, as in the manifest */
  char settings_sha256[HT_HASH_TEXT], mask_sha256[HT_HASH_TEXT], domain_sha256[HT_HASH_TEXT];
  int64_t step;
  double time_s;    /* time of the flow */
  char written[32]; /* UTC, as 2026-01-31T12:34:56Z */
} ht_checkpoint_head;

/* Writes a checkpoint with the state that save(from, stream) writes. HT_ERR_WRITE, HT_ERR_MEMORY,
 * save's failures: an earlier file stays as it was. *bytes: size of the file. */
ht_status ht_checkpoint_write(const char *path, const ht_checkpoint_head *head,
                              ht_status (*save)(void *from, ht_state *stream), void *from,
                              int64_t *bytes);

typedef struct {
  ht_checkpoint_head head;
  ht_state state; /* positioned at its beginning */
  ht_hashed_input file;
  int64_t left; /* bytes of the state not yet read */
} ht_checkpoint;

/* Reads the header alone; the rest may be incomplete. Errors as ht_checkpoint_open. */
ht_status ht_checkpoint_peek(const char *path, ht_checkpoint_head *head);

/* Opens a file after it has read all of it once and checked its checksum. HT_ERR_NOT_FOUND;
 * HT_ERR_FORMAT: damaged, or not of this version. `path` is borrowed; the struct stays at its place
 * in memory until it is closed. */
ht_status ht_checkpoint_open(const char *path, ht_checkpoint *checkpoint);
void ht_checkpoint_close(ht_checkpoint *checkpoint); /* a zeroed struct: does nothing */

#endif

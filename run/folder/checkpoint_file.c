#define _POSIX_C_SOURCE 200809L /* open_memstream, fseeko */
#include "run/folder/checkpoint_file.h"
#include "run/folder/members.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char magic[8] = {'H', 'T', 'C', 'H', 'K', 'P', '0', '1'};
enum { HEADER_MAX = 1 << 16, DIGEST = 32, CHUNK = 1 << 20 };

#define AT(key, field)                                                                             \
  { HT_MEMBER(ht_checkpoint_head, key, field), .options = HT_REQUIRED }
static const ht_member head_members[] = {
    AT("hemotile", hemotile),
    AT("commit", commit),
    AT("settings_sha256", settings_sha256),
    AT("mask_sha256", mask_sha256),
    AT("domain_sha256", domain_sha256),
    AT("step", step),
    AT("time_s", time_s),
    AT("written", written),
    {0},
};

/* ---- writing ---- */

static ht_status put(void *user, void *bytes, size_t size) {
  ht_hashed_output *file = user;
  ht_hashed_put(file, bytes, size);
  if (!ferror(file->output.stream)) return HT_OK;
  return ht_hashed_commit(file, HT_OK); /* removes it, and says why */
}

static ht_status make_header(const ht_checkpoint_head *head, char **text, size_t *length) {
  FILE *stream = open_memstream(text, length);
  if (!stream) return ht_fail(HT_ERR_MEMORY, "not enough memory");
  ht_json json = {stream, 0, 1};
  ht_json_object(&json, NULL);
  ht_members_json(&json, head_members, head);
  ht_json_object_end(&json);
  return fclose(stream) == 0 ? HT_OK : ht_fail(HT_ERR_MEMORY, "not enough memory");
}

static ht_status put_all(ht_hashed_output *file, const ht_checkpoint_head *head,
                         ht_status (*save)(void *from, ht_state *stream), void *from) {
  char *text = NULL, start[sizeof magic];
  size_t size = 0;
  ht_state stream = {.is_loading = 0, .move = put, .user = file};
  memcpy(start, magic, sizeof magic);
  ht_status status = make_header(head, &text, &size);
  uint64_t length = size;
  if (status == HT_OK) status = put(file, start, sizeof start);
  if (status == HT_OK) status = put(file, &length, sizeof length);
  if (status == HT_OK) status = put(file, text, size);
  free(text);
  return status == HT_OK ? save(from, &stream) : status;
}

static int64_t size_of(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 ? (int64_t)info.st_size : 0;
}

ht_status ht_checkpoint_write(const char *path, const ht_checkpoint_head *head,
                              ht_status (*save)(void *from, ht_state *stream), void *from,
                              int64_t *bytes) {
  ht_hashed_output file;
  *bytes = 0;
  HT_TRY(ht_hashed_create(path, &file));
  ht_status status = put_all(&file, head, save, from);
  if (file.output.stream) status = ht_hashed_commit(&file, status);
  if (status == HT_OK) *bytes = size_of(path);
  return status;
}

/* ---- reading ---- */

static ht_status get(void *user, void *bytes, size_t size) {
  ht_checkpoint *from = user;
  if (size > (uint64_t)from->left)
    return ht_fail(HT_ERR_FORMAT, "%s: it ends too early", from->file.path);
  from->left -= (int64_t)size;
  return ht_hashed_get(&from->file, bytes, size);
}

static ht_status read_header(ht_checkpoint *from) {
  const char *path = from->file.path;
  char start[sizeof magic], text[HEADER_MAX + 1];
  uint64_t length;
  ht_yaml yaml;
  HT_TRY(get(from, start, sizeof start));
  if (memcmp(start, magic, sizeof magic) != 0)
    return ht_fail(HT_ERR_FORMAT, "%s: this is no checkpoint of this version of hemotile", path);
  HT_TRY(get(from, &length, sizeof length));
  if (length > HEADER_MAX) return ht_fail(HT_ERR_FORMAT, "%s: damaged", path);
  HT_TRY(get(from, text, (size_t)length));
  text[length] = 0;
  HT_TRY(ht_yaml_parse(path, text, (size_t)length, HT_ERR_FORMAT, &yaml));
  int complete = ht_members_read(yaml.root, head_members, &from->head);
  ht_yaml_free(&yaml);
  if (complete && from->head.step >= 0) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "%s: its header is not complete", path);
}

/* Reads to the end, checks the checksum, and closes. */
static ht_status check_sum(ht_checkpoint *from) {
  char *room;
  ht_status status = ht_alloc((void **)&room, CHUNK, 1, "reading a file");
  while (status == HT_OK && from->left > 0)
    status = get(from, room, from->left < CHUNK ? (size_t)from->left : CHUNK);
  free(room);
  status = ht_hashed_close(&from->file, status);
  from->file.stream = NULL;
  return status;
}

static ht_status open_file(const char *path, ht_checkpoint *from) {
  memset(from, 0, sizeof *from);
  HT_TRY(ht_hashed_open(path, &from->file));
  from->left = size_of(path) - DIGEST;
  from->state = (ht_state){.is_loading = 1, .move = get, .user = from};
  ht_status status =
      from->left > 0 ? read_header(from) : ht_fail(HT_ERR_FORMAT, "%s: it ends too early", path);
  if (status != HT_OK) ht_checkpoint_close(from);
  return status;
}

ht_status ht_checkpoint_peek(const char *path, ht_checkpoint_head *head) {
  ht_checkpoint from;
  HT_TRY(open_file(path, &from));
  *head = from.head;
  ht_checkpoint_close(&from);
  return HT_OK;
}

ht_status ht_checkpoint_open(const char *path, ht_checkpoint *checkpoint) {
  HT_TRY(open_file(path, checkpoint));
  HT_TRY(check_sum(checkpoint));
  return open_file(path, checkpoint);
}

void ht_checkpoint_close(ht_checkpoint *checkpoint) {
  if (checkpoint->file.stream)
    (void)ht_hashed_close(&checkpoint->file, HT_ERR_INTERNAL); /* its checksum is known */
  memset(checkpoint, 0, sizeof *checkpoint);
}

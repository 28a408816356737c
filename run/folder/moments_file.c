#include "run/folder/moments_file.h"
#include "run/folder/hashed_file.h"
#include <string.h>

static const char magic[8] = {'H', 'T', 'M', 'O', 'M', 'T', '0', '1'};

typedef struct {
  char magic[8];
  int64_t points, moments;
  char mask_sha256[HT_HASH_TEXT - 1];
} header;

ht_status ht_moments_file_write(const char *path, const ht_wall_moments *moments,
                                const char *mask_sha256) {
  ht_hashed_output file;
  size_t count = (size_t)moments->moments;
  header first = {.points = moments->points, .moments = moments->moments};
  memcpy(first.magic, magic, sizeof magic);
  memcpy(first.mask_sha256, mask_sha256, strnlen(mask_sha256, sizeof first.mask_sha256));
  HT_TRY(ht_hashed_create(path, &file));
  ht_hashed_put(&file, &first, sizeof first);
  ht_hashed_put(&file, moments->time_s, count * sizeof *moments->time_s);
  ht_hashed_put(&file, moments->highest_pa, count * sizeof *moments->highest_pa);
  ht_hashed_put(&file, moments->step, count * (size_t)moments->points);
  return ht_hashed_commit(&file, HT_OK);
}

static ht_status read_parts(ht_hashed_input *from, ht_wall_moments *moments,
                            char mask_sha256[HT_HASH_TEXT]) {
  header first;
  HT_TRY(ht_hashed_get(from, &first, sizeof first));
  if (memcmp(first.magic, magic, sizeof magic) != 0 || first.points <= 0 ||
      first.points > INT32_MAX || first.moments <= 0 || first.moments > HT_MOMENTS_MOST)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: damaged, or not of this version of hemotile: run `hemotile solve` again",
                   from->path);
  size_t count = (size_t)first.moments;
  HT_TRY(ht_hashed_expect(from, (double)first.points * (double)first.moments));
  HT_TRY(ht_wall_moments_alloc(first.points, (int)first.moments, moments));
  memcpy(mask_sha256, first.mask_sha256, sizeof first.mask_sha256);
  mask_sha256[HT_HASH_TEXT - 1] = 0;
  HT_TRY(ht_hashed_get(from, moments->time_s, count * sizeof *moments->time_s));
  HT_TRY(ht_hashed_get(from, moments->highest_pa, count * sizeof *moments->highest_pa));
  return ht_hashed_get(from, moments->step, count * (size_t)first.points);
}

ht_status ht_moments_file_read(const char *path, ht_wall_moments *moments,
                               char mask_sha256[HT_HASH_TEXT]) {
  ht_hashed_input from;
  memset(moments, 0, sizeof *moments);
  HT_TRY(ht_hashed_open(path, &from));
  ht_status status = ht_hashed_close(&from, read_parts(&from, moments, mask_sha256));
  if (status != HT_OK) ht_wall_moments_free(moments);
  return status;
}

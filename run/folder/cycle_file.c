#include "run/folder/cycle_file.h"
#include "run/folder/hashed_file.h"
#include "export/wall/wall_series.h"
#include <string.h>

static const char magic[8] = {'H', 'T', 'W', 'A', 'L', 'L', '0', '1'};

typedef struct {
  char magic[8];
  int64_t points, samples, still;
  double period_s, peak_time_s, peak_flow_ml_s;
  char mask_sha256[HT_HASH_TEXT - 1];
} header;

ht_status ht_cycle_file_write(const char *path, const ht_wall_cycle *cycle,
                              const char *mask_sha256) {
  ht_wall_cycle shown = *cycle; /* copies the pointers; the arrays are only read */
  ht_cycle_array array[HT_CYCLE_ARRAYS];
  ht_hashed_output file;
  header first = {.points = cycle->points,
                  .samples = cycle->samples,
                  .still = cycle->still,
                  .period_s = cycle->period_s,
                  .peak_time_s = cycle->peak_time_s,
                  .peak_flow_ml_s = cycle->peak_flow_ml_s};
  memcpy(first.magic, magic, sizeof magic);
  memcpy(first.mask_sha256, mask_sha256, strnlen(mask_sha256, sizeof first.mask_sha256));
  ht_wall_cycle_arrays(&shown, array);
  HT_TRY(ht_hashed_create(path, &file));
  ht_hashed_put(&file, &first, sizeof first);
  for (int a = 0; a < HT_CYCLE_ARRAYS; a++)
    ht_hashed_put(&file, *array[a].values,
                  (size_t)array[a].components * (size_t)cycle->points * sizeof(float));
  return ht_hashed_commit(&file, HT_OK);
}

static ht_status read_parts(ht_hashed_input *from, ht_wall_cycle *cycle,
                            char mask_sha256[HT_HASH_TEXT]) {
  header first;
  ht_cycle_array array[HT_CYCLE_ARRAYS];
  HT_TRY(ht_hashed_get(from, &first, sizeof first));
  if (memcmp(first.magic, magic, sizeof magic) != 0 || first.points <= 0 ||
      first.points > INT32_MAX || first.samples <= 0 || first.samples > INT32_MAX)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: damaged, or not of this version of hemotile: run `hemotile solve` again",
                   from->path);
  HT_TRY(ht_hashed_expect(from, (double)first.points * sizeof(float) * HT_CYCLE_ARRAYS));
  HT_TRY(ht_wall_cycle_alloc(first.points, cycle));
  cycle->samples = (int)first.samples;
  cycle->still = first.still;
  cycle->period_s = first.period_s;
  cycle->peak_time_s = first.peak_time_s;
  cycle->peak_flow_ml_s = first.peak_flow_ml_s;
  memcpy(mask_sha256, first.mask_sha256, sizeof first.mask_sha256);
  mask_sha256[HT_HASH_TEXT - 1] = 0;
  ht_wall_cycle_arrays(cycle, array);
  for (int a = 0; a < HT_CYCLE_ARRAYS; a++)
    HT_TRY(ht_hashed_get(from, *array[a].values,
                         (size_t)array[a].components * (size_t)cycle->points * sizeof(float)));
  return HT_OK;
}

ht_status ht_cycle_file_read(const char *path, ht_wall_cycle *cycle,
                             char mask_sha256[HT_HASH_TEXT]) {
  ht_hashed_input from;
  memset(cycle, 0, sizeof *cycle);
  HT_TRY(ht_hashed_open(path, &from));
  ht_status status = ht_hashed_close(&from, read_parts(&from, cycle, mask_sha256));
  if (status != HT_OK) ht_wall_cycle_free(cycle);
  return status;
}

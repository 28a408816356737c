#include "run/folder/beat_file.h"
#include "run/folder/hashed_file.h"
#include <string.h>

static const char magic[8] = {'H', 'T', 'B', 'E', 'A', 'T', '0', '1'};
enum { ARRAYS = 5, MOST = 1 << 20 };

typedef struct {
  char magic[8];
  int64_t beats, samples, ports, stations;
  double period_s;
  char mask_sha256[HT_HASH_TEXT - 1];
} header;

/* Lists the arrays and the bytes of each. */
static void arrays_of(const ht_beat *beat, double *array[ARRAYS], size_t bytes[ARRAYS]) {
  double *const all[ARRAYS] = {beat->flow_ml_s, beat->pressure_pa, beat->section_pa,
                               beat->axial_m_s, beat->peak_m_s};
  size_t moments = (size_t)beat->beats * (size_t)beat->samples;
  for (int a = 0; a < ARRAYS; a++) {
    array[a] = all[a];
    bytes[a] = moments * (size_t)(a < 2 ? beat->ports : beat->stations) * sizeof(double);
  }
}

ht_status ht_beat_file_write(const char *path, const ht_beat *beat, const char *mask_sha256) {
  double *array[ARRAYS];
  size_t bytes[ARRAYS];
  ht_hashed_output file;
  header first = {.beats = beat->beats,
                  .samples = beat->samples,
                  .ports = beat->ports,
                  .stations = beat->stations,
                  .period_s = beat->period_s};
  memcpy(first.magic, magic, sizeof magic);
  memcpy(first.mask_sha256, mask_sha256, strnlen(mask_sha256, sizeof first.mask_sha256));
  arrays_of(beat, array, bytes);
  HT_TRY(ht_hashed_create(path, &file));
  ht_hashed_put(&file, &first, sizeof first);
  ht_hashed_put(&file, beat->time_s, (size_t)beat->samples * sizeof *beat->time_s);
  ht_hashed_put(&file, beat->station, (size_t)beat->stations * sizeof *beat->station);
  for (int a = 0; a < ARRAYS; a++) ht_hashed_put(&file, array[a], bytes[a]);
  return ht_hashed_commit(&file, HT_OK);
}

static int is_sound(const header *first) {
  const int64_t size[] = {first->beats, first->samples, first->ports, first->stations};
  for (int i = 0; i < 4; i++)
    if (size[i] < 0 || size[i] > MOST) return 0;
  return memcmp(first->magic, magic, sizeof magic) == 0 && first->beats > 0 && first->samples > 0 &&
         first->ports <= HT_OPENINGS_MAX;
}

static ht_status read_parts(ht_hashed_input *from, ht_beat *beat, char mask_sha256[HT_HASH_TEXT]) {
  header first;
  double *array[ARRAYS];
  size_t bytes[ARRAYS];
  HT_TRY(ht_hashed_get(from, &first, sizeof first));
  if (!is_sound(&first))
    return ht_fail(HT_ERR_FORMAT,
                   "%s: damaged, or not of this version of hemotile: run `hemotile solve` again",
                   from->path);
  beat->samples = (int)first.samples;
  beat->ports = (int)first.ports;
  beat->stations = (int)first.stations;
  beat->period_s = first.period_s;
  HT_TRY(ht_hashed_expect(from, (double)first.beats * (double)first.samples *
                                    (double)(2 * first.ports + 3 * first.stations) *
                                    sizeof(double)));
  HT_TRY(ht_alloc((void **)&beat->time_s, (size_t)first.samples, sizeof(double), "the beat"));
  HT_TRY(ht_alloc((void **)&beat->station, (size_t)first.stations + 1, sizeof *beat->station,
                  "the beat"));
  HT_TRY(ht_beat_resize(beat, (int)first.beats));
  memcpy(mask_sha256, first.mask_sha256, sizeof first.mask_sha256);
  mask_sha256[HT_HASH_TEXT - 1] = 0;
  HT_TRY(ht_hashed_get(from, beat->time_s, (size_t)beat->samples * sizeof *beat->time_s));
  HT_TRY(ht_hashed_get(from, beat->station, (size_t)beat->stations * sizeof *beat->station));
  arrays_of(beat, array, bytes);
  for (int a = 0; a < ARRAYS; a++) HT_TRY(ht_hashed_get(from, array[a], bytes[a]));
  return HT_OK;
}

ht_status ht_beat_file_read(const char *path, ht_beat *beat, char mask_sha256[HT_HASH_TEXT]) {
  ht_hashed_input from;
  memset(beat, 0, sizeof *beat);
  HT_TRY(ht_hashed_open(path, &from));
  ht_status status = ht_hashed_close(&from, read_parts(&from, beat, mask_sha256));
  if (status != HT_OK) ht_beat_free(beat);
  return status;
}
